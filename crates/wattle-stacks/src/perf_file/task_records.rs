//! Records of threads and processes: their names, beginnings and ends (`PERF_RECORD_COMM`, `PERF_RECORD_FORK`, `PERF_RECORD_EXIT`).

use wattle_wire::ByteOrder;

use super::feature::text;
use super::raw_record::RawRecord;

/// A thread took a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadName<'a> {
    /// The process.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// The name, of at most 15 bytes.
    pub name: &'a [u8],
}

impl<'a> ThreadName<'a> {
    pub(super) fn parse(record: &RawRecord<'a>, order: ByteOrder) -> Option<Self> {
        let mut cursor = record.cursor(order);
        let (pid, tid) = (cursor.u32()?, cursor.u32()?);
        let name = text(record.body.get(8..)?);
        Some(Self { pid, tid, name })
    }
}

/// A thread began or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskRecord {
    /// The process.
    pub pid: u32,
    /// The process that made it.
    pub parent_pid: u32,
    /// The thread.
    pub tid: u32,
    /// The thread that made it.
    pub parent_tid: u32,
}

impl TaskRecord {
    pub(super) fn parse(record: &RawRecord<'_>, order: ByteOrder) -> Option<Self> {
        let mut cursor = record.cursor(order);
        let (pid, parent_pid) = (cursor.u32()?, cursor.u32()?);
        let (tid, parent_tid) = (cursor.u32()?, cursor.u32()?);
        Some(Self { pid, parent_pid, tid, parent_tid })
    }

    /// Whether it is a process of its own.
    pub fn is_process(&self) -> bool {
        self.tid == self.pid && self.parent_pid != self.pid
    }
}
