//! Calls that switch something on, and those that switch it off again: pairs of calls of one process, as attribution pairs them.

use std::collections::BTreeMap;

use wattle_ledger::allocation::NamePattern;
use wattle_ledger::{ApiSets, ApiUse};
use wattle_power::Component;
use wattle_timeline::{NameId, ProcessId, SliceScope, ThreadId, Timeline, Window};
use wattle_units::BootNanos;

use super::code_places;
use super::people;
use crate::CodePlace;

/// From the call that began it to the one that ended it.
#[derive(Clone, Debug)]
pub(super) struct Session {
    /// Who made the call.
    pub(super) process: Option<ProcessId>,
    /// On which thread.
    pub(super) thread: ThreadId,
    /// Until the end, or until its process or the recording ended.
    pub(super) window: Window,
    /// Whether a call ended it, or its process did: then the system took it back.
    pub(super) is_ended: bool,
    /// The call that began it.
    pub(super) place: CodePlace,
}

/// One call.
struct Call {
    time: BootNanos,
    thread: ThreadId,
    process: Option<ProcessId>,
    starts: bool,
    stops: bool,
    track: usize,
    index: usize,
}

/// The sessions of a component, by the built-in sets of calls.
pub(super) fn of_component(timeline: &Timeline, component: &Component) -> Vec<Session> {
    let mut found = Vec::new();
    for set in ApiSets::built_in().iter().filter(|set| set.components.contains(component)) {
        if let ApiUse::Session { start, stop } = &set.uses
            // Without a call that ends it, nobody knows whether it was ended (a torch is switched off by the same call).
            && !stop.is_empty()
        {
            found.extend(between(timeline, start, stop));
        }
    }
    found.sort_by_key(|session| session.window.start);
    found
}

/// The sessions between calls of these names.
pub(super) fn between(
    timeline: &Timeline,
    start: &[NamePattern],
    stop: &[NamePattern],
) -> Vec<Session> {
    // What each name is: there are few names and many slices.
    let matches = |patterns: &[NamePattern], name: &str| patterns.iter().any(|it| it.matches(name));
    let mut kinds: BTreeMap<NameId, (bool, bool)> = BTreeMap::new();
    for (index, name) in (0..).zip(timeline.names.texts()) {
        let kind = (matches(start, name), matches(stop, name));
        if kind != (false, false) {
            kinds.insert(NameId(index), kind);
        }
    }
    if !kinds.values().any(|(starts, _)| *starts) {
        return Vec::new();
    }
    let mut calls = Vec::new();
    for (at, track) in timeline.code.slices.tracks.iter().enumerate() {
        let SliceScope::Thread(thread) = track.scope else { continue };
        for (index, slice) in timeline.code.slices.of(track).enumerate() {
            if let Some((starts, stops)) = kinds.get(&slice.name) {
                let process = people::process_of(timeline, thread);
                let (starts, stops) = (*starts, *stops);
                calls.push(Call {
                    time: slice.start,
                    thread,
                    process,
                    starts,
                    stops,
                    track: at,
                    index,
                });
            }
        }
    }
    calls.sort_by_key(|call| call.time);
    let mut open: BTreeMap<Option<ProcessId>, Vec<Call>> = BTreeMap::new();
    let mut found = Vec::new();
    for call in calls {
        let open = open.entry(call.process).or_default();
        if call.stops
            && let Some(begun) = open.pop()
        {
            found.extend(session(timeline, &begun, call.time, true));
        } else if call.starts {
            open.push(call);
        }
    }
    for (process, left) in open {
        let facts = process.and_then(|process| timeline.tasks.processes.get(process.index()));
        let ended = facts.and_then(|facts| facts.end);
        for begun in left {
            let end = ended.unwrap_or(timeline.window.end);
            found.extend(session(timeline, &begun, end, ended.is_some()));
        }
    }
    found.sort_by_key(|session| session.window.start);
    found
}

fn session(timeline: &Timeline, begun: &Call, end: BootNanos, is_ended: bool) -> Option<Session> {
    let track = timeline.code.slices.tracks.get(begun.track)?;
    Some(Session {
        process: begun.process,
        thread: begun.thread,
        window: Window::new(begun.time, end),
        is_ended,
        place: code_places::of_slice(timeline, track, begun.index)?,
    })
}
