//! All runs of one build.

use serde::Serialize;
use wattle_power::student_quantile;
use wattle_units::{Interval, Joules};

use super::SeriesRun;
use crate::{HumanFigure, HumanUnits};

/// Mean and scatter over the runs of a build that passed.
///
/// The interval is that of the mean, by Student's t from the scatter between runs alone: errors of the device model are the
/// same in all runs, and cancel where builds are compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BuildRow {
    /// Its name; `None` if there is only one.
    pub build: Option<String>,
    /// Runs that count.
    pub runs: usize,
    /// Runs that do not: they failed, or gave no figure.
    pub left_out: usize,
    /// Mean energy of a run.
    pub mean_joules: Option<Joules>,
    /// 90 % interval of the mean; `None` for fewer than two runs.
    pub interval_joules: Option<Interval>,
    /// Mean and interval in human units; `None` where there is no mean.
    pub human: Option<HumanFigure>,
    /// Standard deviation between runs; `None` for fewer than two.
    pub deviation_joules: Option<Joules>,
}

impl BuildRow {
    /// Of the runs of one build.
    pub(super) fn new<'a>(
        build: Option<String>,
        runs: impl Iterator<Item = &'a SeriesRun> + Clone,
    ) -> Self {
        let joules: Vec<f64> = runs
            .clone()
            .filter(|run| run.counts())
            .filter_map(|run| run.compared().map(Joules::value))
            .collect();
        let left_out = runs.count() - joules.len();
        let count = joules.len() as f64;
        let mean = (!joules.is_empty()).then(|| joules.iter().sum::<f64>() / count);
        let deviation = mean.filter(|_| joules.len() > 1).map(|mean| {
            let squares: f64 = joules.iter().map(|j| (j - mean).powi(2)).sum();
            (squares / (count - 1.0)).sqrt()
        });
        let interval = mean.zip(deviation).map(|(mean, deviation)| {
            let half = student_quantile(count - 1.0) * deviation / count.sqrt();
            Interval { low: Joules::new(mean - half), high: Joules::new(mean + half) }
        });
        Self {
            build,
            runs: joules.len(),
            left_out,
            mean_joules: mean.map(Joules::new),
            interval_joules: interval,
            human: None,
            deviation_joules: deviation.map(Joules::new),
        }
    }

    /// Converts the mean. Without an interval it has that of itself alone.
    pub(super) fn convert(&mut self, units: &HumanUnits) {
        self.human = self.mean_joules.and_then(|mean| {
            units.convert(mean, self.interval_joules.unwrap_or(Interval::exact(mean)))
        });
    }

    /// Variance of the mean.
    pub(super) fn variance_of_mean(&self) -> Option<f64> {
        Some(self.deviation_joules?.value().powi(2) / self.runs as f64)
    }
}
