//! Delay of the stamps of a rail's samples.
//!
//! A monitor reads its counters when it is asked, or hands out what it accumulated before; neither says when. The stamps of samples that
//! are late by `δ` compare each interval's energy with what ran `δ` too late. The delay is found as the one at which the model's
//! energies follow the rail's best: for each candidate, `E_k = a·M_k(δ) + b·T_k` is fitted by least squares, and the sum of squares
//! that is left is compared.

use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos};

use super::rail_counter::Interval;
use crate::{PowerTrack, work};

/// Fewer intervals do not tell.
const FEWEST: usize = 24;
/// More are not looked at: those from the middle of the recording.
const MOST: usize = 1500;
/// Candidates, as parts of the median interval.
const STEP: f64 = 0.05;
/// Of early stamps only little is believable; of late ones a whole interval.
const RANGE: (i32, i32) = (-4, 24);
/// A delay is believed when it leaves less than this part of the sum of squares without one.
const LEAST_GAIN: f64 = 0.8;

/// The delay of the stamps; zero where none is seen for certain.
pub(super) fn delay(tracks: &[PowerTrack], covered: &[usize], intervals: &[Interval]) -> Nanos {
    let whole: Vec<&Interval> = intervals.iter().filter(|it| !it.cut).collect();
    if whole.len() < FEWEST {
        return Nanos::ZERO;
    }
    let skipped = whole.len().saturating_sub(MOST) / 2;
    let whole = whole.get(skipped..whole.len() - skipped).unwrap_or_default();
    let mut lengths: Vec<i64> = whole.iter().map(|it| it.window.duration().value()).collect();
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or_default() as f64;
    let model = CumulativeModel::new(tracks, covered, whole, Nanos::new((median * 1.3) as i64));
    let left = |delay: Nanos| model.left_over(whole, delay);
    let candidate = |step: i32| Nanos::new((f64::from(step) * STEP * median) as i64);
    let none = left(Nanos::ZERO);
    let best = (RANGE.0..=RANGE.1)
        .map(|step| (left(candidate(step)), candidate(step)))
        .min_by(|one, other| one.0.total_cmp(&other.0));
    match best {
        Some((least, delay)) if least < LEAST_GAIN * none => delay,
        _ => Nanos::ZERO,
    }
}

/// The intervals as they truly were, without those that begin before the recording does.
pub(super) fn earlier(intervals: &[Interval], delay: Nanos, recording: Window) -> Vec<Interval> {
    let moved = intervals.iter().map(|interval| {
        let Window { start, end } = interval.window;
        Interval { window: Window { start: start - delay, end: end - delay }, ..*interval }
    });
    moved
        .filter(|it| it.window.start >= recording.start && it.window.end <= recording.end)
        .collect()
}

/// Modelled energy from the beginning on, by track.
struct CumulativeModel {
    /// By track: ascending instants, energy until each, and power from each on.
    tracks: Vec<Vec<(BootNanos, f64, f64)>>,
}

impl CumulativeModel {
    fn new(
        tracks: &[PowerTrack],
        covered: &[usize],
        intervals: &[&Interval],
        margin: Nanos,
    ) -> Self {
        let first = intervals.first().map_or(BootNanos::MIN, |it| it.window.start - margin);
        let last = intervals.last().map_or(BootNanos::MIN, |it| it.window.end + margin);
        let of_track = |track: &PowerTrack| {
            let mut sum = 0.0;
            let mut found = Vec::new();
            let segments = (track.segment_at(first)..track.len()).filter_map(|it| track.get(it));
            for segment in segments.take_while(|segment| segment.window.start < last) {
                work::count();
                found.push((segment.window.start, sum, segment.power.value()));
                sum += (segment.power * segment.window.duration()).value();
            }
            found.push((track.end(), sum, 0.0));
            found
        };
        let covered = covered.iter().filter_map(|track| tracks.get(*track));
        Self { tracks: covered.map(of_track).collect() }
    }

    fn until(&self, time: BootNanos) -> f64 {
        let of_track = |track: &Vec<(BootNanos, f64, f64)>| {
            let after = track.partition_point(|(start, ..)| *start <= time);
            let (start, sum, power) = *track.get(after.checked_sub(1)?)?;
            Some(sum + power * (time - start).seconds())
        };
        self.tracks.iter().filter_map(of_track).sum()
    }

    /// The sum of squares that `a·M + b·T` leaves of the rail's energies.
    fn left_over(&self, intervals: &[&Interval], delay: Nanos) -> f64 {
        let (mut mm, mut mt, mut tt) = (0.0, 0.0, 0.0);
        let (mut em, mut et, mut ee) = (0.0, 0.0, 0.0);
        for interval in intervals {
            work::count();
            let Window { start, end } = interval.window;
            let modelled = self.until(end - delay) - self.until(start - delay);
            let (time, measured) = ((end - start).seconds(), interval.joules().value());
            mm += modelled * modelled;
            mt += modelled * time;
            tt += time * time;
            em += measured * modelled;
            et += measured * time;
            ee += measured * measured;
        }
        let determinant = mm * tt - mt * mt;
        if determinant <= f64::EPSILON * mm * tt {
            return ee;
        }
        let a = (em * tt - et * mt) / determinant;
        let b = (et * mm - em * mt) / determinant;
        (ee - a * em - b * et).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use wattle_units::Watts;

    use super::*;
    use crate::{Component, Scope, SourceId};

    /// A track that is busy now and then, and what a rail counts of it whose stamps are late by so many milliseconds.
    fn recording(late: i64) -> (PowerTrack, Vec<Interval>) {
        const MILLI: i64 = 1_000_000;
        let mut track = PowerTrack::new(Component::Cpu, Scope::Device, BootNanos::new(0));
        let mut number = 12_345_u64;
        for at in 0..4000_i64 {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let power = if number >> 63 == 0 { 0.02 } else { 0.8 };
            let end = BootNanos::new((at + 1) * 3 * MILLI);
            track.push_until(end, Watts::new(power), SourceId(0));
        }
        let intervals = (2..200).map(|index| {
            let stamped = |index: i64| BootNanos::new(index * 50 * MILLI);
            let window = Window::new(stamped(index), stamped(index + 1));
            let delay = Nanos::new(late * MILLI);
            let truth = Window { start: window.start - delay, end: window.end - delay };
            let joules = 1.3 * track.energy(truth).value() + 0.01 * 0.05;
            Interval { window, energy: (joules * 1e6) as u64, cut: false }
        });
        let intervals = intervals.collect();
        (track, intervals)
    }

    #[test]
    fn the_delay_of_stamps_is_found() {
        for late in [0, 10, 25, 45] {
            let (track, intervals) = recording(late);
            let found = delay(&[track], &[0], &intervals).milliseconds();
            assert!((found - late as f64).abs() <= 2.5, "{late} ms: {found} ms");
        }
    }

    #[test]
    fn a_rail_that_follows_nothing_has_none() {
        let (track, mut intervals) = recording(0);
        let energies: Vec<u64> = intervals.iter().rev().map(|it| it.energy).collect();
        for (interval, energy) in intervals.iter_mut().zip(energies) {
            interval.energy = energy;
        }
        assert_eq!(delay(std::slice::from_ref(&track), &[0], &intervals), Nanos::ZERO);
        let few = intervals.get(..5).unwrap();
        assert_eq!(delay(&[track], &[0], few), Nanos::ZERO);
    }
}
