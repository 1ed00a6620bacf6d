//! The runs of one commit as one value.

use std::collections::VecDeque;

use crate::carried_noise::noise_ratio;
use crate::point::{Point, Run};
use crate::robust;

/// Residuals of runs from which the scatter within a commit is estimated.
const RESIDUALS: usize = 200;
/// Up to so many standard deviations from the commit's median, a run counts in full.
const FULL_WEIGHT: f64 = 2.5;
/// From so many standard deviations on, a run is an outlier and does not count.
const NO_WEIGHT: f64 = 5.0;
/// Fewer runs than this cannot outvote an outlier.
const RUNS_THAT_OUTVOTE: usize = 3;
/// Fewer values than this do not say how far runs scatter.
const FEWEST_KNOWN: usize = 10;

/// The runs of one commit as one value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CommitSummary {
    pub mean: f64,
    /// Runs that the mean is worth.
    pub runs: f64,
    /// Squared deviations of runs from the mean, by weight.
    pub scatter: f64,
    /// Degrees of freedom of the scatter.
    pub freedom: f64,
}

/// Scatter of runs within commits, learned from those seen so far.
#[derive(Clone, Debug, Default)]
pub struct RunScatter {
    residuals: VecDeque<Learned>,
    uncertainties: VecDeque<Learned>,
    /// Median of the newest commit.
    level: f64,
}

/// A value that was learned at a level.
#[derive(Clone, Copy, Debug)]
struct Learned {
    value: f64,
    level: f64,
}

impl Learned {
    /// The value as it would be at another level.
    fn at(self, level: f64) -> f64 {
        self.value * noise_ratio(level / self.level)
    }
}

impl RunScatter {
    /// The summary of a commit, `None` without a usable run; its runs are learned from.
    pub fn summarize(&mut self, point: &Point, unit: f64) -> Option<CommitSummary> {
        let runs: Vec<&Run> = point.runs.iter().filter(|run| run.is_usable()).collect();
        let values: Vec<f64> = runs.iter().map(|run| run.value / unit).collect();
        if values.is_empty() {
            return None;
        }
        let center = robust::median(&mut values.clone());
        self.level = center;
        let deviation = self.deviation();
        let mut weights: Vec<f64> = runs.iter().map(|run| self.precision(run, unit)).collect();
        if values.len() >= RUNS_THAT_OUTVOTE && deviation > 0.0 {
            for (weight, value) in weights.iter_mut().zip(&values) {
                let distance = (value - center).abs() / deviation;
                *weight *= ((NO_WEIGHT - distance) / (NO_WEIGHT - FULL_WEIGHT)).clamp(0.0, 1.0);
            }
        }
        self.learn(&values, center);
        for run in runs {
            if let Some(uncertainty) = run.uncertainty.filter(|u| u.is_finite() && *u > 0.0) {
                let learned = Learned { value: uncertainty / unit, level: center };
                push_bounded(&mut self.uncertainties, learned);
            }
        }
        Some(weighted(&values, &weights, center))
    }

    /// Standard deviation of single runs around their commit's median, at the level of the newest commit; 0 as long as it is unknown.
    pub fn deviation(&self) -> f64 {
        if self.residuals.len() < FEWEST_KNOWN {
            return 0.0;
        }
        robust::median_and_deviation(&self.at_level(&self.residuals)).1
    }

    /// The same by squares, in which rarer runs far from the median count up to a limit: those of a second mode, and outliers.
    pub fn wide_deviation(&self) -> f64 {
        let limit = NO_WEIGHT * self.deviation();
        let residuals = self.at_level(&self.residuals);
        let squares: f64 = residuals.iter().map(|r| r.clamp(-limit, limit).powi(2)).sum();
        if limit > 0.0 { (squares / residuals.len() as f64).sqrt() } else { 0.0 }
    }

    fn at_level(&self, learned: &VecDeque<Learned>) -> Vec<f64> {
        learned.iter().map(|it| it.at(self.level)).collect()
    }

