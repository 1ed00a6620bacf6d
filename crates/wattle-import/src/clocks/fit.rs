//! From readings of a clock to boot time.
//!
//! Two clocks cannot be read at the same instant, so a reading allows a range of distances. The true distance is somewhere in the
//! range, and never outside of it: ranges are intersected, not averaged. What is left after several readings is narrower than any
//! of them, and half of its width bounds the error, which a mean would not.
//!
//! Real and monotonic time go at the speed of boot time (the kernel steers them together): their distance is constant until
//! the clock is set or the device sleeps. So readings are put together as long as there is a distance that all of them allow,
//! and a new piece begins where there is none:
//!
//! ```text
//!  boot − clock
//!       ▲                                  ┬
//!       │                         ┬        │        ┬
//!       │                         │ ─ ─ ─ ─┼─ ─ ─ ─ ┼     piece 2, after the device slept
//!       │                         ┴        │        ┴
//!       │   ┬               ┬              ┴
//!       │   │ ─ ─ ┬ ─ ─ ─ ─ ┼                             piece 1: the line crosses all of its readings but one
//!       │   ┴     │         ┴
//!       │         ┴    ┬
//!       │              ┴                                  odd: the next reading fits piece 1 and not this one
//!       └────────────────────────────────────────────► clock
//! ```
//!
//! A bar is a reading, from the least to the most that boot time was ahead; the line is the middle of the intersection. A piece is
//! made as long as it can be, from left to right, which gives the fewest pieces. A single odd reading (its program was interrupted
//! between both clocks) is left out, because it would otherwise end a piece and begin one of its own.
//!
//! The host's clock has a speed of its own. Its distance is a line through the intersections of its first and of its last readings.
//! A drift is stated only if no single distance fits both, and only up to what clocks of computers drift: the host's clock was set
//! in between otherwise, and the residual becomes as large as the jump.

use std::collections::BTreeSet;

use super::clock_reading::{Clock, Reading, ReadingSource};

/// Readings within this of the first or last are taken together for the host's line.
const TOGETHER: i64 = 10_000_000_000;
/// Largest drift of computers' clocks: 500 parts per million. A clock that drifts more was set.
const MAX_DRIFT_PPB: i128 = 500_000;

/// A stretch in which one distance fits all readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    first: i64,
    last: i64,
    low: i64,
    high: i64,
}

impl Piece {
    fn from_reading(reading: &Reading) -> Self {
        Self { first: reading.at, last: reading.at, low: reading.low, high: reading.high }
    }

    fn middle(self) -> i64 {
        (i128::midpoint(i128::from(self.low), i128::from(self.high))) as i64
    }

    fn half(self) -> i64 {
        self.high.saturating_sub(self.low).saturating_add(1) / 2
    }

    /// Takes a reading in, if some distance fits all.
    fn take(&mut self, reading: &Reading) -> bool {
        let (low, high) = (self.low.max(reading.low), self.high.min(reading.high));
        if low > high {
            return false;
        }
        *self = Self { last: reading.at.max(self.last), low, high, ..*self };
        true
    }
}

/// The relation of a clock to boot time.
#[derive(Clone, Debug)]
pub struct Fit {
    /// In order of time, never empty.
    pieces: Vec<Piece>,
    /// Whether times between pieces lie on the line through both.
    is_line: bool,
    sources: BTreeSet<ReadingSource>,
    /// The number of readings that it rests on.
    pub readings: u32,
}

impl Fit {
    /// `None` without readings.
    pub fn new(clock: Clock, mut readings: Vec<Reading>) -> Option<Self> {
        readings.sort_by_key(|reading| reading.at);
        let sources = readings.iter().map(|reading| reading.source).collect();
        let count = u32::try_from(readings.len()).unwrap_or(u32::MAX);
        let is_line = clock == Clock::Host;
        let pieces = if is_line { line(&readings) } else { steps(&readings) };
        (!pieces.is_empty()).then_some(Self { pieces, is_line, sources, readings: count })
    }

