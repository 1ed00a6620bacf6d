//! Records of probes that are not yet written.

/// A record of a thread's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Place in `EXUCBFDR`.
    pub(super) kind: u8,
    pub(super) id: u32,
    /// `CLOCK_MONOTONIC`.
    pub(super) at: i64,
}

/// The records of a thread that are not yet written.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) serial: u32,
    pub(super) name: String,
    /// Number of the next block.
    pub(super) block: u32,
    pub(super) lost: u32,
    pub(super) records: Vec<Record>,
    pub(super) named: bool,
}
