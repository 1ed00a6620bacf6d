//! The calls that switched a component on.

use std::collections::BTreeMap;

use wattle_timeline::{CounterScope, NameId, ProcessId, Timeline, Uid, Window};

use super::concurrent_users::Concurrent;
use crate::allocation::{Calls, NamePattern};
use crate::attribution::call_paths::CallTrees;

use super::using_path::{UsingPath, paths_of, uid_of_process};

/// Who holds a component on, over time.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    holding: Concurrent<(UsingPath, Option<Uid>)>,
    /// Sessions that were never ended.
    pub(crate) never_stopped: u64,
}

impl Sessions {
    pub(crate) fn new<'a>(
        timeline: &Timeline,
        trees: &CallTrees,
        sets: impl Iterator<Item = (&'a [NamePattern], &'a [NamePattern])>,
    ) -> Self {
        let mut held = Vec::new();
        let mut never_stopped = 0;
        for (start, stop) in sets {
            if !Calls::are_named(timeline, start) {
                continue;
            }
            let names: Vec<NamePattern> = start.iter().chain(stop).cloned().collect();
            let found = Calls::find(timeline, &names, CounterScope::Global);
            let paths = paths_of(&found.paths, trees);
            let mut calls: Vec<_> = found.amounts.iter().collect();
            calls.sort_by_key(|call| call.window.start);
            // A component is one process's to switch on and off, from whichever thread.
            let mut open: BTreeMap<Option<ProcessId>, Vec<(Window, UsingPath)>> = BTreeMap::new();
            for call in calls {
                let process =
                    timeline.tasks.threads.get(call.thread.index()).and_then(|it| it.process);
                let Some(name) = found.paths.get(call.path as usize).map(|path| path.name) else {
                    continue;
                };
                let matches = |patterns: &[NamePattern], name: NameId| {
                    patterns.iter().any(|pattern| pattern.matches(timeline.names.get(name)))
                };
                let open = open.entry(process).or_default();
                if matches(stop, name)
                    && let Some((begun, path)) = open.pop()
                {
                    let window = Window { start: begun.start, end: call.window.start };
                    held.push((window, (path, uid_of_process(timeline, process))));
                } else if matches(start, name) {
                    let path = paths.get(call.path as usize).copied().unwrap_or_default();
                    open.push((call.window, path));
                }
            }
            for (process, left) in open {
                let facts =
                    process.and_then(|process| timeline.tasks.processes.get(process.index()));
                let end = facts.and_then(|facts| facts.end);
                for (begun, path) in left {
                    never_stopped += 1;
                    // With its process the system takes it back.
                    let end = end.unwrap_or(timeline.window.end).max(begun.start);
                    let window = Window { start: begun.start, end };
                    held.push((window, (path, uid_of_process(timeline, process))));
                }
            }
        }
        Self { holding: Concurrent::new(held), never_stopped }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.holding.is_empty()
    }

    /// Who held it, piece by piece, from an instant on, and their parts of it, which add up to 1; of one app or of all. Paths that
    /// are called the same have one part together.
    pub(crate) fn holders(
        &self,
        from: wattle_units::BootNanos,
        uid: Option<Uid>,
    ) -> impl Iterator<Item = (Window, Vec<(u32, f64)>)> + '_ {
        self.holding.pieces_from(from).map(move |(window, group)| {
            let users = self.holding.users(group).iter();
            let of = users.filter(|(_, holder)| uid.is_none() || *holder == uid);
            let paths: Vec<UsingPath> = of.map(|(path, _)| *path).collect();
            let called = || paths.chunk_by(|one, other| one.called == other.called);
            let names = called().count() as f64;
            let shared = called().flat_map(|paths| {
                let part = 1.0 / names / paths.len() as f64;
                paths.iter().map(move |path| (path.path, part))
            });
            (window, shared.collect())
        })
    }
}
