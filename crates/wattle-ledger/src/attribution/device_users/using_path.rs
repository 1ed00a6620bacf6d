//! Call paths that use a component.

use rustc_hash::FxHashMap;
use wattle_timeline::{NameId, ProcessId, ThreadId, Timeline, Uid};

use crate::allocation::CallPath;
use crate::attribution::call_paths::CallTrees;
use crate::callee::Callee;

/// The app of a thread's process.
pub(super) fn uid_of(timeline: &Timeline, thread: ThreadId) -> Option<Uid> {
    uid_of_process(timeline, timeline.tasks.threads.get(thread.index())?.process)
}

pub(super) fn uid_of_process(timeline: &Timeline, process: Option<ProcessId>) -> Option<Uid> {
    timeline.tasks.processes.get(process?.index())?.uid
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