    /// The origins of its readings, as text.
    pub fn by(&self) -> String {
        ReadingSource::texts(&self.sources)
    }

    /// Boot time of a time in the clock: by the nearest piece, or between the ends of the line.
    pub fn to_boot(&self, time: i64) -> i64 {
        time.saturating_add(self.offset(time))
    }

    /// Nanoseconds between the clock and boot time at a time.
    pub fn offset(&self, time: i64) -> i64 {
        match (self.is_line, self.pieces.as_slice()) {
            (true, [first, .., last]) => {
                // In 128 bits: nanoseconds of a day times nanoseconds of a distance do not fit into 64.
                let (from, to) = (i128::from(first.first), i128::from(last.last));
                let (low, high) = (i128::from(first.middle()), i128::from(last.middle()));
                let along = (high - low) * (i128::from(time) - from) / (to - from).max(1);
                i64::try_from(low + along).unwrap_or_else(|_| first.middle())
            }
            _ => self.nearest(time).map_or(0, Piece::middle),
        }
    }

    fn nearest(&self, time: i64) -> Option<Piece> {
        let after = self.pieces.partition_point(|piece| piece.first <= time);
        let before = after.checked_sub(1).and_then(|before| self.pieces.get(before)).copied();
        let next = self.pieces.get(after).copied();
        match (before, next) {
            (Some(before), Some(next)) => {
                let past = time.abs_diff(before.last.min(time));
                Some(if past <= next.first.abs_diff(time) { before } else { next })
            }
            (before, next) => before.or(next),
        }
    }

    /// The largest error of a time, nanoseconds.
    pub fn residual(&self) -> i64 {
        self.pieces.iter().map(|piece| piece.half()).max().unwrap_or(0)
    }

    /// Drift against boot time in parts per billion.
    pub fn drift_ppb(&self) -> Option<i64> {
        let [first, .., last] = self.pieces.as_slice() else { return None };
        if !self.is_line {
            return None;
        }
        let apart = i128::from(last.last) - i128::from(first.first);
        let moved = i128::from(last.middle()) - i128::from(first.middle());
        i64::try_from(moved * 1_000_000_000 / apart.max(1)).ok()
    }

    /// The number of jumps against boot time by more than so many nanoseconds: it was set, the device slept, or it
    /// drifted.
    pub fn jumps_over(&self, least: u64) -> u64 {
        if self.is_line {
            return 0;
        }
        let pairs = self.pieces.iter().zip(self.pieces.iter().skip(1));
        pairs.filter(|(before, after)| before.middle().abs_diff(after.middle()) > least).count()
            as u64
    }
}

/// The pieces of a clock that goes as boot time does.
fn steps(readings: &[Reading]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (index, reading) in readings.iter().enumerate() {
        let Some(piece) = pieces.last_mut() else {
            pieces.push(Piece::from_reading(reading));
            continue;
        };
        // A single reading that those on both sides contradict: its program was interrupted between two clocks.
        let is_odd = || {
            let next = readings.get(index + 1);
            next.is_some_and(|next| {
                { *piece }.take(next) && !Piece::from_reading(reading).take(next)
            })
        };
        if !{ *piece }.take(reading) && is_odd() {
            continue;
        }
        if !piece.take(reading) {
            pieces.push(Piece::from_reading(reading));
        }
    }
    pieces
}

