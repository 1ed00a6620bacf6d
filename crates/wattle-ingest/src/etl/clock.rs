//! From ticks of a log's clock to boot time.
//!
//! - The performance counter counts from when the system was started, sleep included (since Windows 8; before, as its hardware does):
//!   its ticks over its frequency are boot time.
//! - System time is boot time after `BootTime`, which the log's header tells; without one, after the log's start.
//! - Cycles are counted from the start of the CPU, at the speed that the header tells.

use wattle_units::BootNanos;

use super::log_header::{LogClock, LogHeader};

/// Nanoseconds in a unit of system time.
const UNIT: i64 = 100;

/// From the beginning of 1601, which Windows counts from, to that of 1970, in units of 100 ns.
const UNIX_EPOCH: i64 = 116_444_736_000_000_000;

/// How ticks become nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventClock {
    /// Ticks that are boot time 0.
    origin: i64,
    /// Ticks in a second.
    frequency: i64,
    /// Nanoseconds in a tick, where that is a whole number.
    whole: i64,
}

impl EventClock {
    /// `None` if the header does not say how fast the clock goes.
    pub fn of(header: &LogHeader) -> Option<Self> {
        let (origin, frequency) = match header.clock {
            LogClock::PerformanceCounter => (0, header.frequency),
            LogClock::SystemTime => {
                let is_known = (1..=header.time).contains(&header.boot);
                (if is_known { header.boot } else { header.time }, 1_000_000_000 / UNIT)
            }
            LogClock::Cycles => (0, i64::from(header.megahertz) * 1_000_000),
        };
        (frequency > 0).then(|| Self {
            origin,
            frequency,
            whole: if 1_000_000_000 % frequency == 0 { 1_000_000_000 / frequency } else { 0 },
        })
    }

    /// The instant.
    #[inline]
    pub fn time(&self, ticks: i64) -> BootNanos {
        BootNanos::new(self.nanos(ticks.saturating_sub(self.origin)))
    }

    /// How long so many ticks are, nanoseconds.
    #[inline]
    pub fn nanos(&self, ticks: i64) -> i64 {
        if self.whole > 0 {
            return ticks.saturating_mul(self.whole);
        }
        let nanos = i128::from(ticks) * 1_000_000_000 / i128::from(self.frequency);
        i64::try_from(nanos).unwrap_or(if ticks < 0 { i64::MIN } else { i64::MAX })
    }
}

/// Nanoseconds since 1970, of a `FILETIME`; `None` if it says nothing.
pub(super) fn unix_nanos(filetime: i64) -> Option<i64> {
    (filetime > UNIX_EPOCH).then(|| (filetime - UNIX_EPOCH).checked_mul(UNIT)).flatten()
}
