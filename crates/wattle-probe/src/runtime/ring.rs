//! The fields that writers and readers of the rings of records share.
//!
//! ```text
//!   thread ──record──► Buffer ──waiting──► Drain ──► log or file
//!                      times, codes        under its lock
//!                      head ►    ◄ tail
//! ```

pub(super) const BUFFER: &str = "Lwattle/probe/Buffer;";
/// Records that a buffer holds, a power of two.
pub(super) const RECORDS: i32 = 2048;
pub(super) const LOCAL: &str = "Lwattle/probe/Probe;->local:Ljava/lang/ThreadLocal;";
pub(super) const TIMES: &str = "Lwattle/probe/Buffer;->times:[J";
pub(super) const CODES: &str = "Lwattle/probe/Buffer;->codes:[I";
pub(super) const HEAD: &str = "Lwattle/probe/Buffer;->head:I";
pub(super) const TAIL: &str = "Lwattle/probe/Buffer;->tail:I";
pub(super) const LOST: &str = "Lwattle/probe/Buffer;->lost:I";
pub(super) const THREAD: &str = "Lwattle/probe/Buffer;->thread:Ljava/lang/Thread;";
pub(super) const NEXT: &str = "Lwattle/probe/Buffer;->next:Lwattle/probe/Buffer;";

/// Held by whoever reads buffers and writes.
pub(super) const LOCK: &str = "Lwattle/probe/Drain;->lock:Ljava/lang/Object;";
/// The newest of the buffers that no round has seen yet, each with its `next`.
pub(super) const WAITING: &str =
    "Lwattle/probe/Drain;->waiting:Ljava/util/concurrent/atomic/AtomicReference;";
pub(super) const SERIALS: &str =
    "Lwattle/probe/Drain;->serials:Ljava/util/concurrent/atomic/AtomicInteger;";
