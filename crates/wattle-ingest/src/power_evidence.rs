//! Whether a timeline holds anything that energy can be computed from.

use wattle_timeline::{
    CounterScope, CpuTimeline, GpuTimeline, Note, OperatingSystem, Severity, Timeline,
};

/// Returns the note on a timeline without any energy in it: a trace of programs' marks alone, a log, records of probes.
/// `None` if there is something.
pub(crate) fn missing(timeline: &Timeline) -> Option<Note> {
    if is_measured(timeline) || is_modelled(timeline) {
        return None;
    }
    Some(Note::new(Severity::Warning, "no-power-data", reason(timeline)))
}

/// The missing data, and how such a recording gets it.
fn reason(timeline: &Timeline) -> &'static str {
    let artifacts = &timeline.quality.artifacts;
    if timeline.device.system == Some(OperatingSystem::Windows) {
        return "the log does not say when the CPUs were busy (no context switches, CSwitch) and contains no power readings, so no \
                energy can be computed; record with `wpr -start CPU -start Power`, or with PerfView and its kernel event ContextSwitch";
    }
    if !artifacts.is_empty() && artifacts.iter().all(|artifact| artifact.format == "logcat") {
        return "a log says what happened and not what drew power, so no energy can be computed; record the run with `wattle record`, \
                which keeps the log beside a trace, or give the trace of the same run as a second file";
    }
    "the files do not say when the CPUs were busy (sched_switch, cpu_idle), and contain no readings of rails, batteries or meters \
     and no states or totals of the system, so no energy can be computed; record the run with `wattle record`, or a trace with the \
     kernel's events (`atrace sched freq idle`)"
}

/// Somebody read what was drawn.
fn is_measured(timeline: &Timeline) -> bool {
    !timeline.energy.rails.is_empty()
        || !timeline.energy.batteries.is_empty()
        || !timeline.energy.meters.is_empty()
        || !timeline.energy.consumer_samples.is_empty()
}

/// Models have something to begin with.
fn is_modelled(timeline: &Timeline) -> bool {
    let is_busy_known = |cpu: &CpuTimeline| {
        !cpu.sched.is_empty() || !cpu.idle.is_empty() || !cpu.frequency.is_empty()
    };
    let is_clocked = |gpu: &GpuTimeline| !gpu.frequency.is_empty() || !gpu.power_state.is_empty();
    timeline.cpus.iter().any(is_busy_known)
        || timeline.hardware.gpus.iter().any(is_clocked)
        || !timeline.hardware.tpus.is_empty()
        || !timeline.system.states.is_empty()
        || !timeline.system.usage.is_empty()
        || !timeline.code.clocked_calls.is_empty()
        || !timeline.hardware.packets.is_empty()
        || has_counters(timeline)
}

/// Bytes of interfaces or disks, or busy times of CPUs, were counted.
fn has_counters(timeline: &Timeline) -> bool {
    let names = timeline.system.counters.iter().filter(|track| track.scope == CounterScope::Global);
    let mut names = names.map(|track| timeline.names.get(track.name));
    names.any(|name| {
        let is_counted = name.starts_with("net.") || name.starts_with("disk.");
        (is_counted && name.ends_with("_bytes"))
            || (name.starts_with("cpu.") && name.strip_suffix(".busy").is_some())
    })
}
