//! The consumers that energies of stretches are kept apart by.

use wattle_timeline::{ProcessId, ThreadId, Timeline, Uid};

use crate::attribution::call_paths::CallTrees;
use crate::attribution::consumer::Consumer;

/// The consumer of an energy in a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum SpanOwner {
    /// A process; `None` for threads of which it is not known.
    Process(Option<ProcessId>),
    /// An app of which only the uid is known.
    App(Uid),
    /// No process and no app.
    Nobody,
}

/// By call path the owner of its energy.
#[derive(Debug, Default)]
pub(crate) struct SpanOwners {
    paths: Vec<Option<ProcessId>>,
}

impl SpanOwners {
    /// Of all call paths.
    pub(crate) fn new(timeline: &Timeline, calls: &CallTrees) -> Self {
        let mut paths = vec![None; calls.len()];
        for (index, thread) in (0..).zip(&timeline.tasks.threads) {
            let thread_id = ThreadId(index);
            let root = calls.root(thread_id) as usize;
            let last = root + calls.nodes(thread_id).len();
            if let Some(paths) = paths.get_mut(root..last) {
                paths.fill(thread.process);
            }
        }
        Self { paths }
    }

    /// The owner of a consumer's energy.
    #[inline]
    pub(crate) fn get(&self, consumer: Consumer) -> SpanOwner {
        match consumer {
            Consumer::Path(path) => {
                SpanOwner::Process(self.paths.get(path as usize).copied().flatten())
            }
            Consumer::App(uid) => SpanOwner::App(Uid(uid)),
            _ => SpanOwner::Nobody,
        }
    }
}