/// Two pieces, of the first and the last readings, if both are far enough apart to tell a drift; else one.
fn line(readings: &[Reading]) -> Vec<Piece> {
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else { return Vec::new() };
    let apart = last.at.saturating_sub(first.at);
    let group = |near: &dyn Fn(&Reading) -> bool| {
        let mut group: Option<Piece> = None;
        for reading in readings.iter().filter(|reading| near(reading)) {
            match &mut group {
                Some(group) => {
                    group.take(reading);
                }
                None => group = Some(Piece::from_reading(reading)),
            }
        }
        group
    };
    // Both groups end before the middle at the latest, so that no reading is in both.
    let half = TOGETHER.min(apart / 2);
    let start = group(&|reading| reading.at.saturating_sub(first.at) <= half);
    let end = group(&|reading| last.at.saturating_sub(reading.at) < half);
    let (Some(start), Some(end)) = (start, end) else { return start.into_iter().collect() };
    // All of it may be one distance: then there is no drift to be seen.
    let (low, high) = (start.low.max(end.low), start.high.min(end.high));
    if low <= high {
        return vec![Piece { first: start.first, last: end.last, low, high }];
    }
    let moved = i128::from(end.middle()) - i128::from(start.middle());
    let is_drift = moved.abs() * 1_000_000_000 <= i128::from(apart.max(1)) * MAX_DRIFT_PPB
        || moved.abs() <= i128::from(start.half()) + i128::from(end.half());
    if is_drift {
        return vec![start, end];
    }
    // The host's clock was set in between: the truth lies somewhere between both.
    let (low, high) = (start.low.min(end.low), start.high.max(end.high));
    vec![Piece { first: start.first, last: end.last, low, high }]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used, reason = "a test that cannot go on has failed")]

    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn fit(clock: Clock, readings: &[(i64, i64, i64)]) -> Fit {
        let readings = readings
            .iter()
            .map(|(at, low, high)| Reading {
                at: *at,
                low: *low,
                high: *high,
                source: ReadingSource::RECORDING,
            })
            .collect();
        Fit::new(clock, readings).expect("readings")
    }

    /// Times, and the boot times they are.
    #[track_caller]
    fn check(fit: &Fit, times: &[(i64, i64)], residual: i64, drift: Option<i64>) {
        for (time, boot) in times {
            assert_eq!(fit.to_boot(*time), *boot, "at {time}");
        }
        assert_eq!(fit.residual(), residual);
        assert_eq!(fit.drift_ppb(), drift);
    }

    #[test]
    fn readings_narrow_each_other() {
        // Hundredths of a second: each leaves 10 ms open, together 2 ms.
        let readings = [(100, 1_000_000, 11_000_000), (200, 9_000_000, 19_000_000)];
        check(&fit(Clock::Real, &readings), &[(0, 10_000_000), (500, 10_000_500)], 1_000_000, None);
    }

    #[test]
    fn one_odd_reading_is_passed_over() {
        let readings =
            [(0, 10, 12), (100, 900, 901), (200, 9, 11), (300, 500, 502), (400, 501, 503)];
        let fit = fit(Clock::Monotonic, &readings);
        check(&fit, &[(100, 110), (200, 210), (300, 801)], 1, None);
        assert_eq!(fit.jumps_over(0), 1);
    }

    #[test]
    fn a_sleep_or_a_set_clock_begins_a_new_piece() {
        let fit =
            fit(Clock::Monotonic, &[(0, 10, 12), (100, 9, 11), (1000, 500, 502), (2000, 499, 501)]);
        check(&fit, &[(50, 60), (120, 130), (540, 550), (560, 1060), (3000, 3500)], 1, None);
        assert_eq!(fit.jumps_over(0), 1);
    }

    #[test]
    fn the_host_drifts() {
        // 100 ppm over 100 s: 10 ms.
        let drift = 10_000_000;
        let readings = [(0, -1000, 1000), (100 * SECOND, drift - 1000, drift + 1000)];
        let half = 50 * SECOND;
        check(
            &fit(Clock::Host, &readings),
            &[(0, 0), (half, half + drift / 2)],
            1000,
            Some(100_000),
        );
        // What lies within the readings' widths is no drift.
        let readings = [(0, -1000, 1000), (100 * SECOND, -500, 3000)];
        check(&fit(Clock::Host, &readings), &[(half, half + 250)], 750, None);
        // A second is no drift: the clock was set.
        let readings = [(0, 0, 0), (100 * SECOND, SECOND, SECOND)];
        check(&fit(Clock::Host, &readings), &[(half, half + SECOND / 2)], SECOND / 2, None);
    }
}
