//! When records were made: by their stamps, or, where there are none or they are the host's at a later time, by what the CPUs' clocks
//! had counted, which run with the wall clock.

use super::test_log::{CallRecord, TestLog};

/// Nanoseconds of a tick of `time_in_state`.
const TICK: i64 = 10_000_000;
/// Stamps may lag behind the counters by this before they are not believed, nanoseconds: a log is written after its files were read.
const SLACK: i64 = 1_000_000_000;

/// Source of the times of a file's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    /// Their stamps.
    Stamps,
    /// The CPUs' clocks, so many nanoseconds moved.
    Counters {
        /// Nanoseconds added to the times.
        offset: i64,
        /// There were stamps, and they are wrong.
        refuted: bool,
    },
}

impl Times {
    /// The source for all tests of a file.
    pub fn from_tests(tests: &[TestLog]) -> Self {
        let missing = tests.iter().flat_map(|test| &test.calls).any(|call| call.time.is_none());
        let refuted = !missing && tests.iter().any(|test| are_refuted(&test.calls));
        if missing || refuted { Self::Counters { offset: 0, refuted } } else { Self::Stamps }
    }

    /// The time of each record, in order. Records without any time have that of the one before.
    pub fn of_calls(self, calls: &[CallRecord]) -> Vec<i64> {
        let mut last = None;
        let time = |call: &CallRecord| {
            let time = match self {
                Self::Stamps => call.time,
                Self::Counters { offset, .. } => uptime(call).map(|t| t.saturating_add(offset)),
            };
            last = time.or(last);
            last
        };
        let times: Vec<Option<i64>> = calls.iter().map(time).collect();
        // Those before the first known have its time.
        let first = times.iter().flatten().next().copied().unwrap_or(0);
        times.into_iter().map(|time| time.unwrap_or(first)).collect()
    }

    /// Moves counters so that the test's last record lies where its sampler ended, which the host stops when the test is over.
    pub fn anchored(self, last_record: i64, sampled_until: i64) -> Self {
        match self {
            Self::Stamps => self,
            Self::Counters { offset, refuted } => {
                let by = sampled_until.saturating_sub(last_record);
                Self::Counters { offset: offset.saturating_add(by), refuted }
            }
        }
    }
}

fn uptime(call: &CallRecord) -> Option<i64> {
    let ticks = call.readings.as_ref()?.uptime()?;
    i64::try_from(ticks).ok()?.checked_mul(TICK)
}

/// Whether the CPUs' clocks went further than the stamps say that time went.
fn are_refuted(calls: &[CallRecord]) -> bool {
    let stamps = || calls.iter().filter_map(|call| call.time);
    let (Some(first), Some(last)) = (stamps().min(), stamps().max()) else { return false };
    let uptimes: Vec<i64> = calls.iter().filter_map(uptime).collect();
    // A counter that began anew goes back; only steps forward count.
    let counted = uptimes.windows(2).fold(0_i64, |sum, pair| match pair {
        [a, b] => sum.saturating_add(b.saturating_sub(*a).max(0)),
        _ => sum,
    });
    let stamped = last.saturating_sub(first);
    counted > stamped.saturating_add(stamped / 10).saturating_add(SLACK)
}
