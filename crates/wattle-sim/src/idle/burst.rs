//! Work of a thread from one wake-up to its next sleep.

use super::RequestKind;

/// When a thread wakes for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wake {
    /// At this time of the run, in nanoseconds; at once if that has passed.
    At(i64),
    /// So long after it began to sleep.
    After(i64),
}

/// Work between two sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Burst {
    pub wake: Wake,
    /// Time that it needs on a core, in nanoseconds.
    pub run: i64,
    /// Index into the thread's paths of code.
    pub path: u16,
    /// Index into the thread's planted stretches.
    pub stretch: Option<u16>,
    /// Disk operation that it requests before it sleeps: it wakes when that is done.
    pub disk: Option<Asked>,
}

/// An operation of a disk that is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub kind: RequestKind,
    pub bytes: u32,
    pub offset: i64,
    /// Index into the machine's files.
    pub file: u16,
    /// Time that the disk takes.
    pub service: i64,
}
