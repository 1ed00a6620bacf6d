//! Who holds a part of the device, at each instant.

use std::collections::BTreeMap;

use wattle_timeline::{CounterScope, StateTrack, Timeline, Uid, Window};
use wattle_units::BootNanos;

use crate::work;

/// One stretch in which nobody took or let go of anything.
pub(super) struct StateStretch<'a> {
    pub(super) window: Window,
    /// The level of the device's own state; `None` where it is not known.
    pub(super) device: Option<u32>,
    /// Apps that hold it, and by how many states each (tags).
    pub(super) apps: &'a BTreeMap<Uid, u32>,
}

/// Whose a state is.
pub(super) fn owner(timeline: &Timeline, scope: CounterScope) -> Option<Uid> {
    let of_process = |id: wattle_timeline::ProcessId| timeline.tasks.processes.get(id.index())?.uid;
    match scope {
        CounterScope::Uid(uid) => Some(uid),
        CounterScope::Process(id) => of_process(id),
        CounterScope::Thread(id) => of_process(timeline.tasks.threads.get(id.index())?.process?),
        CounterScope::Global | CounterScope::Cpu(_) => None,
    }
}

/// Goes through the window in order of time. Stretches are cut where any of the states changes; what lies before the
/// first change is a stretch without a level.
pub(super) fn sweep<'a>(
    timeline: &Timeline,
    tracks: impl Iterator<Item = &'a StateTrack>,
    window: Window,
    mut visit: impl FnMut(StateStretch<'_>),
) {
    let tracks: Vec<&StateTrack> = tracks.collect();
    let owners: Vec<Option<Uid>> =
        tracks.iter().map(|track| owner(timeline, track.scope)).collect();
    let mut changes: Vec<(BootNanos, usize, u32)> = Vec::new();
    for (index, track) in tracks.iter().enumerate() {
        for segment in track.level.segments(window) {
            changes.push((segment.window.start, index, segment.value));
        }
    }
    changes.sort_unstable();
    let mut now = window.start;
    // The device's levels: the highest of several states of one kind holds.
    let mut device: BTreeMap<u32, u32> = BTreeMap::new();
    let mut levels: Vec<Option<u32>> = vec![None; tracks.len()];
    let mut apps: BTreeMap<Uid, u32> = BTreeMap::new();
    let mut holds = vec![false; tracks.len()];
    for (time, index, level) in changes {
        work::count();
        if time > now {
            let highest = device.last_key_value().map(|(level, _)| *level);
            visit(StateStretch { window: Window::new(now, time), device: highest, apps: &apps });
            now = time;
        }
        let (Some(held), Some(owner)) = (holds.get_mut(index), owners.get(index)) else { continue };
        let Some(uid) = owner else {
            let before = levels.get_mut(index).and_then(|before| before.replace(level));
            if let Some(before) = before
                && let Some(count) = device.get_mut(&before)
            {
                *count -= 1;
                if *count == 0 {
                    device.remove(&before);
                }
            }
            *device.entry(level).or_default() += 1;
            continue;
        };
        if *held == (level > 0) {
            continue;
        }
        *held = level > 0;
        if *held {
            *apps.entry(*uid).or_default() += 1;
        } else if let Some(count) = apps.get_mut(uid) {
            *count -= 1;
            if *count == 0 {
                apps.remove(uid);
            }
        }
    }
    if now < window.end {
        let highest = device.last_key_value().map(|(level, _)| *level);
        visit(StateStretch { window: Window::new(now, window.end), device: highest, apps: &apps });
    }
}
