//! Sources of a replayed run that are recorded.

use wattle_units::{BootNanos, Nanos};

use crate::Poller;

/// The stretch of boot time that is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayWindow {
    /// When recording begins.
    pub start: BootNanos,
    /// When it ends.
    pub end: BootNanos,
}

impl ReplayWindow {
    /// From begin to end.
    pub const fn new(start: BootNanos, end: BootNanos) -> Self {
        Self { start, end }
    }

    /// Returns its length.
    pub fn length(self) -> Nanos {
        self.end - self.start
    }
}

/// Which data sources of the trace were asked for, as a Perfetto configuration names them, and which counters are
/// polled beside it.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a source that is there or not")]
#[non_exhaustive]
pub struct RecordedSources {
    /// Scheduling, frequencies, idle states and interrupts (`linux.ftrace`). Default is yes.
    pub scheduling: bool,
    /// Processes whose sections are written (`atrace_apps`), by name or package; `*` is all. Default is none.
    pub atrace_apps: Vec<String>,
    /// Power rails (`android.power`, `collect_power_rails`). Default is yes; a phone without rails has none.
    pub rails: bool,
    /// Battery counters (`android.power`, `battery_counters`). Default is yes.
    pub battery: bool,
    /// Names of processes and threads (`linux.process_stats`). Default is yes.
    pub process_stats: bool,
    /// Packages with their uids (`android.packages_list`). Default is yes.
    pub packages: bool,
    /// Packets of the network (`android.network_packets`). Default is no.
    pub network_packets: bool,
    /// Bytes that each section moved itself, as a section `wattle.bytes <n>` at its end: what a hook around a call
    /// sees, without headers and whole blocks. Default is no.
    pub hooks: bool,
    /// Counters that a shell polls, written to [`crate::Simulated::counters`]. Default is none.
    pub poller: Option<Poller>,
}

impl Default for RecordedSources {
    fn default() -> Self {
        Self {
            scheduling: true,
            atrace_apps: Vec::new(),
            rails: true,
            battery: true,
            process_stats: true,
            packages: true,
            network_packets: false,
            hooks: false,
            poller: None,
        }
    }
}
