//! Samples of a meter, in the meter's own clock.

use wattle_timeline::{MeterTrack, Names};
use wattle_units::{BootNanos, Provenance, Watts};

/// Clock of the times in a meter's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeterClock {
    /// From some moment on that the file does not tell.
    Own,
    /// Since 1970, by the computer that the meter hangs on.
    Unix,
    /// The same in the computer's time zone, which the file does not tell.
    Local,
}

/// One channel. Columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub channel: String,
    pub instrument: &'static str,
    pub provenance: Provenance,
    /// Nanoseconds, in order.
    pub time: Vec<i64>,
    /// Watts until the next sample; not a number where nothing is known.
    pub power: Vec<f64>,
}

/// A mark that the meter wrote beside a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MeterMark {
    pub time: i64,
    pub id: String,
}

/// Contents of one file.
#[derive(Clone, Debug)]
pub(crate) struct MeterFile {
    /// Which of the session's artifacts it is.
    pub artifact: usize,
    pub clock: MeterClock,
    pub series: Vec<Series>,
    pub marks: Vec<MeterMark>,
    /// The channels are runs of their own, not channels of one run.
    pub are_runs: bool,
}

impl Series {
    /// One without samples.
    pub fn new(channel: &str, instrument: &'static str) -> Self {
        Self {
            channel: channel.to_owned(),
            instrument,
            provenance: Provenance::Measured,
            time: Vec::new(),
            power: Vec::new(),
        }
    }

    /// From the first to the last sample.
    pub fn span(&self) -> Option<(i64, i64)> {
        Some((*self.time.first()?, *self.time.last()?))
    }

    /// Puts the samples in order and makes one of those at the same time, which is their mean: a meter that sends
    /// samples in packets gives all of one packet the same time. How many were out of order, and how many were taken together.
    pub fn tidy(&mut self) -> (u64, u64) {
        let pairs = self.time.iter().zip(self.time.iter().skip(1));
        let back = pairs.filter(|(before, after)| after < before).count() as u64;
        if back > 0 {
            let mut order: Vec<usize> = (0..self.time.len()).collect();
            order.sort_by_key(|index| self.time.get(*index).copied());
            self.power = order.iter().filter_map(|index| self.power.get(*index).copied()).collect();
            self.time.sort_unstable();
        }
        let before = self.time.len();
        let mut kept: Vec<(i64, f64, u32)> = Vec::new();
        let has_twins = self.time.iter().zip(self.time.iter().skip(1)).any(|(a, b)| a == b);
        if !has_twins {
            return (back, 0);
        }
        for (time, power) in self.time.iter().zip(&self.power) {
            match kept.last_mut() {
                Some((last, sum, count)) if last == time => {
                    *sum += power;
                    *count += 1;
                }
                _ => kept.push((*time, *power, 1)),
            }
        }
        self.time = kept.iter().map(|(time, ..)| *time).collect();
        self.power = kept.iter().map(|(_, sum, count)| sum / f64::from(*count)).collect();
        (back, (before - self.time.len()) as u64)
    }

    /// The track of the timeline, its times brought to boot time.
    pub fn into_track(self, names: &mut Names, to_boot: impl Fn(i64) -> i64) -> MeterTrack {
        MeterTrack {
            name: names.intern(&self.channel),
            instrument: names.intern(self.instrument),
            provenance: self.provenance,
            time: self.time.into_iter().map(|time| BootNanos::new(to_boot(time))).collect(),
            power: self.power.into_iter().map(Watts::new).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(samples: &[(i64, f64)], expected: &[(i64, f64)], counts: (u64, u64)) {
        let mut series = Series::new("main", "csv");
        for (time, power) in samples {
            series.time.push(*time);
            series.power.push(*power);
        }
        assert_eq!(series.tidy(), counts);
        let found: Vec<_> = series.time.iter().copied().zip(series.power.iter().copied()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn samples_are_put_in_order_and_those_of_one_moment_together() {
        check(&[(1, 2.0), (2, 3.0)], &[(1, 2.0), (2, 3.0)], (0, 0));
        check(&[(2, 3.0), (1, 2.0)], &[(1, 2.0), (2, 3.0)], (1, 0));
        check(&[(1, 2.0), (1, 4.0), (3, 1.0)], &[(1, 3.0), (3, 1.0)], (0, 1));
        check(&[(3, 1.0), (1, 2.0), (3, 2.0)], &[(1, 2.0), (3, 1.5)], (1, 1));
        check(&[], &[], (0, 0));
    }
}
