//! CPU time of a thread up to an instant.

use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos};

/// Stretches in order of time, none overlapping another, with their sums up to each: time on CPUs in any window in the time that
/// it takes to find its ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct CpuTime {
    windows: Vec<Window>,
    before: Vec<Nanos>,
    total: Nanos,
}

impl CpuTime {
    /// Of stretches in order of start. What overlaps the one before counts once.
    pub(crate) fn new(stretches: impl Iterator<Item = Window>) -> Self {
        let mut time = Self::default();
        for window in stretches {
            let start = time.windows.last().map_or(window.start, |last| window.start.max(last.end));
            let window = Window::new(start, window.end);
            if window.is_empty() {
                continue;
            }
            time.before.push(time.total);
            time.total += window.duration();
            time.windows.push(window);
        }
        time
    }

    /// All of it.
    pub(crate) fn total(&self) -> Nanos {
        self.total
    }

    /// Time before the instant.
    fn until(&self, time: BootNanos) -> Nanos {
        let after = self.windows.partition_point(|window| window.start < time);
        let Some(last) = after.checked_sub(1) else { return Nanos::ZERO };
        match (self.windows.get(last), self.before.get(last)) {
            (Some(window), Some(before)) => *before + (window.end.min(time) - window.start),
            _ => Nanos::ZERO,
        }
    }

    /// Time within the window.
    pub(crate) fn within(&self, window: Window) -> Nanos {
        self.until(window.end) - self.until(window.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window((start, end): (i64, i64)) -> Window {
        Window::new(BootNanos::new(start), BootNanos::new(end))
    }

    #[track_caller]
    fn check(stretches: &[(i64, i64)], within: (i64, i64), expected: i64) {
        let time = CpuTime::new(stretches.iter().copied().map(window));
        assert_eq!(time.within(window(within)), Nanos::new(expected));
    }

    #[test]
    fn time_is_that_of_the_parts_inside() {
        check(&[], (0, 10), 0);
        check(&[(2, 4), (6, 9)], (0, 10), 5);
        check(&[(2, 4), (6, 9)], (3, 7), 2);
        check(&[(2, 4), (6, 9)], (4, 6), 0);
        check(&[(2, 4), (6, 9)], (7, 8), 1);
        // What two CPUs claim at once counts once.
        check(&[(2, 6), (4, 9)], (0, 10), 7);
        check(&[(2, 9), (4, 6)], (0, 10), 7);
    }

    proptest::proptest! {
        #[test]
        fn it_is_what_adding_up_nanoseconds_gives(
            stretches in proptest::collection::vec((0_i64..60, 0_i64..9), 0..20),
            within in (0_i64..70, 0_i64..70),
        ) {
            let mut stretches: Vec<_> = stretches.into_iter().map(|(s, l)| (s, s + l)).collect();
            stretches.sort_unstable();
            let inside = |t: &i64| stretches.iter().any(|(start, end)| start <= t && t < end);
            let expected = (within.0..within.1).filter(inside).count();
            check(&stretches, within, expected as i64);
        }
    }
}
