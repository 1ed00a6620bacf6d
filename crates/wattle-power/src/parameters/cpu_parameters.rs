//! Parameters of the processor.

use wattle_timeline::{CpuId, CpuTimeline, Steps, Timeline};
use wattle_units::Hertz;

use super::parameter::combined;
use super::{ParameterOwner, ParameterPart, counter_parameters};

/// 1 while a core executes, else 0; by its scheduler, its idle states, or `/proc/stat`.
fn busy(timeline: &Timeline, cpu: CpuId) -> Steps<Option<f64>> {
    let Some(of) = timeline.cpus.get(cpu.index()) else { return polled(timeline, cpu) };
    let known = if !of.sched.is_empty() {
        by_scheduler(of)
    } else if !of.idle.is_empty() {
        let level = |active: bool| Some(f64::from(u8::from(active)));
        of.idle.iter().map(|(time, state)| (time, level(state.is_active()))).collect()
    } else {
        polled(timeline, cpu)
    };
    if timeline.suspend.suspended.is_empty() || known.is_empty() {
        return known;
    }
    asleep(&known, &timeline.suspend.suspended)
}

fn by_scheduler(of: &CpuTimeline) -> Steps<Option<f64>> {
    let mut value = Steps::with_capacity(of.sched.len());
    let mut end = None;
    for slice in of.sched.iter() {
        if let Some(end) = end.filter(|end| *end < slice.window.start) {
            value.push(end, None);
        }
        value.push(slice.window.start, Some(if slice.thread.is_idle() { 0.0 } else { 1.0 }));
        end = Some(slice.window.end);
    }
    if let Some(end) = end {
        value.push(end, None);
    }
    value
}

/// The part of the time between two polls for which a core was busy, by the kernel's totals (`/proc/stat`); empty where nobody polled
/// them.
pub(crate) fn polled(timeline: &Timeline, cpu: CpuId) -> Steps<Option<f64>> {
    let parts =
        counter_parameters::rate(timeline, &format!("cpu.{}.busy", cpu.0)).unwrap_or_default();
    parts.into_iter().next().map(|part| part.value).unwrap_or_default()
}

/// In suspend nothing executes, and nothing writes that it does not.
fn asleep(value: &Steps<Option<f64>>, suspended: &Steps<bool>) -> Steps<Option<f64>> {
    let mut times: Vec<_> = value.times().iter().chain(suspended.times()).copied().collect();
    times.sort_unstable();
    times.dedup();
    let at = |time| {
        if suspended.at(time) == Some(true) { Some(0.0) } else { value.at(time).flatten() }
    };
    times.into_iter().map(|time| (time, at(time))).collect()
}

fn ghz(clock: &Steps<Hertz>) -> Steps<Option<f64>> {
    clock.iter().map(|(time, clock)| (time, Some(clock.value() as f64 * 1e-9))).collect()
}

/// A core's clock: its own, else that of a core beside it.
fn clock<'a>(timeline: &'a Timeline, cpu: CpuId, policy: &[CpuId]) -> Option<&'a Steps<Hertz>> {
    let of = |cpu: &CpuId| timeline.cpus.get(cpu.index()).map(|cpu| &cpu.frequency);
    let known = |clock: &&Steps<Hertz>| !clock.is_empty();
    of(&cpu).filter(known).or_else(|| policy.iter().filter_map(of).find(known))
}

/// Busy cores, a part each.
pub(super) fn busy_cores(timeline: &Timeline, cpus: &[CpuId]) -> Vec<ParameterPart> {
    let part = |cpu: &CpuId| ParameterPart::new(ParameterOwner::Core(*cpu), busy(timeline, *cpu));
    cpus.iter().map(part).collect()
}

/// The clocks of busy cores, a part each. Before its first event a clock is taken to be what that event says.
pub(super) fn busy_clock(timeline: &Timeline, cpus: &[CpuId]) -> Vec<ParameterPart> {
    let part = |cpu: &CpuId| {
        let busy = busy(timeline, *cpu);
        let mut clock = clock(timeline, *cpu, cpus).map(ghz)?;
        let (from, first) = (busy.first()?.0, clock.first()?);
        if from < first.0 {
            clock = [(from, first.1)].into_iter().chain(clock.iter()).collect();
        }
        let value = combined(&busy, &clock, |busy, ghz| busy * ghz);
        Some(ParameterPart::new(ParameterOwner::Core(*cpu), value))
    };
    cpus.iter().filter_map(part).collect()
}

/// The clock of cores that share it.
pub(super) fn policy_clock(timeline: &Timeline, cpus: &[CpuId]) -> Vec<ParameterPart> {
    let clock = cpus.first().and_then(|first| clock(timeline, *first, cpus));
    let part = |steps| ParameterPart::new(ParameterOwner::Cores(cpus.into()), ghz(steps));
    clock.map(part).into_iter().collect()
}
