//! Somebody who used hardware other than cores.

use wattle_timeline::{ProcessId, ThreadId, Timeline};

use crate::attribution::call_paths::CallPaths;
use crate::attribution::consumer::Consumer;

/// Somebody who used hardware other than cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum HardwareUser {
    /// An app as a whole, by its uid.
    App(u32),
    /// A call path.
    Path(u32),
    /// A call path of the recorder.
    Recorder(u32),
}

impl HardwareUser {
    /// A process: the app that it is of, else what its first thread does outside of calls.
    pub(super) fn of_process(
        timeline: &Timeline,
        paths: &CallPaths,
        process: ProcessId,
    ) -> Option<Self> {
        let facts = timeline.tasks.processes.get(process.index())?;
        if let Some(uid) = facts.uid.filter(|uid| !uid.is_isolated()) {
            return Some(Self::App(uid.0));
        }
        let of_process = |thread: &ThreadId| {
            let thread = timeline.tasks.threads.get(thread.index());
            thread.is_some_and(|thread| thread.process == Some(process))
        };
        let thread = (0..timeline.tasks.threads.len() as u32).map(ThreadId).find(of_process)?;
        Some(Self::of_path(paths, thread, paths.trees.root(thread)))
    }

    /// A path of a thread.
    pub(super) fn of_path(paths: &CallPaths, thread: ThreadId, path: u32) -> Self {
        let is_recorders = paths.records.get(thread.index()).copied().unwrap_or(false);
        if is_recorders { Self::Recorder(path) } else { Self::Path(path) }
    }

    /// The consumer of the energy of what it used.
    pub(crate) const fn consumer(self) -> Consumer {
        match self {
            Self::App(uid) => Consumer::App(uid),
            Self::Path(path) => Consumer::Path(path),
            Self::Recorder(path) => Consumer::Recorder(path),
        }
    }
}
