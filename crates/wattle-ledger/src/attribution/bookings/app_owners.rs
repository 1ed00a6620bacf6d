//! Whose energy is the app's own.

use std::collections::BTreeSet;

use wattle_timeline::{Timeline, Uid, process_base};

use super::span_owner::SpanOwner;
use crate::attribution::call_paths::CallTrees;
use crate::attribution::consumer::Consumer;

/// The processes of the apps that a recording was made of.
///
/// A process is an app's when its package says so, or when it bears the package's name up to a colon. From there on
/// the uid decides, so that a shared uid is one app. Without a named app, everything is.
#[derive(Debug)]
pub(crate) struct Owners {
    /// By process; `None`: all of them.
    processes: Option<Vec<bool>>,
    uids: BTreeSet<Uid>,
}

impl Owners {
    pub(crate) fn new(timeline: &Timeline) -> Self {
        if timeline.tasks.apps.is_empty() {
            return Self { processes: None, uids: BTreeSet::new() };
        }
        let mut uids = BTreeSet::new();
        let mut processes = vec![false; timeline.tasks.processes.len()];
        for app in &timeline.tasks.apps {
            let package = timeline.names.get(*app);
            for (own, process) in processes.iter_mut().zip(&timeline.tasks.processes) {
                let said = process.package == Some(*app);
                if said
                    || process
                        .name
                        .is_some_and(|name| process_base(timeline.names.get(name)) == package)
                {
                    *own = true;
                    uids.extend(process.uid.filter(|uid| !uid.is_isolated()));
                }
            }
        }
        for (own, process) in processes.iter_mut().zip(&timeline.tasks.processes) {
            *own |= process.uid.is_some_and(|uid| uids.contains(&uid));
        }
        Self { processes: Some(processes), uids }
    }

    /// Those processes, whatever they are.
    pub(crate) fn from_processes(processes: Vec<bool>) -> Self {
        Self { processes: Some(processes), uids: BTreeSet::new() }
    }

    /// By call path: whether it is the app's own. Empty: all of them are.
    pub(crate) fn paths(&self, timeline: &Timeline, calls: &CallTrees) -> Vec<bool> {
        let Some(processes) = &self.processes else { return Vec::new() };
        let mut paths = vec![false; calls.len()];
        for (index, thread) in (0..).zip(&timeline.tasks.threads) {
            let process = thread.process.and_then(|process| processes.get(process.index()));
            if process == Some(&true) {
                let thread = wattle_timeline::ThreadId(index);
                let root = calls.root(thread) as usize;
                let last = root + calls.nodes(thread).len();
                if let Some(paths) = paths.get_mut(root..last) {
                    paths.fill(true);
                }
            }
        }
        paths
    }

    /// Whether the energy of an owner is that of the app's own code or hardware.
    pub(crate) fn owns_part(&self, owner: SpanOwner) -> bool {
        match (owner, &self.processes) {
            (SpanOwner::Nobody, _) => false,
            (SpanOwner::Process(_) | SpanOwner::App(_), None) => true,
            (SpanOwner::Process(process), Some(processes)) => {
                process.and_then(|process| processes.get(process.index())) == Some(&true)
            }
            (SpanOwner::App(uid), Some(_)) => self.uids.contains(&uid),
        }
    }

    /// Whether a consumer is the app's own code or hardware; `paths` is what [`Self::paths`] gave.
    #[inline]
    pub(crate) fn owns(&self, paths: &[bool], consumer: Consumer) -> bool {
        match consumer {
            Consumer::Path(path) => {
                paths.is_empty() || paths.get(path as usize).copied().unwrap_or(false)
            }
            Consumer::App(uid) => self.processes.is_none() || self.uids.contains(&Uid(uid)),
            _ => false,
        }
    }
}
