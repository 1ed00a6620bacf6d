//! Single events that are very expensive.

use wattle_timeline::Window;
use wattle_units::{CompensatedSum, Nanos};

use crate::RegionOptions;
use crate::events::ThreadEvents;

/// The fewest other events that one can be held against.
const FEWEST_OTHERS: usize = 3;
/// Events from this part of an event's length on are of its kind: it is not held against them.
const ALIKE: f64 = 0.5;
/// There are so many times as many others as events of its kind, at least.
const RARE: usize = 2;

/// Lengths of events in seconds, ascending, with sums over all shorter ones.
struct Lengths {
    lengths: Vec<f64>,
    /// Sum and sum of squares before each, and of all at the end.
    sums: Vec<(f64, f64)>,
}

impl Lengths {
    fn new(events: &ThreadEvents) -> Self {
        let mut lengths: Vec<f64> =
            events.runs.iter().map(|run| run.window.duration().seconds()).collect();
        lengths.sort_by(f64::total_cmp);
        let (mut sum, mut squares) = (CompensatedSum::default(), CompensatedSum::default());
        let mut sums = vec![(0.0, 0.0)];
        for length in &lengths {
            sum.add(*length);
            squares.add(length * length);
            sums.push((sum.value(), squares.value()));
        }
        Self { lengths, sums }
    }

    /// Number, mean and standard deviation of the events that are shorter.
    fn below(&self, length: f64) -> (usize, f64, f64) {
        let count = self.lengths.partition_point(|it| *it < length);
        let (sum, squares) = self.sums.get(count).copied().unwrap_or_default();
        let number = count.max(1) as f64;
        let mean = sum / number;
        (count, mean, (squares / number - mean * mean).max(0.0).sqrt())
    }
}

/// Stretches on a CPU that are far longer than the thread's others. Mean and deviation are of those less than half as long, so that
/// neither one event among few nor a second one of its kind sets the measure that it is held against. Of many events the longest
/// one is long by chance alone, by the logarithm of their number in means; so much more is asked for.
pub(crate) fn single(events: &ThreadEvents, options: &RegionOptions) -> Vec<Window> {
    let least = options.single_least.max(Nanos::new(1));
    let long = |window: &Window| window.duration() >= least;
    let mut candidates = events.runs.iter().map(|run| run.window).filter(long).peekable();
    if candidates.peek().is_none() {
        return Vec::new();
    }
    let lengths = Lengths::new(events);
    let is_expensive = |window: &Window| {
        let own = window.duration().seconds();
        let (others, mean, deviation) = lengths.below(own * ALIKE);
        let alike = events.runs.len() - others;
        others >= FEWEST_OTHERS.max(RARE * alike)
            && own >= mean + options.single_deviations * deviation
            && own >= mean * (options.single_factor + (others as f64).ln())
    };
    candidates.filter(is_expensive).collect()
}

#[cfg(test)]
mod tests {
    use wattle_timeline::CpuId;
    use wattle_units::BootNanos;

    use super::*;
    use crate::events::Run;

    /// Lengths of events in milliseconds, and those that are expensive.
    #[track_caller]
    fn check(lengths: &[i64], expected: &[i64]) {
        let mut now = 0;
        let runs = lengths.iter().map(|length| {
            let start = now + 1_000_000;
            now = start + length * 1_000_000;
            let window = Window::new(BootNanos::new(start), BootNanos::new(now));
            Run { window, cpu: CpuId(0), is_wakeup: true }
        });
        let events = ThreadEvents::new(runs.collect(), Vec::new());
        let found = single(&events, &RegionOptions::default());
        let found: Vec<i64> = found.iter().map(|it| it.duration().value() / 1_000_000).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_rare_and_far_longer_is_expensive() {
        check(&[], &[]);
        check(&[60], &[]);
        check(&[1, 1, 60], &[]);
        check(&[1, 2, 60, 1, 2], &[60]);
        // A second one of its kind does not hide it, many do.
        check(&[1, 2, 60, 1, 50, 1], &[60, 50]);
        check(&[1, 60, 2, 60, 1, 60], &[]);
        // Not long enough by itself; not by the others.
        check(&[1, 1, 1, 1, 15], &[]);
        check(&[8, 9, 10, 8, 30, 9], &[]);
    }
}
