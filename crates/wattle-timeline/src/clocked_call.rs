//! Calls around which the CPUs' clocks were read: all that tools without a scheduler trace know of a call's CPU.

use wattle_units::{Hertz, Nanos};

use crate::{CpuId, NameId, Pid, Tid, Window};

/// Time that the kernel counts in `time_in_state` a tick (`USER_HZ` 100).
pub const CLOCK_TICK: Nanos = Nanos::new(10_000_000);

/// A call at both ends of which somebody read `cpufreq/stats/time_in_state` of every CPU (Navitas).
///
/// Those files count wall time, idling included, whoever ran: what they advanced by bounds what the call's thread can have used,
/// and says no more.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockedCall {
    /// The kernel's number of the process; `None` where the log does not say it.
    pub process: Option<Pid>,
    /// The kernel's number of the thread; `None` where the log does not say it.
    pub thread: Option<Tid>,
    /// The test whose log it was found in.
    pub test: Option<NameId>,
    /// The callee.
    pub name: NameId,
    /// The call around it, as an index into [`crate::CodeActivity::clocked_calls`]: callers come before callees.
    pub caller: Option<u32>,
    /// From entry to exit.
    pub window: Window,
    /// The log holds its end. Otherwise it ends with what called it, or with the last line of its thread.
    pub has_end: bool,
    /// It is left over from an earlier run: in the log of the test, but not of the test.
    pub is_stale: bool,
    /// Counts of the clocks at both ends, by CPU and frequency in ascending order; only clocks that moved, and that were read
    /// at both ends.
    pub clocks: Vec<TimeInState>,
}

/// One clock of one CPU at both ends of a call, in ticks of [`CLOCK_TICK`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeInState {
    /// Which CPU.
    pub cpu: CpuId,
    /// Which step of its clock.
    pub frequency: Hertz,
    /// At the beginning.
    pub before: u64,
    /// At the end.
    pub after: u64,
}

impl TimeInState {
    /// Whether the counter began anew in between, as it does when its CPU was taken away and came back.
    pub fn was_reset(self) -> bool {
        self.after < self.before
    }

    /// Ticks between both ends. Of a counter that began anew those since then: the least that passed.
    pub fn ticks(self) -> u64 {
        self.after.checked_sub(self.before).unwrap_or(self.after)
    }
}
