//! Who used each component.

use rustc_hash::FxHashMap;
use wattle_power::{Component, PowerTrack, Scope};
use wattle_timeline::{NameId, Note, ProcessId, Severity, ThreadId, Timeline, Uid};

use super::sessions::Sessions;
use super::transfers::Transfers;
use crate::allocation::{CallPath, Calls};
use crate::call_tree::{CallTrees, Callee};
use crate::{ApiSets, Prefer};

/// The users of one component.
#[derive(Debug, Default)]
pub(crate) struct Users {
    pub(crate) transfers: Transfers,
    pub(crate) sessions: Sessions,
}

/// The users of all components that are not cores.
#[derive(Debug, Default)]
pub(crate) struct DeviceUsers {
    components: Vec<(Component, Users)>,
}

impl DeviceUsers {
    /// Looks for the calls of every component that has a track of its own.
    pub(crate) fn new(
        timeline: &Timeline,
        trees: &CallTrees,
        tracks: &[PowerTrack],
        sets: &ApiSets,
        prefer: Prefer,
    ) -> Self {
        let mut found = Self::default();
        if timeline.slices.is_empty() {
            return found;
        }
        for track in tracks {
            let has_users = matches!(track.scope, Scope::Device | Scope::App(_) | Scope::Tail(_));
            if !has_users || found.of(&track.component).is_some() {
                continue;
            }
            let names = sets.transfers(&track.component);
            let transfers = if Calls::are_named(timeline, &names) {
                Transfers::new(timeline, trees, &names, prefer)
            } else {
                Transfers::default()
            };
            let sessions = Sessions::new(timeline, trees, sets.sessions(&track.component));
            found.components.push((track.component.clone(), Users { transfers, sessions }));
        }
        found
    }

    /// Those of one component.
    pub(crate) fn of(&self, component: &Component) -> Option<&Users> {
        self.components.iter().find(|(known, _)| known == component).map(|(_, users)| users)
    }

    /// What a reader should know of them.
    pub(crate) fn notes(&self) -> impl Iterator<Item = Note> {
        self.components.iter().filter(|(_, users)| users.sessions.never_stopped > 0).map(
            |(component, users)| {
                let text = format!(
                    "{component}: calls switched it on and none switched it off again inside the recording: they pay \
                     for it until their process ends"
                );
                Note::new(Severity::Warning, "never-stopped", text)
                    .times(users.sessions.never_stopped)
            },
        )
    }
}

/// The app of a thread's process.
pub(super) fn uid_of(timeline: &Timeline, thread: ThreadId) -> Option<Uid> {
    uid_of_process(timeline, timeline.threads.get(thread.index())?.process)
}

pub(super) fn uid_of_process(timeline: &Timeline, process: Option<ProcessId>) -> Option<Uid> {
    timeline.processes.get(process?.index())?.uid
}

/// A call path that uses a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UsingPath {
    /// The same for paths that are called the same. Who shares with whom must not depend on whether places in the code are known.
    pub(super) called: u32,
    /// Its number in the call trees.
    pub(super) path: u32,
}

/// The numbers that call trees give to the paths of an allocation.
pub(super) fn paths_of(paths: &[CallPath], trees: &CallTrees) -> Vec<UsingPath> {
    let mut callees: FxHashMap<(u32, Callee), u32> = FxHashMap::default();
    let mut called: FxHashMap<(ThreadId, Option<(u32, NameId)>), u32> = FxHashMap::default();
    let mut known = rustc_hash::FxHashSet::default();
    let mut numbers: Vec<UsingPath> = Vec::with_capacity(paths.len());
    for (next, path) in (0_u32..).zip(paths) {
        let root = trees.root(path.thread);
        if known.insert(path.thread) {
            for (index, node) in (0_u32..).zip(trees.nodes(path.thread)) {
                if let (Some(caller), Some(name)) = (node.caller, node.name) {
                    callees.insert((root + caller, Callee::new(name, node.site)), root + index);
                }
            }
        }
        // Callers come before their callees.
        let caller = path.caller.and_then(|caller| numbers.get(caller as usize).copied());
        let root = UsingPath {
            called: *called.entry((path.thread, None)).or_insert(2 * next),
            path: root,
        };
        let caller = caller.unwrap_or(root);
        let callee = Callee::new(path.name, path.site);
        numbers.push(callees.get(&(caller.path, callee)).map_or(root, |number| {
            let key = (path.thread, Some((caller.called, path.name)));
            // The root comes before all other paths of its thread.
            UsingPath { called: *called.entry(key).or_insert(2 * next + 1), path: *number }
        }));
    }
    numbers
}
