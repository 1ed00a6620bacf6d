//! Who ran when, where only samples tell it.
//!
//! A profiler that recorded no scheduler events still took samples on CPUs, and each stands for the time before it: nanoseconds
//! for a clock, cycles over the clock's frequency for cycles. Nothing is known of the rest. Samples that do not say on which CPU they
//! were taken, and method traces with the clocks of threads, are laid on virtual CPUs.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_units::{BootNanos, Hertz, Nanos};

use super::MAX_CPUS;
use super::thread_clocks::{self, TracedClocks};
use super::virtual_cpus::{Stretch, VirtualCpus};
use crate::{
    CpuId, CpuTimeline, EventId, Note, SampleUnit, SchedSlice, Severity, StackSample, TaskState,
    ThreadId, Timeline, Window,
};

/// Frequencies that CPUs have: what lies outside is a counter that was not the only one's.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 1e8..=1e10;

/// Longest time before the first sample of a thread for which that can stand, where the recording is shorter.
const LONGEST_FIRST: Nanos = Nanos::new(1_000_000_000);

/// Time by which a sample can come late.
const LATE: Nanos = Nanos::new(1_000_000);

/// Time that a sample may stand for, per time since the sample before it. In recordings of simpleperf it is 1.03 at most.
const SLACK: f64 = 1.25;

/// No CPU has a faster clock (hertz).
const FASTEST: f64 = 6.5e9;

/// Fills in the slices of CPUs from samples or from the clocks of threads, if nothing recorded the scheduler.
pub(super) fn infer(timeline: &mut Timeline) {
    if timeline.cpus.iter().any(|cpu| !cpu.sched.is_empty()) {
        if timeline.has_virtual_cpus() {
            let text = "no scheduler events: when threads ran comes from records of the threads alone, which do not say on which CPU; \
                        nothing is known of other threads";
            timeline.quality.notes.push(Note::new(Severity::Warning, "schedule-inferred", text));
        }
        return;
    }
    if let Some(event) = most_sampled(timeline) {
        on_cpus_of_samples(timeline, event);
    }
    if !timeline.is_schedule_inferred() {
        by_thread_clocks(timeline);
    }
}

/// Lays the calls of method traces on virtual CPUs, where their threads' clocks were read.
fn by_thread_clocks(timeline: &mut Timeline) {
    let has_states = has_states(timeline);
    let note = match TracedClocks::new(&timeline.code.slices) {
        TracedClocks::NoCalls => return,
        TracedClocks::Wall => Note::new(
            Severity::Warning,
            "wall-clock-only",
            "the method trace has the times of a wall clock alone, which also runs while a thread waits, so time on a CPU and its energy \
             cannot be estimated; record it with the thread clock (`am profile start --clock-type dual`), or with a trace of the \
             scheduler beside it (`wattle record`)",
        ),
        // Real CPUs are known by their clocks or idle states: threads cannot be laid on them.
        TracedClocks::Thread if has_states => return,
        TracedClocks::Thread => {
            let stretches = thread_clocks::stretches(timeline);
            if stretches.is_empty() {
                return;
            }
            stretches.lay(timeline);
            Note::new(
                Severity::Warning,
                "schedule-inferred",
                "no scheduler events: the time that threads had on CPUs comes from the threads' own clocks in the method trace, which \
                 include the cost of tracing; nothing is known of other threads",
            )
        }
    };
    timeline.quality.notes.push(note);
}

/// Whether clocks or idle states of the device's CPUs are known.
fn has_states(timeline: &Timeline) -> bool {
    timeline.cpus.iter().any(|cpu| !cpu.frequency.is_empty() || !cpu.idle.is_empty())
}