    /// The weight of a run by its own uncertainty, 1 for one as sure as most.
    fn precision(&self, run: &Run, unit: f64) -> f64 {
        let Some(own) = run.uncertainty.filter(|u| u.is_finite() && *u >= 0.0) else { return 1.0 };
        if self.uncertainties.len() < FEWEST_KNOWN {
            return 1.0;
        }
        let usual = robust::median(&mut self.at_level(&self.uncertainties)).powi(2);
        let scatter = self.deviation().powi(2);
        let own = (own / unit).powi(2);
        if scatter + own > 0.0 {
            ((scatter + usual) / (scatter + own)).clamp(0.01, 4.0)
        } else {
            1.0
        }
    }

    fn learn(&mut self, values: &[f64], center: f64) {
        if values.len() < 2 {
            return;
        }
        // A median takes up part of the scatter of few runs.
        let lost = (values.len() as f64 / (values.len() as f64 - 1.0)).sqrt();
        for value in values {
            let learned = Learned { value: (value - center) * lost, level: center };
            push_bounded(&mut self.residuals, learned);
        }
    }
}

fn push_bounded(values: &mut VecDeque<Learned>, value: Learned) {
    if values.len() == RESIDUALS {
        values.pop_front();
    }
    values.push_back(value);
}

fn weighted(values: &[f64], weights: &[f64], center: f64) -> CommitSummary {
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return CommitSummary { mean: center, runs: 1.0, scatter: 0.0, freedom: 0.0 };
    }
    let mean = values.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>() / total;
    let scatter = values.iter().zip(weights).map(|(v, w)| w * (v - mean).powi(2)).sum();
    let counted = weights.iter().filter(|weight| **weight > 0.0).count();
    let freedom = (counted as f64 - 1.0).min(total - 1.0).max(0.0);
    CommitSummary { mean, runs: total, scatter, freedom }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned() -> RunScatter {
        let mut scatter = RunScatter::default();
        for order in 0..20 {
            let point = Point::from_values(order, [0.99, 1.0, 1.01, 1.02, 0.98]);
            assert!(scatter.summarize(&point, 1.0).is_some());
        }
        scatter
    }

    #[test]
    fn a_spike_among_several_runs_does_not_count() {
        let summary = learned()
            .summarize(&Point::from_values(20, [0.99, 1.0, 1.01, 1.3]), 1.0)
            .expect("three good runs");
        assert!((summary.mean - 1.0).abs() < 1e-12, "{summary:?}");
        assert_eq!((summary.runs, summary.freedom), (3.0, 2.0));
    }

    #[test]
    fn at_twenty_times_the_level_runs_may_scatter_by_as_much_more() {
        let summary = learned()
            .summarize(&Point::from_values(20, [19.8, 20.4, 21.0]), 1.0)
            .expect("three runs");
        assert!((summary.mean - 20.4).abs() < 1e-9 && summary.runs > 2.99, "{summary:?}");
    }

    #[test]
    fn runs_less_sure_than_usual_count_less() {
        let mut scatter = RunScatter::default();
        let run =
            |value, uncertainty| Run { uncertainty: Some(uncertainty), ..Run::from_value(value) };
        for order in 0..20 {
            let point = Point { order, runs: vec![run(1.0, 0.01), run(1.001, 0.01)] };
            assert!(scatter.summarize(&point, 1.0).is_some());
        }
        let point = Point { order: 20, runs: vec![run(1.0, 0.01), run(1.2, 0.1)] };
        let summary = scatter.summarize(&point, 1.0).expect("two runs");
        assert!(summary.mean < 1.01, "{summary:?}");
    }

    #[test]
    fn a_commit_without_usable_runs_has_no_summary() {
        let point = Point::from_values(0, [f64::NAN, f64::INFINITY, 1e300]);
        assert_eq!(RunScatter::default().summarize(&point, 1.0), None);
    }
}
