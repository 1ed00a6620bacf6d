//! Boot time of a clock that runs beside it, without steps.
//!
//! ```text
//!  boot │      ·          Each reading of both clocks is a point; between two of them time runs evenly. By the offset of the
//!       │    /            last reading alone it would step at each: a thread that runs then would lose or gain what the
//!       │   ·             clocks have drifted apart.
//!       │ ·´
//!       └────────── clock
//! ```

/// Parts per million by which clocks of one device drift apart at most (Linux slews by at most 500, `MAXFREQ`). A larger difference is a
/// jump: the clock stood still in suspend, or was set.
const MOST_DRIFT: i64 = 1000;
/// Nanoseconds by which two readings that belong together can be taken apart.
const JITTER: i64 = 100_000;
/// Readings that are kept.
const MAX_READINGS: usize = 8192;

/// Readings of a clock beside boot time, and time between them.
#[derive(Clone, Debug, Default)]
pub struct ClockFit {
    /// (clock, boot time) in nanoseconds, by clock.
    readings: Vec<(i64, i64)>,
}

impl ClockFit {
    /// Takes in one instant in both clocks, in nanoseconds. Of two with the same clock the first counts.
    pub fn add(&mut self, clock: i64, boot: i64) {
        let at = self.readings.partition_point(|(known, _)| *known < clock);
        if self.readings.get(at).is_some_and(|(known, _)| *known == clock) {
            return;
        }
        self.readings.insert(at, (clock, boot));
        if self.readings.len() > MAX_READINGS {
            self.readings.drain(..MAX_READINGS / 2);
        }
    }

    /// Boot time of an instant of the clock, in nanoseconds; `None` before any reading.
    pub fn to_boot(&self, clock: i64) -> Option<i64> {
        boot_between(&self.readings, clock)
    }
}

/// Boot time of an instant of a clock by its readings, ascending by clock.
///
/// Between two readings it runs evenly, after the last as before it. Where two lie further apart than clocks drift, it runs like the
/// clock from the reading before.
pub(crate) fn boot_between(readings: &[(i64, i64)], clock: i64) -> Option<i64> {
    let after = readings.partition_point(|(known, _)| *known <= clock);
    let at = after.saturating_sub(1);
    let (from, boot) = readings.get(at)?;
    let passed = clock.saturating_sub(*from);
    // Before the first reading like the clock, after the last as fast as between the last two.
    let pair = match after {
        0 => None,
        _ if after < readings.len() => readings.get(at..=after),
        _ => at.checked_sub(1).and_then(|before| readings.get(before..=at)),
    };
    let drifted = pair.map_or(0, |pair| drifted(pair, passed));
    Some(boot.saturating_add(passed).saturating_add(drifted))
}

/// Nanoseconds that boot time gains on the clock in a time, if it goes on as between two readings.
fn drifted(pair: &[(i64, i64)], passed: i64) -> i64 {
    let [(from, boot), (to, boot_to)] = pair else { return 0 };
    let ticks = to.saturating_sub(*from);
    let apart = boot_to.saturating_sub(*boot).saturating_sub(ticks);
    let most = (ticks / 1_000_000).saturating_mul(MOST_DRIFT).saturating_add(JITTER);
    if ticks <= 0 || apart.saturating_abs() > most {
        return 0;
    }
    let gained = i128::from(apart) * i128::from(passed) / i128::from(ticks);
    i64::try_from(gained).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    #[track_caller]
    fn check(readings: &[(i64, i64)], clock: i64, boot: Option<i64>) {
        let mut fit = ClockFit::default();
        for (clock, boot) in readings {
            fit.add(*clock, *boot);
        }
        assert_eq!(fit.to_boot(clock), boot);
    }

    #[test]
    fn time_runs_evenly_between_readings_and_jumps_where_the_clock_stood_still() {
        check(&[], 5, None);
        // Boot time is 10 µs ahead after 100 ms: halfway 5 µs.
        let drifting = [(0, 7 * MS), (100 * MS, 107 * MS + 10_000), (200 * MS, 207 * MS + 10_000)];
        check(&drifting, 50 * MS, Some(57 * MS + 5_000));
        check(&drifting, 100 * MS, Some(107 * MS + 10_000));
        check(&drifting, 150 * MS, Some(157 * MS + 10_000));
        check(&drifting, -50 * MS, Some(-43 * MS));
        check(&drifting, 300 * MS, Some(307 * MS + 10_000));
        // After the last reading as fast as before it.
        check(&drifting[..2], 200 * MS, Some(207 * MS + 20_000));
        // Suspended for 5 s in between: the clock stood still, and when is not known.
        let asleep = [(0, 0), (100 * MS, 5_100 * MS)];
        check(&asleep, 99 * MS, Some(99 * MS));
        check(&asleep, 101 * MS, Some(5_101 * MS));
        // In any order, and the first of two.
        check(&[(100, 300), (0, 200), (100, 900)], 50, Some(250));
        check(&[(i64::MIN, i64::MAX), (i64::MAX, i64::MIN)], 0, Some(i64::MAX));
        check(&[(0, 0), (1, 1)], i64::MAX, Some(i64::MAX));
    }
}