/// Fills in the slices of CPUs from the samples of one event.
fn on_cpus_of_samples(timeline: &mut Timeline, event: EventId) {
    let unit =
        timeline.code.samples.event(event).map_or(SampleUnit::Occurrences, |event| event.unit);
    let mut of_cpu: Vec<Vec<StackSample>> = Vec::new();
    let mut without_cpu = 0_u64;
    for sample in timeline.code.samples.samples.iter().filter(|sample| sample.event == event) {
        let Some(CpuId(cpu)) = sample.cpu.filter(|cpu| cpu.0 < MAX_CPUS) else {
            without_cpu += 1;
            continue;
        };
        // A clock that ticks while the idle task runs says that nothing ran.
        if sample.thread.is_idle() {
            continue;
        }
        if of_cpu.len() <= cpu as usize {
            of_cpu.resize_with(cpu as usize + 1, Vec::new);
        }
        of_cpu[cpu as usize].push(*sample);
    }
    if timeline.cpus.len() < of_cpu.len() {
        timeline.cpus.resize_with(of_cpu.len(), CpuTimeline::default);
    }
    let mut first = timeline.window.start;
    // A weight that was misread must not lengthen the recording without bound.
    let longest = timeline.window.duration().max(LONGEST_FIRST);
    let (mut has_clock, mut too_long) = (true, 0_u64);
    for (cpu, samples) in timeline.cpus.iter_mut().zip(&of_cpu) {
        if samples.is_empty() {
            continue;
        }
        let assumed = (unit == SampleUnit::Cycles).then(|| frequency(samples)).flatten();
        if let Some(frequency) = assumed.filter(|_| cpu.frequency.is_empty()) {
            cpu.frequency.push(timeline.window.start, frequency);
            cpu.frequency_is_polled_before = Some(timeline.window.end);
        }
        has_clock &= !cpu.frequency.is_empty();
        let usual = usual_gap(samples);
        let mut before: FxHashMap<ThreadId, BootNanos> = FxHashMap::default();
        for sample in samples {
            let known = cpu.frequency.at(sample.time).or(cpu.frequency.first().map(|it| it.1));
            let last = before.insert(sample.thread, sample.time);
            let Some(length) = time_of((unit, sample.weight), known, usual) else { continue };
            // What the usual gap stands for was not weighed.
            let weighed = last.filter(|_| sample.weight > 0 && Some(length) != usual);
            let most = weighed.map_or(longest, |last| most_since(unit, known, sample.time - last));
            too_long += u64::from(length > most);
            let window = Window::new(sample.time - length.min(most), sample.time);
            if cpu.sched.is_empty() {
                first = first.min(window.start);
            }
            cpu.sched.push(SchedSlice {
                window,
                thread: sample.thread,
                // Runnable: a sample does not say that the thread left.
                end_state: Some(TaskState(0)),
            });
        }
        cpu.sched_is_inferred = true;
    }
    if !timeline.is_schedule_inferred() {
        if without_cpu > 0 {
            on_virtual_cpus(timeline, event, without_cpu);
        }
        return;
    }
    timeline.window.start = timeline.window.start.min(first);
    let clock = if has_clock {
        "frequencies come from cycles over time where no event told them"
    } else {
        "frequencies are assumed where no event told them"
    };
    let text = format!(
        "no scheduler events: the time that threads had on CPUs comes from the weights of their samples, {clock}, and \
         nothing is known of other threads"
    );
    timeline.quality.notes.push(Note::new(Severity::Warning, "schedule-inferred", text));
    timeline.quality.notes.extend(weights_note(too_long));
}

/// The most time that a sample can stand for, so long after the sample before it of its thread on its CPU: both were taken by one
/// counter. Interrupts come late, and cycles may have been counted at a faster clock than the one that is taken for them.
fn most_since(unit: SampleUnit, clock: Option<Hertz>, gap: Nanos) -> Nanos {
    let clock = clock.filter(|_| unit == SampleUnit::Cycles).map(|clock| clock.value() as f64);
    let times = clock.map_or(SLACK, |clock| (FASTEST / clock.max(1.0)).max(SLACK));
    Nanos::new((gap.value().max(0) as f64 * times) as i64) + LATE
}

/// A warning of samples that stand for more than the recording's length.
fn weights_note(too_long: u64) -> Option<Note> {
    let text = "samples that stand for more time than passed since the sample before them: they are damaged, and count for no more \
                than could have passed";
    let note = Note::new(Severity::Error, "weight-impossible", text);
    (too_long > 0).then(|| note.times(too_long))
}

/// Lays the samples of an event, none of which says on which CPU it was taken, on virtual CPUs.
fn on_virtual_cpus(timeline: &mut Timeline, event: EventId, samples: u64) {
    let (stretches, too_long) =
        if has_states(timeline) { (VirtualCpus::default(), 0) } else { stretches(timeline, event) };
    if stretches.is_empty() {
        let text = "neither scheduler events nor the CPUs of samples were recorded: when threads ran is not known, so they have samples \
                    and no energy";
        let note = Note::new(Severity::Warning, "schedule-unknown", text);
        timeline.quality.notes.push(note.times(samples));
        return;
    }
    timeline.quality.notes.extend(weights_note(too_long));
    stretches.lay(timeline);
    let text = "neither scheduler events nor the CPUs of samples were recorded: the time that threads had on CPUs comes from the weights \
                of their samples, and nothing is known of other threads";
    timeline.quality.notes.push(Note::new(Severity::Warning, "schedule-inferred", text));
}

