//! From a rail's counter to the energy of each interval.
//!
//! # Quirks
//! - Counters wrap at 32 bits on some monitors, and start again at 0 when the power-stats service does. A
//!   value below the one before is a wrap where that gives a plausible energy, else a restart: then it is not
//!   known what the interval drew.
//! - The first sample can be a left-over of the monitor's last user: an interval that would mean far more power
//!   than all others together is dropped.
//! - Readings have noise: a counter that fell by next to nothing did not wrap. Its sample is left out, so that
//!   the interval goes on to the next one.
//! - Samples of a rail can repeat an instant, or go back in time: those are dropped.

use std::borrow::Cow;

use wattle_timeline::{Rail, Window};
use wattle_units::Joules;

use crate::work;

/// Energy that a rail counted between two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) window: Window,
    /// In microwatt-seconds.
    pub(super) energy: u64,
    /// Whether it is the share, by time, of what lies between two samples.
    pub(super) cut: bool,
}

/// Energy that a rail counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counted {
    /// In order, with gaps where nothing is known.
    pub(super) intervals: Vec<Interval>,
    /// Wraps, restarts and bad samples.
    pub(super) mended: u64,
}

/// More than any rail of a phone can carry: batteries give 20 W at most.
const IMPLAUSIBLE_WATTS: f64 = 50.0;
/// A first interval this much above all others is a left-over.
const LEFT_OVER: f64 = 20.0;
/// A counter that falls by less is noisy, in microwatt-seconds.
const NOISE: u64 = 1000;
/// Widths of counters, in bits.
const WIDTHS: [u32; 3] = [32, 48, 63];

impl Interval {
    fn watts(&self) -> f64 {
        (self.joules() / self.window.duration()).value()
    }

    pub(super) fn joules(&self) -> Joules {
        Joules::from_microjoules(self.energy as f64)
    }
}

impl Counted {
    pub(super) fn from_rail(rail: &Rail) -> Self {
        let mut counted = Self::default();
        let mut last = None;
        for (time, energy) in rail.time.iter().copied().zip(rail.energy.iter().copied()) {
            work::count();
            let Some((before, counter)) = last else {
                last = Some((time, energy));
                continue;
            };
            if time <= before {
                counted.mended += u64::from(energy != counter);
                continue;
            }
            if energy < counter && counter - energy < NOISE {
                counted.mended += 1;
                continue;
            }
            last = Some((time, energy));
            let window = Window::new(before, time);
            if let Some(energy) = energy.checked_sub(counter) {
                counted.intervals.push(Interval { window, energy, cut: false });
            } else {
                counted.mended += 1;
                counted.intervals.extend(wrapped(window, counter, energy));
            }
        }
        counted.drop_left_over();
        counted.intervals.retain(|interval| {
            let plausible = interval.watts() <= IMPLAUSIBLE_WATTS;
            counted.mended += u64::from(!plausible);
            plausible
        });
        counted
    }

    fn drop_left_over(&mut self) {
        let [first, others @ ..] = self.intervals.as_slice() else { return };
        let most = others.iter().map(Interval::watts).fold(0.0, f64::max);
        if !others.is_empty()
            && first.watts() > IMPLAUSIBLE_WATTS / 10.0
            && first.watts() > most * LEFT_OVER
        {
            self.intervals.remove(0);
            self.mended += 1;
        }
    }

    /// The window, widened to the samples around it: only over whole intervals is it known how far the
    /// model is off.
    pub(super) fn around(&self, window: Window) -> Window {
        let touching = self.intervals.iter().filter(|i| !i.window.intersect(window).is_empty());
        touching.fold(window, |all, i| {
            Window::new(all.start.min(i.window.start), all.end.max(i.window.end))
        })
    }

    /// Whether it counted inside the window.
    pub(super) fn touches(&self, window: Window) -> bool {
        self.intervals.iter().any(|interval| !interval.window.intersect(window).is_empty())
    }

    /// The part inside a window; an interval across its edge gives the share of its time.
    pub(super) fn within(&self, window: Window) -> Cow<'_, [Interval]> {
        let is_inside = |interval: &Interval| interval.window.intersect(window) == interval.window;
        if self.intervals.iter().all(is_inside) {
            return Cow::Borrowed(&self.intervals);
        }
        let clip = |interval: &Interval| {
            let part = interval.window.intersect(window);
            if part == interval.window {
                return Some(*interval);
            }
            let share = part.duration().seconds() / interval.window.duration().seconds();
            let energy = (interval.energy as f64 * share).round() as u64;
            (!part.is_empty()).then_some(Interval { window: part, energy, cut: true })
        };
        self.intervals.iter().filter_map(clip).collect()
    }
}

/// The interval across a wrap, by the smallest width of counter that could have held the value before;
/// `None` where that is no plausible energy, so that the counter started again.
fn wrapped(window: Window, before: u64, after: u64) -> Option<Interval> {
    let width = WIDTHS.into_iter().find(|width| before >> width == 0)?;
    let energy = (1_u64 << width) - before + after;
    let interval = Interval { window, energy, cut: false };
    (interval.watts() <= IMPLAUSIBLE_WATTS).then_some(interval)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_timeline::NameId;
    use wattle_units::BootNanos;

    const SECOND: i64 = 1_000_000_000;

    /// Samples of (second, µWs); expected are (from, to, µWs).
    #[track_caller]
    fn check(samples: &[(i64, u64)], expected: &[(i64, i64, u64)], mended: u64) {
        let rail = Rail {
            name: NameId(0),
            subsystem: None,
            sampling_rate: 0,
            time: samples.iter().map(|(t, _)| BootNanos::new(t * SECOND)).collect(),
            energy: samples.iter().map(|(_, e)| *e).collect(),
        };
        let counted = Counted::from_rail(&rail);
        let found: Vec<_> = counted
            .intervals
            .iter()
            .map(|i| (i.window.start.value() / SECOND, i.window.end.value() / SECOND, i.energy))
            .collect();
        assert_eq!((found.as_slice(), counted.mended), (expected, mended));
    }

    #[test]
    fn counters_are_mended() {
        check(&[], &[], 0);
        check(&[(0, 5)], &[], 0);
        check(&[(0, 100), (1, 350), (3, 350)], &[(0, 1, 250), (1, 3, 0)], 0);
        // A wrap at 32 bits.
        let top = (1 << 32) - 100;
        check(&[(0, top - 50), (1, top), (2, 200)], &[(0, 1, 50), (1, 2, 300)], 1);
        // Noise: what was counted from first to last stays.
        check(&[(0, 5000), (1, 9000), (2, 8990), (3, 9500)], &[(0, 1, 4000), (1, 3, 500)], 1);
        // A restart: 4 GJ in a second is no wrap.
        check(&[(0, 900_000), (1, 950_000), (2, 10), (3, 40)], &[(0, 1, 50_000), (2, 3, 30)], 1);
        // A left-over first sample: 30 W, and then milliwatts.
        let start = 30_000_000;
        check(&[(0, 0), (1, start), (2, start + 900)], &[(1, 2, 900)], 1);
        check(&[(0, 0), (1, 900_000_000), (2, 900_000_100)], &[(1, 2, 100)], 1);
        // Instants that repeat or go back.
        check(&[(0, 10), (1, 20), (1, 20), (0, 15), (2, 40)], &[(0, 1, 10), (1, 2, 20)], 1);
    }
}
