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

impl ChildLimits {
    /// Those of a machine: each of several jobs at once may have its part of three quarters of the memory, 4 to 16 GiB.
    pub fn for_machine(jobs: usize) -> Self {
        const GIB: u64 = 1 << 30;
        let part = machine_memory().map(|bytes| bytes / 4 * 3 / jobs.max(1) as u64);
        let address_space = part.map_or(16 * GIB, |bytes| bytes.clamp(4 * GIB, 16 * GIB));
        Self { address_space, ..Self::default() }
    }

    /// Those with another time from beginning to end. All processors together may use that long.
    #[must_use]
    pub fn with_time(self, wall: Duration) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |it| it.get() as u64);
        Self { wall, cpu_seconds: wall.as_secs().saturating_mul(cores).max(1), ..self }
    }
}

/// Bytes of memory that this machine or its container has.
fn machine_memory() -> Option<u64> {
    let all = std::fs::read_to_string("/proc/meminfo").ok()?;
    let all = all.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = all.trim().trim_end_matches("kB").trim().parse().ok()?;
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse::<u64>().ok());
    Some(container.unwrap_or(u64::MAX).min(kilobytes.saturating_mul(1024)))
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