/// The time before each sample for which it stands, by thread, and the number of samples that stand for more than there was.
fn stretches(timeline: &Timeline, event: EventId) -> (VirtualCpus, u64) {
    let samples = &timeline.code.samples;
    let unit = samples.event(event).map_or(SampleUnit::Occurrences, |event| event.unit);
    let mut of_thread: BTreeMap<ThreadId, Vec<StackSample>> = BTreeMap::new();
    for sample in samples.samples.iter().filter(|it| it.event == event && !it.thread.is_idle()) {
        of_thread.entry(sample.thread).or_default().push(*sample);
    }
    let is_counted = unit == SampleUnit::Cycles;
    // A thread with few samples ran at the clock of the others.
    let all = |of: fn(&[StackSample]) -> Option<u64>| {
        let mut found: Vec<u64> = of_thread.values().filter_map(|it| of(it)).collect();
        found.sort_unstable();
        found.get(found.len() / 2).copied()
    };
    let common = all(|samples| frequency(samples).map(Hertz::value)).map(Hertz::new);
    let usual = all(|samples| usual_gap(samples).and_then(|gap| u64::try_from(gap.value()).ok()));
    let usual = usual.and_then(|gap| i64::try_from(gap).ok()).map(Nanos::new);
    // A weight that was misread must not lengthen the recording without bound.
    let longest = timeline.window.duration().max(LONGEST_FIRST);
    let (mut cpus, mut too_long) = (VirtualCpus::default(), 0_u64);
    for (thread, samples) in &of_thread {
        let clock = frequency(samples).or(common).filter(|_| is_counted);
        let gap = usual_gap(samples).or(usual);
        let mut last = None;
        for sample in samples {
            let Some(length) = time_of((unit, sample.weight), clock, gap) else { continue };
            too_long += u64::from(length > longest);
            let start = sample.time - length.min(longest);
            let start = last.map_or(start, |last| start.max(last));
            last = Some(sample.time);
            cpus.push(Stretch { window: Window::new(start, sample.time), thread: *thread, clock });
        }
    }
    (cpus, too_long)
}

/// The time for which a sample of this unit and weight stands, at the clock if that is known; without a weight or a clock the usual
/// time between two samples.
fn time_of(
    (unit, weight): (SampleUnit, u64),
    clock: Option<Hertz>,
    usual: Option<Nanos>,
) -> Option<Nanos> {
    match (unit, weight) {
        (_, 0) | (SampleUnit::Occurrences, _) => usual,
        (SampleUnit::Nanos, weight) => Some(Nanos::new(i64::try_from(weight).unwrap_or(i64::MAX))),
        (SampleUnit::Cycles, weight) => {
            let hertz = clock.map(|hertz| hertz.value() as f64).filter(|hertz| *hertz > 0.0);
            hertz.map_or(usual, |hertz| Some(Nanos::new((weight as f64 / hertz * 1e9) as i64)))
        }
    }
}

/// The event that ticks while threads run of which there are most samples.
fn most_sampled(timeline: &Timeline) -> Option<EventId> {
    let samples = &timeline.code.samples;
    let mut counts = vec![0_u64; samples.events.len()];
    for sample in &samples.samples {
        if let Some(count) = counts.get_mut(usize::from(sample.event.0)) {
            *count += 1;
        }
    }
    let events = (0_u16..).map(EventId).zip(counts);
    let ticking = events.filter(|(event, count)| {
        let unit = samples.event(*event).map(|event| event.unit);
        *count > 0 && unit.is_some_and(|unit| unit != SampleUnit::Occurrences)
    });
    ticking.max_by_key(|(event, count)| (*count, u16::MAX - event.0)).map(|(event, _)| event)
}

/// Times between samples of one thread that follow each other.
fn gaps(samples: &[StackSample]) -> impl Iterator<Item = (Nanos, &StackSample)> {
    samples.windows(2).filter_map(|pair| match pair {
        [one, other] if one.thread == other.thread && one.time < other.time => {
            Some((other.time - one.time, other))
        }
        _ => None,
    })
}

/// The median of those, for samples of which nothing says how much they stand for.
fn usual_gap(samples: &[StackSample]) -> Option<Nanos> {
    let mut found: Vec<Nanos> = gaps(samples).map(|(gap, _)| gap).collect();
    found.sort_unstable();
    found.get(found.len() / 2).copied()
}

