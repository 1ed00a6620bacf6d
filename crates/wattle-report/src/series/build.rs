//! All runs of one build.

use serde::Serialize;
use wattle_compare::MeanEnergy;
use wattle_units::{Interval, Joules};

use super::SeriesRun;
use crate::{HumanFigure, HumanUnits};

/// Mean and scatter over the runs of a build that passed.
///
/// The interval is that of the mean, by Student's t from the scatter between runs alone, and never below 0: errors of the device model are
/// the same in all runs, and cancel where builds are compared.
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
        let joules: Vec<Joules> =
            runs.clone().filter(|run| run.counts()).filter_map(SeriesRun::compared).collect();
        let left_out = runs.count() - joules.len();
        let mean = MeanEnergy::new(&joules);
        Self {
            build,
            runs: joules.len(),
            left_out,
            mean_joules: mean.map(|mean| mean.joules),
            interval_joules: mean.and_then(|mean| mean.interval),
            human: None,
            deviation_joules: mean.and_then(|mean| mean.deviation),
        }
    }

    /// Converts the mean. Without an interval it has that of itself alone.
    pub(super) fn convert(&mut self, units: &HumanUnits) {
        self.human = self.mean_joules.and_then(|mean| {
            units.convert(mean, self.interval_joules.unwrap_or(Interval::exact(mean)))
        });
    }
}
