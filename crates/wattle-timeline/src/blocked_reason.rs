//! Why threads slept, as the kernel noted it when they were woken.

use wattle_units::BootNanos;

use crate::{NameId, ThreadId};

/// A note on the sleep that a thread is woken from (`sched_blocked_reason` of Android's kernels).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedReason {
    /// When the thread was woken.
    pub time: BootNanos,
    /// The thread.
    pub thread: ThreadId,
    /// Whether it waited for a disk.
    pub is_io: bool,
    /// The kernel's function in which it slept; `None` where that is not known by name.
    pub function: Option<NameId>,
}