/// The frequency at which cycles were counted: a CPU that runs from one sample to the next counts as many cycles as its clock
/// ticks, one that sleeps in between counts fewer, so the nine-tenths quantile is taken.
fn frequency(samples: &[StackSample]) -> Option<Hertz> {
    let mut rates: Vec<f64> = gaps(samples)
        .map(|(gap, sample)| sample.weight as f64 / gap.value() as f64 * 1e9)
        .filter(|rate| PLAUSIBLE.contains(rate))
        .collect();
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() * 9 / 10).map(|rate| Hertz::new(*rate as u64))
}

#[cfg(test)]
mod tests {
    use wattle_units::BootNanos;

    use super::*;
    use crate::{NameId, SampleEvent, ThreadId, TimelineBuilder};

    /// (time, cpu, tid, weight)
    type Sample = (i64, Option<u32>, u32, u64);

    fn build(unit: SampleUnit, samples: &[Sample]) -> Timeline {
        let mut builder = TimelineBuilder::new();
        let event = builder.samples().event(SampleEvent { name: NameId(0), unit });
        for (time, cpu, tid, weight) in samples {
            let (time, thread) = (BootNanos::new(*time), ThreadId(*tid));
            let (cpu, weight, is_truncated) = (cpu.map(CpuId), *weight, false);
            let sample = StackSample { time, cpu, thread, site: None, event, weight, is_truncated };
            builder.samples().sample(Some(*tid), sample);
        }
        builder.finish()
    }

    /// The slices of the CPUs as (start, end, tid).
    #[track_caller]
    fn check(unit: SampleUnit, samples: &[Sample], expected: &[&[(i64, i64, u32)]]) {
        let timeline = build(unit, samples);
        let found: Vec<Vec<_>> = timeline
            .cpus
            .iter()
            .map(|cpu| {
                assert_eq!(cpu.sched_is_inferred, !cpu.sched.is_empty());
                let slices = cpu.sched.iter();
                slices
                    .map(|slice| {
                        let tid = timeline.tasks.threads[slice.thread.index()].tid.0;
                        (slice.window.start.value(), slice.window.end.value(), tid)
                    })
                    .collect()
            })
            .collect();
        assert_eq!(found, expected);
        for slice in found.iter().flatten() {
            assert!(timeline.window.start.value() <= slice.0);
        }
    }

    #[test]
    fn a_sample_of_a_clock_stands_for_its_period() {
        let unit = SampleUnit::Nanos;
        check(unit, &[(100, Some(1), 7, 10)], &[&[], &[(90, 100, 7)]]);
        // Two threads on one CPU share its time, never more than there was.
        check(
            unit,
            &[(100, Some(0), 7, 10), (104, Some(0), 8, 10), (120, Some(0), 7, 10)],
            &[&[(90, 100, 7), (100, 104, 8), (110, 120, 7)]],
        );
        // The idle task has no time of its own.
        check(unit, &[(100, Some(0), 0, 10), (130, Some(0), 7, 10)], &[&[(120, 130, 7)]]);
        // Without CPU numbers threads are laid on as many as ran at one time.
        check(unit, &[(100, None, 7, 10)], &[&[(90, 100, 7)]]);
        check(
            unit,
            &[(100, None, 7, 10), (104, None, 8, 10), (105, None, 7, 10), (120, None, 7, 10)],
            &[&[(90, 100, 7), (100, 105, 7), (110, 120, 7)], &[(94, 104, 8)]],
        );
    }

    #[test]
    fn a_sample_of_cycles_stands_for_them_at_the_clock_that_they_show() {
        // 2 GHz: 2,000 cycles in 1,000 ns; once the thread slept.
        let samples: Vec<Sample> = [1_000, 2_000, 3_000, 4_000, 9_000]
            .into_iter()
            .map(|time| (time, Some(0), 7, 2_000))
            .collect();
        let slices: Vec<_> = samples.iter().map(|it| (it.0 - 1_000, it.0, 7)).collect();
        check(SampleUnit::Cycles, &samples, &[&slices]);
        let timeline = build(SampleUnit::Cycles, &samples);
        assert_eq!(timeline.cpus[0].frequency.last().map(|it| it.1.value()), Some(2_000_000_000));
    }

    #[test]
    fn what_only_happens_says_nothing_of_time() {
        check(SampleUnit::Occurrences, &[(100, Some(0), 7, 1)], &[]);
    }

    #[test]
    fn without_weights_the_usual_gap_counts() {
        let samples: Vec<Sample> = (1..6).map(|i| (i * 100, Some(0), 7, 0)).collect();
        let slices: Vec<_> = (1..6).map(|i| ((i - 1) * 100, i * 100, 7)).collect();
        check(SampleUnit::Nanos, &samples, &[&slices]);
    }
}
