//! Known times of a disk operation.

use wattle_diagnose::DiskRow;
use wattle_units::{BootNanos, Nanos};

/// The times of an operation as far as something recorded them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskTimes {
    /// When it began: recorded, or where the disk said how long it was at it.
    pub begin: Option<BootNanos>,
    /// When it was complete.
    pub end: Option<BootNanos>,
    /// From one to the other.
    pub length: Option<Nanos>,
}

impl DiskTimes {
    /// Of one operation. The end of a recording is no completion, and an operation whose beginning nobody saw did not take no time.
    pub fn from_row(row: &DiskRow) -> Self {
        let begin =
            (row.begin_seen || (row.end_seen && row.service.is_some())).then_some(row.window.start);
        let end = row.end_seen.then_some(row.window.end);
        Self { begin, end, length: begin.zip(end).map(|(begin, end)| end - begin) }
    }
}
