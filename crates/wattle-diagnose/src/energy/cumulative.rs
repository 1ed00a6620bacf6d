//! Energy up to an instant.

use wattle_timeline::Window;
use wattle_units::{BootNanos, CompensatedSum};

/// Energy over time as a line of straight pieces that never falls: energy in any window in the time that it takes to find its ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct CumulativeEnergy {
    times: Vec<BootNanos>,
    joules: Vec<f64>,
}

impl CumulativeEnergy {
    /// Of energies that were each drawn evenly over their stretch of time; stretches can overlap.
    pub(crate) fn new(stretches: &[(Window, f64)]) -> Self {
        // Where a stretch begins its power is added, where it ends taken off; what has no length is a jump.
        let mut changes: Vec<(BootNanos, f64, i32, f64)> = Vec::with_capacity(stretches.len() * 2);
        for (window, joules) in stretches.iter().filter(|it| it.1.is_finite() && it.1 != 0.0) {
            if window.is_empty() {
                changes.push((window.start, 0.0, 0, *joules));
                continue;
            }
            let power = joules / window.duration().value() as f64;
            changes.push((window.start, power, 1, 0.0));
            changes.push((window.end, -power, -1, 0.0));
        }
        changes.sort_by_key(|change| change.0);
        let mut line = Self::default();
        let (mut power, mut sum) = (CompensatedSum::default(), CompensatedSum::default());
        let mut open = 0;
        let mut now = changes.first().map_or(BootNanos::MIN, |change| change.0);
        for (time, more, count, jump) in changes {
            if time > now {
                sum.add(power.value().max(0.0) * (time - now).value() as f64);
                now = time;
                line.push(time, sum.value());
            } else if line.times.is_empty() {
                line.push(time, 0.0);
            }
            power.add(more);
            open += count;
            if open == 0 {
                // Nothing is drawn: no rounding is carried on.
                power = CompensatedSum::default();
            }
            if jump != 0.0 {
                sum.add(jump);
                line.push(time, sum.value());
            }
        }
        line
    }

    fn push(&mut self, time: BootNanos, joules: f64) {
        self.times.push(time);
        self.joules.push(joules);
    }

    /// Energy before the instant.
    fn until(&self, time: BootNanos) -> f64 {
        let after = self.times.partition_point(|it| *it < time);
        let at = |index: usize| Some((*self.times.get(index)?, *self.joules.get(index)?));
        match (after.checked_sub(1).and_then(at), at(after)) {
            (None, _) => 0.0,
            (Some((_, joules)), None) => joules,
            (Some((from, low)), Some((to, high))) => {
                let part = (time - from).value() as f64 / (to - from).value() as f64;
                low + (high - low) * part
            }
        }
    }

    /// Energy within the window, in joules.
    pub(crate) fn within(&self, window: Window) -> f64 {
        self.until(window.end) - self.until(window.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(start: i64, end: i64) -> Window {
        Window::new(BootNanos::new(start), BootNanos::new(end))
    }

    #[track_caller]
    fn check(stretches: &[(i64, i64, f64)], within: (i64, i64), expected: f64) {
        let stretches: Vec<_> = stretches.iter().map(|(s, e, j)| (window(*s, *e), *j)).collect();
        let found = CumulativeEnergy::new(&stretches).within(window(within.0, within.1));
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn a_part_of_a_stretch_has_that_part_of_its_energy() {
        check(&[], (0, 10), 0.0);
        check(&[(10, 20, 4.0)], (0, 30), 4.0);
        check(&[(10, 20, 4.0)], (15, 30), 2.0);
        check(&[(10, 20, 4.0), (30, 40, 1.0)], (15, 35), 2.5);
        check(&[(10, 20, 4.0), (30, 40, 1.0)], (20, 30), 0.0);
        check(&[(10, 20, 4.0), (15, 25, 2.0)], (15, 20), 3.0);
        // Without length it lies where it is.
        check(&[(10, 10, 4.0)], (0, 30), 4.0);
        check(&[(10, 10, 4.0)], (10, 11), 4.0);
        check(&[(10, 10, 4.0)], (0, 10), 0.0);
    }

    proptest::proptest! {
        #[test]
        fn it_is_what_adding_up_parts_gives(
            stretches in proptest::collection::vec((0_i64..50, 1_i64..20, 0.0_f64..3.0), 0..20),
            within in (0_i64..70, 0_i64..70),
        ) {
            let stretches: Vec<_> = stretches.into_iter().map(|(s, l, j)| (s, s + l, j)).collect();
            let part = |it: &(i64, i64, f64)| {
                let inside = (it.1.min(within.1) - it.0.max(within.0)).max(0);
                if within.0 < within.1 { it.2 * inside as f64 / (it.1 - it.0) as f64 } else { 0.0 }
            };
            check(&stretches, within, stretches.iter().map(part).sum());
        }
    }
}
