//! Reads and writes of disks, each by itself.

use wattle_units::Nanos;

use crate::{NameId, ThreadId, Window};

/// The kind of request to a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiskKind {
    /// Data from it (ETW `DiskIo` opcodes 10 and 12; `block_rq_issue` with `R`).
    Read,
    /// Data to it (opcodes 11 and 13; `W`).
    Write,
    /// Everything that it holds back, onto its medium (opcodes 14 and 15; `F`).
    Flush,
}

impl DiskKind {
    /// The word in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::Write => "Write",
            Self::Flush => "Flush",
        }
    }
}

/// One operation of a disk, from its beginning to its completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskOperation {
    /// The kind of request.
    pub kind: DiskKind,
    /// From when it was begun until it was complete.
    pub window: Window,
    /// Whether its beginning was recorded; if not, the window begins where the disk says that it took it up, else at the end.
    pub begin_seen: bool,
    /// Whether its completion was recorded; if not, the window ends with the recording.
    pub end_seen: bool,
    /// Who asked for it; [`ThreadId::IDLE`] where that is not known (written by the system's cache, for one).
    pub thread: ThreadId,
    /// Number of the disk.
    pub disk: Option<u32>,
    /// Offset on it, in bytes.
    pub offset: Option<u64>,
    /// Size, in bytes; `None` for a flush, or where it is not known.
    pub bytes: Option<u64>,
    /// Time that the disk itself took (ETW's `HighResResponseTime`).
    pub service: Option<Nanos>,
    /// The file.
    pub file: Option<NameId>,
}
