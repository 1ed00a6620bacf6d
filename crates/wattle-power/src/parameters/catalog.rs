//! Parameters by name.

use wattle_timeline::{CpuId, GpuTimeline, Steps, Timeline};
use wattle_units::Hertz;

use super::parameter::combined;
use super::{
    Parameter, ParameterOwner, ParameterPart, clock_topology, counter_parameters, cpu_parameters,
    state_parameters,
};
use crate::{DeviceModel, ParameterName};

/// A parameter of a recording; `None` where the recording does not hold it. Policies are those of the model where it has
/// any, else CPUs that share a clock.
pub fn parameter(
    timeline: &Timeline,
    name: &str,
    model: Option<&DeviceModel>,
) -> Option<Parameter> {
    let cpus = |policy: Option<u32>| -> Vec<CpuId> {
        let policies = clock_topology::policies(timeline, model);
        let wanted =
            policies.into_iter().filter(|(id, _)| policy.is_none_or(|policy| policy == *id));
        wanted.flat_map(|(_, cpus)| cpus).collect()
    };
    let gpu = |id: u32| timeline.hardware.gpus.iter().find(|gpu| gpu.id == id);
    let level =
        |counter: &str| Parameter::new(name, "", counter_parameters::level(timeline, counter));
    let rate = |counter: &str| {
        let unit = if counter.ends_with("_bytes") { "B/s" } else { "1/s" };
        let parts = counter_parameters::rate(timeline, counter)
            .or_else(|| counter_parameters::packets(timeline, counter))?;
        Parameter::new(name, unit, parts)
    };
    match ParameterName::from(name) {
        ParameterName::Constant => {
            let always = [(timeline.window.start, Some(1.0))].into_iter().collect();
            let part = ParameterPart::new(ParameterOwner::Device, always);
            Parameter::new(name, "", vec![part])
        }
        ParameterName::CpuBusy(policy) => {
            let cpus = cpus(policy);
            Parameter::new(name, "core", cpu_parameters::busy_cores(timeline, &cpus))
        }
        ParameterName::CpuBusyClock(policy) => {
            let policies = clock_topology::policies(timeline, model).into_iter();
            let wanted = policies.filter(|(id, _)| policy.is_none_or(|policy| policy == *id));
            let parts =
                wanted.flat_map(|(_, cpus)| cpu_parameters::busy_clock(timeline, &cpus)).collect();
            Parameter::new(name, "GHz", parts)
        }
        ParameterName::CpuClock(policy) => {
            Parameter::new(name, "GHz", cpu_parameters::policy_clock(timeline, &cpus(Some(policy))))
        }
        ParameterName::GpuClock(id) => {
            let owner = ParameterOwner::Gpu(id);
            let value = ghz(&gpu(id)?.frequency);
            Parameter::new(name, "GHz", vec![ParameterPart::new(owner, value)])
        }
        ParameterName::GpuBusy(id) => Parameter::new(name, "", gpu_busy(timeline, gpu(id)?)),
        ParameterName::BusClock(device) => {
            let id = timeline.names.find(&device)?;
            let track = timeline.hardware.devfreq.iter().find(|track| track.name == id)?;
            let value = ghz(&track.frequency);
            Parameter::new(name, "GHz", vec![ParameterPart::new(ParameterOwner::Device, value)])
        }
        ParameterName::ScreenOn => Parameter::new(name, "", state_parameters::screen_on(timeline)),
        ParameterName::ScreenBrightness => {
            Parameter::new(name, "", state_parameters::brightness(timeline))
        }
        ParameterName::State(kind, wanted) => {
            let of_kind = |track: &wattle_timeline::StateTrack| {
                state_parameters::kind_name(track.kind) == kind
            };
            let value = |level: u32| match wanted {
                Some(wanted) => f64::from(u8::from(level == wanted)),
                None => f64::from(level),
            };
            Parameter::new(name, "", state_parameters::parts(timeline, of_kind, value))
        }
        ParameterName::Rate(counter) => rate(&counter),
        ParameterName::Level(counter) => level(&counter),
        ParameterName::Counter(counter) => {
            let is_there = counter_parameters::tracks(timeline, &counter).next().is_some();
            if is_there && !counter_parameters::is_cumulative(timeline, &counter) {
                level(&counter)
            } else {
                rate(&counter)
            }
        }
    }
}

fn ghz(clock: &Steps<Hertz>) -> Steps<Option<f64>> {
    clock.iter().map(|(time, clock)| (time, Some(clock.value() as f64 * 1e-9))).collect()
}

/// The part of the time in which the GPU worked, by app.
fn gpu_busy(timeline: &Timeline, gpu: &GpuTimeline) -> Vec<ParameterPart> {
    let mut apps: Vec<(wattle_timeline::Uid, Steps<Option<f64>>)> = Vec::new();
    for work in gpu.work.iter().filter(|work| !work.window.is_empty()) {
        let share = work.active.seconds() / work.window.duration().seconds();
        let mut value = Steps::default();
        value.push(work.window.start, Some(share));
        value.push(work.window.end, Some(0.0));
        match apps.iter_mut().find(|(uid, _)| *uid == work.uid) {
            Some((_, steps)) => {
                for (time, value) in value.iter() {
                    steps.push(time, value);
                }
            }
            None => apps.push((work.uid, value)),
        }
    }
    let always: Steps<Option<f64>> = [(timeline.window.start, Some(0.0))].into_iter().collect();
    let part = |(uid, value): (_, Steps<Option<f64>>)| {
        let first = value.first().map(|(time, _)| time);
        let value = match first {
            Some(first) if first > timeline.window.start => {
                always.iter().chain(value.iter()).collect()
            }
            _ => combined(&value, &always, |busy, _| busy),
        };
        ParameterPart::new(ParameterOwner::App(uid), value)
    };
    apps.into_iter().map(part).collect()
}

/// The names of the parameters that a recording holds, in order; counters are among them under their own names.
pub fn parameter_names(timeline: &Timeline, model: Option<&DeviceModel>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for what in ["cpu.busy", "cpu.busy_ghz"] {
        names.push(what.to_owned());
    }
    for (policy, _) in clock_topology::policies(timeline, model) {
        names.extend(["busy", "busy_ghz", "ghz"].map(|what| format!("cpu.policy{policy}.{what}")));
    }
    for gpu in &timeline.hardware.gpus {
        names.extend(["ghz", "busy"].map(|what| format!("gpu.{}.{what}", gpu.id)));
    }
    for track in &timeline.hardware.devfreq {
        names.push(format!("devfreq.{}.ghz", timeline.names.get(track.name)));
    }
    names.extend(["screen.on", "screen.brightness"].map(str::to_owned));
    names.extend(
        timeline
            .system
            .states
            .iter()
            .map(|track| format!("state.{}", state_parameters::kind_name(track.kind))),
    );
    let mut seen = std::collections::BTreeSet::new();
    for packet in &timeline.hardware.packets {
        if seen.insert(packet.interface) {
            let interface = timeline.names.get(packet.interface);
            names.extend(["rx_bytes", "tx_bytes"].map(|what| format!("net.{interface}.{what}")));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()) && parameter(timeline, name, model).is_some());
    let counters =
        timeline.system.counters.iter().map(|track| timeline.names.get(track.name).to_owned());
    names.extend(counters.filter(|name| seen.insert(name.clone())));
    names
}
