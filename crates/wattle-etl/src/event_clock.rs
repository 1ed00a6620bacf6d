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

/// Conversion of ticks to nanoseconds.
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
    pub fn from_header(header: &LogHeader) -> Option<Self> {
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

    /// Whether a computer's clock can go so fast. Performance counters have from 1 MHz (timers of old boards: 3.58 and 14.3 MHz) to
    /// 10 GHz (cycles).
    pub fn is_plausible(&self) -> bool {
        (1_000_000..=10_000_000_000).contains(&self.frequency)
    }

    /// The instant.
    #[inline]
    pub fn time(&self, ticks: i64) -> BootNanos {
        BootNanos::new(self.nanos(ticks.saturating_sub(self.origin)))
    }

    /// Converts a duration in ticks to nanoseconds.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A log that began 5 s after the system, at 10 MHz by the counter and 3 GHz by the CPU.
    fn header(clock: LogClock, boot: i64, time: i64) -> LogHeader {
        LogHeader {
            buffer_size: 0x1_0000,
            version: (10, 0),
            build: 19_041,
            cpus: 4,
            end: 0,
            buffers: 1,
            pointer_size: 8,
            events_lost: 0,
            megahertz: 3000,
            boot,
            frequency: 10_000_000,
            start: 0,
            clock,
            buffers_lost: 0,
            time,
        }
    }

    #[track_caller]
    fn check(header: &LogHeader, ticks: i64, nanos: i64) {
        let clock = EventClock::from_header(header).unwrap();
        assert_eq!(clock.time(ticks), BootNanos::new(nanos), "{:?}", header.clock);
    }

    #[test]
    fn each_clock_is_boot_time() {
        let (boot, began) = (UNIX_EPOCH, UNIX_EPOCH + 50_000_000);
        check(&header(LogClock::PerformanceCounter, boot, 50_000_000), 50_000_001, 5_000_000_100);
        check(&header(LogClock::SystemTime, boot, began), began + 1, 5_000_000_100);
        // Without the time of the start of the system, or with one that is to come, the log begins at 0.
        check(&header(LogClock::SystemTime, 0, began), began + 1, 100);
        check(&header(LogClock::SystemTime, began + 1, began), began + 1, 100);
        check(&header(LogClock::Cycles, boot, 0), 15_000_000_001, 5_000_000_000);
        check(&header(LogClock::Cycles, boot, 0), 15_000_000_003, 5_000_000_001);
    }

    #[test]
    fn clocks_have_speeds_of_clocks() {
        for (frequency, expected) in
            [(10_000_000, true), (3_579_545, true), (999, false), (i64::MAX, false)]
        {
            let mut header = header(LogClock::PerformanceCounter, 0, 0);
            header.frequency = frequency;
            let clock = EventClock::from_header(&header).unwrap();
            assert_eq!(clock.is_plausible(), expected, "{frequency}");
        }
    }

    #[test]
    fn a_clock_of_no_speed_is_none() {
        let mut stopped = header(LogClock::PerformanceCounter, 0, 0);
        stopped.frequency = 0;
        assert!(EventClock::from_header(&stopped).is_none());
        stopped.clock = LogClock::Cycles;
        stopped.megahertz = 0;
        assert!(EventClock::from_header(&stopped).is_none());
    }
}
