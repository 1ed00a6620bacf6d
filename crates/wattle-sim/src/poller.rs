//! A shell that reads the kernel's counters at a period.

use wattle_units::Nanos;

/// A file of counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PolledFile {
    /// `/proc/net/dev`: bytes and packets of every interface.
    NetDev,
    /// `/proc/diskstats`: requests and sectors of every block device.
    DiskStats,
    /// `/proc/stat`: time of every CPU in hundredths of a second.
    Stat,
    /// `/sys/devices/system/cpu/cpu*/cpufreq/stats/time_in_state`: time of every CPU at every frequency.
    CpuTimeInState,
    /// `/proc/uid_time_in_state`: time of every uid at every frequency.
    UidTimeInState,
}

/// A recorder process of one thread that wakes each period, reads files of counters and writes them down: the fork-free
/// loop of a shell.
#[derive(Clone, Debug, PartialEq)]
pub struct Poller {
    /// Its process's number.
    pub pid: u32,
    /// Its uid: 2000 for adb's shell.
    pub uid: u32,
    /// Time from one sample's begin to the next one's.
    pub period: Nanos,
    /// Files that it reads each time, in this order.
    pub files: Vec<PolledFile>,
    /// Millions of cycles of a little core that it needs to read and write down one file.
    pub cost_per_file: f64,
    /// Millions of cycles that it needs for each sample beside the files: the timer, the clocks, the loop.
    pub cost_per_sample: f64,
    /// Clock by which the time of a sample can be written down.
    pub clock: PollerClock,
}

/// The clocks that the shell of the phone can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollerClock {
    /// `/proc/uptime` alone, in hundredths of a second.
    Uptime,
    /// `/proc/uptime`, and the wall clock in microseconds (`EPOCHREALTIME` of mksh R58 and newer).
    UptimeAndEpoch,
}

impl Poller {
    /// A poller of the network's and the disks' counters with adb's uid. Each file costs 1.5 million cycles, each
    /// sample 1 million more: together about 4 ms of a little core at 1 GHz, what a loop of builtins of mksh takes.
    pub fn new(pid: u32, period: Nanos) -> Self {
        Self {
            pid,
            uid: 2000,
            period,
            files: vec![PolledFile::NetDev, PolledFile::DiskStats],
            cost_per_file: 1.5,
            cost_per_sample: 1.0,
            clock: PollerClock::UptimeAndEpoch,
        }
    }
}
