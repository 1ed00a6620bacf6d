//! The mean energy of the runs of a build.

use wattle_fit::student_quantile;
use wattle_units::{CompensatedSum, Interval, Joules};

/// Mean and scatter of the runs of one build.
///
/// The interval is that of the mean, by Student's t from the scatter alone: errors of the device model are the same in all runs. It is
/// never below 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanEnergy {
    /// Number of runs.
    pub runs: usize,
    /// The mean.
    pub joules: Joules,
    /// Standard deviation between runs; `None` for one run.
    pub deviation: Option<Joules>,
    /// 90 % interval of the mean; `None` for one run.
    pub interval: Option<Interval>,
}

impl MeanEnergy {
    /// The mean of runs; `None` without any, or where one is not a finite number.
    pub fn new(runs: &[Joules]) -> Option<Self> {
        if runs.is_empty() || runs.iter().any(|joules| !joules.is_finite()) {
            return None;
        }
        let count = runs.len() as f64;
        let mean = runs.iter().copied().sum::<Joules>() / count;
        let deviation = (runs.len() > 1).then(|| {
            let squares = runs.iter().map(|joules| (*joules - mean).value().powi(2));
            Joules::new((squares.collect::<CompensatedSum>().value() / (count - 1.0)).sqrt())
        });
        let interval = deviation.map(|deviation| {
            let reach = deviation * (student_quantile(0.95, count - 1.0) / count.sqrt());
            let low = (mean - reach).max(Joules::ZERO).min(mean);
            Interval { low, high: mean + reach }
        });
        Some(Self { runs: runs.len(), joules: mean, deviation, interval })
    }

    /// The 90 % interval of the mean by its scatter and by an error that all runs have in common, of which half of a 90 % interval is
    /// `common` joules: both independent of each other. It is never below 0.
    pub fn interval_with(&self, common: Joules) -> Interval {
        let scatter = self.interval.map_or(0.0, |it| (it.high - it.low).value() / 2.0);
        let reach = Joules::new(scatter.hypot(common.value()));
        let low = (self.joules - reach).max(Joules::ZERO.min(self.joules));
        Interval { low, high: self.joules + reach }
    }
}
