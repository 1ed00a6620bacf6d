//! Operations of disks by thread.

use wattle_diagnose::Diagnosis;

use super::csv_field::Fields;
use crate::diagnosis::disk_times::DiskTimes;
use crate::diagnosis::label::{self, Labels};

/// Intel's, then ours from `Thread Name` on.
pub const COLUMNS: [&str; 13] = [
    "Process",
    "Thread ID",
    "Type",
    "Init Time (s)",
    "Completion Time (s)",
    "Time in I/O (ms)",
    "Path",
    "Thread Name",
    "Time of the Disk itself (ms)",
    "Size (B)",
    "Init recorded",
    "Completion recorded",
    "Region",
];

/// A row an operation, in order of time.
pub fn write(diagnosis: &Diagnosis, to: &mut Fields<'_>) -> std::io::Result<()> {
    for row in &diagnosis.disk {
        let thread = diagnosis.thread(row.thread);
        let owner = thread.and_then(|thread| diagnosis.owner(thread));
        let times = DiskTimes::from_row(row);
        to.optional_text(owner.map(label::process).as_deref())?;
        to.optional_integer(thread.map(|thread| u64::from(thread.tid.0)))?;
        to.text(&row.kind)?;
        to.seconds(times.begin.map(|begin| diagnosis.since(begin)))?;
        to.seconds(times.end.map(|end| diagnosis.since(end)))?;
        to.milliseconds(times.length)?;
        to.optional_text(row.path.as_deref())?;
        to.optional_text(thread.and_then(|thread| thread.name.as_deref()))?;
        to.milliseconds(row.service)?;
        to.optional_integer(row.bytes)?;
        to.yes(row.begin_seen)?;
        to.yes(row.end_seen)?;
        to.optional_integer(row.region.map(|region| u64::from(region) + 1))?;
        to.end()?;
    }
    Ok(())
}
