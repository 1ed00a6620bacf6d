//! The cost of probes.

use wattle_timeline::Timeline;
use wattle_units::{Joules, Nanos};

use crate::attribution::bookings::{Lines, Owners};
use crate::attribution::call_paths::CallPaths;
use crate::attribution::consumer::Consumer;
use crate::attribution::occupancy::PathTimes;
use crate::{ProbeCostEntry, ProbeOverhead};

/// The sheet of the probes' cost; `None` where no code has probes.
pub(super) fn sheet(
    timeline: &Timeline,
    paths: &CallPaths,
    probe_cpu: &[Nanos],
) -> Option<ProbeOverhead> {
    if paths.probes.is_empty() {
        return None;
    }
    let mut found =
        ProbeOverhead { cpu: probe_cpu.iter().copied().sum(), ..ProbeOverhead::default() };
    for count in paths.trees.probes() {
        found.events += count.events;
        found.unpriced += count.unpriced;
        found.short_calls += count.short;
    }
    found.costs = timeline
        .code
        .probe_costs
        .iter()
        .map(|cost| ProbeCostEntry {
            pid: cost
                .process
                .and_then(|process| timeline.tasks.processes.get(process.index()))
                .map(|process| process.pid.0),
            pair: cost.pair,
            low: cost.low,
            high: cost.high,
            inside: cost.inside,
            pairs: cost.pairs,
        })
        .collect();
    Some(found)
}

/// The energy of probes and the recorder's threads inside the app for each joule of the app's own; by time on a CPU where no
/// energy is known. `None` where the app drew nothing.
pub(super) fn share(
    timeline: &Timeline,
    paths: &CallPaths,
    lines: &Lines,
    cpu: &PathTimes,
) -> Option<f64> {
    let owners = if timeline.tasks.apps.is_empty() {
        Owners::from_processes(paths.probes.processes(timeline))
    } else {
        Owners::new(timeline)
    };
    let own_paths = owners.paths(timeline, &paths.trees);
    let is_own = |path: u32| owners.owns(&own_paths, Consumer::Path(path));
    let (mut own, mut taken) = (0.0, 0.0);
    for (consumer, joules) in lines.sums() {
        match consumer {
            Consumer::Path(path) if is_own(path) => own += joules.value(),
            Consumer::Probes(path) if is_own(path) => taken += joules.value(),
            // The probes' own thread: the recorder's other processes are no app's.
            Consumer::Recorder(path) if is_own(path) => taken += joules.value(),
            _ => {}
        }
    }
    if own + taken <= Joules::ZERO.value() {
        let sum = |times: &[Nanos]| {
            let own = (0..).zip(times).filter(|(path, _)| is_own(*path));
            own.map(|(_, time)| time.seconds()).sum::<f64>()
        };
        (own, taken) = (sum(&cpu.own), sum(&cpu.probes));
    }
    (own > 0.0).then(|| taken / own)
}
