//! CPUs of a ledger, and the time for which nothing is known of them.

use std::collections::BTreeMap;

use wattle_power::{PowerTrack, Scope};
use wattle_timeline::{Note, Severity, Timeline};
use wattle_units::{CompensatedSum, Joules, Nanos};

use crate::CpuEntry;
use crate::attribution::bookings::TrackBookings;
use crate::attribution::occupancy::CoreOccupancy;

/// The energy of each core by source, and its busy time.
pub(super) fn entries(
    timeline: &Timeline,
    cores: &[CoreOccupancy],
    tracks: &[PowerTrack],
    booked: &[TrackBookings],
) -> Vec<CpuEntry> {
    let mut sources: BTreeMap<u32, BTreeMap<_, CompensatedSum>> = BTreeMap::new();
    for (track, booked) in tracks.iter().zip(booked) {
        if let Scope::Core(cpu) = track.scope {
            let of_cpu = sources.entry(cpu.0).or_default();
            // A core that drew nothing all the time has a source, too: unlike one that nothing watched.
            if let Some(segment) = track.get(0) {
                of_cpu.entry(segment.source).or_default();
            }
            for (key, sum) in &booked.lines {
                of_cpu.entry(key.source()).or_default().merge(*sum);
            }
        }
    }
    let known = timeline.cpus.len() as u32;
    let mut numbers: Vec<u32> = (0..known).chain(sources.keys().copied()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
        .into_iter()
        .map(|cpu| {
            let scheduled =
                timeline.cpus.get(cpu as usize).is_some_and(|facts| !facts.sched.is_empty());
            let busy = cores.get(cpu as usize).map(|core| Nanos::new(core.busy));
            let joules_by_source = sources
                .remove(&cpu)
                .unwrap_or_default()
                .into_iter()
                .map(|(source, sum)| (source, Joules::new(sum.value())))
                .collect();
            let is_virtual = timeline.has_virtual_cpus();
            CpuEntry { cpu, joules_by_source, busy: busy.filter(|_| scheduled), is_virtual }
        })
        .collect()
}

/// A note on the time for which nothing is known of cores.
pub(super) fn blind_time(timeline: &Timeline, cores: &[CoreOccupancy]) -> Option<Note> {
    if timeline.cpus.is_empty() && !timeline.system.usage.is_empty() {
        // Totals by app need no scheduler.
        return None;
    }
    if timeline.cpus.iter().all(|cpu| cpu.sched.is_empty()) {
        return Some(Note::new(
            Severity::Warning,
            "no-scheduler",
            "the recording has no scheduler events (sched_switch): what cores drew while not idle \
             is unattributed",
        ));
    }
    let blind: Vec<Nanos> =
        cores.iter().map(|core| Nanos::new(core.unknown)).filter(|time| time.value() > 0).collect();
    let longest = blind.iter().max()?;
    Some(
        Note::new(
            Severity::Info,
            "scheduler-gaps",
            format!(
                "for {} of core time nobody is known to have been on the core (longest on one \
                 core: {longest}); what was drawn then is unattributed",
                blind.iter().copied().sum::<Nanos>()
            ),
        )
        .times(blind.len() as u64),
    )
}
