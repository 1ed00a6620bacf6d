//! The period of a series of times.

use wattle_units::BootNanos;

/// The period of a series of times, and how well it is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegularTimes {
    /// The median time from one to the next, in seconds.
    pub period: f64,
    /// The part of those times that are the period, give or take the tolerance.
    pub share: f64,
}

impl RegularTimes {
    /// Of times in their order; `tolerance` is a part of the period. `None` of fewer than two.
    pub(super) fn of(times: &[BootNanos], tolerance: f64) -> Option<Self> {
        let steps =
            times.windows(2).filter_map(|pair| Some((*pair.get(1)? - *pair.first()?).seconds()));
        let mut intervals: Vec<f64> = steps.collect();
        intervals.sort_by(f64::total_cmp);
        let period = intervals.get(intervals.len() / 2).copied()?;
        let near = intervals.iter().filter(|it| (*it / period - 1.0).abs() <= tolerance).count();
        Some(Self { period, share: near as f64 / intervals.len() as f64 })
    }
}
