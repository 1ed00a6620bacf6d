//! Limits of a job's process.

use std::time::Duration;

/// Limits of a job's process. The system enforces those of memory, processor time and files; the worker those of time and of all files
/// together.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ChildLimits {
    /// Bytes of its address space.
    pub address_space: u64,
    /// Seconds of processor time.
    pub cpu_seconds: u64,
    /// Bytes of each file that it writes.
    pub file_bytes: u64,
    /// Bytes of all files that it writes.
    pub folder_bytes: u64,
    /// Files that it has open.
    pub open_files: u64,
    /// The time from its beginning to its end.
    pub wall: Duration,
    /// The time that it has to put a device back as it was, once it has been told to stop.
    pub grace: Duration,
}

impl Default for ChildLimits {
    fn default() -> Self {
        const GIB: u64 = 1 << 30;
        Self {
            address_space: 16 * GIB,
            cpu_seconds: 2 * 3600,
            file_bytes: 8 * GIB,
            folder_bytes: 16 * GIB,
            open_files: 1024,
            wall: Duration::from_hours(2),
            grace: Duration::from_secs(30),
        }
    }
}
