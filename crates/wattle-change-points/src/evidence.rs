//! Evidence for a step at each of the recent commits, over all kinds of noise.

use std::collections::VecDeque;

use crate::carried_noise::CarriedNoise;
use crate::commit_summary::CommitSummary;
use crate::noise_shape::NoiseShape;
use crate::shape_filter::ShapeFilter;

/// Recent commits at which a step is looked for.
const STEPS: usize = 32;

/// Logarithm of a part of a factor that is too small to matter: most kinds of noise are soon too unlikely.
const NEGLIGIBLE: f64 = -8.0;

/// Evidence for a step at each of the recent commits of one segment.
///
/// Each kind of noise explains the series without a step as well as it can; a step must explain it better than all of them
/// together. The sum of the factors over all commits is the Shiryaev–Roberts statistic, so that it exceeds a number A without a
/// step no more often than once in A commits on average.
#[derive(Clone, Debug)]
pub struct Evidence {
    filters: Vec<ShapeFilter>,
    /// Positions in the series of the possible steps, oldest first.
    positions: VecDeque<usize>,
}

/// A step somewhere in the recent commits.
#[derive(Clone, PartialEq, Debug)]
pub struct StepEvidence {
    /// The sum of the factors by which steps make the series likelier.
    pub factor: f64,
    /// Position of the likeliest first commit with the step, and the number of its possible step.
    pub position: usize,
    pub index: usize,
    /// The first and last positions between which the step lies with 90 %.
    pub range: (usize, usize),
}

impl Evidence {
    /// Evidence before the first commit.
    pub fn new(floor: f64) -> Self {
        let filters =
            NoiseShape::all().into_iter().map(|shape| ShapeFilter::new(shape, floor)).collect();
        Self { filters, positions: VecDeque::new() }
    }

    /// The same before its first commit, for changes that take so many commits to reach their size.
    pub fn with_rise(&self, commits: usize) -> Self {
        let mut slower = self.clone();
        for filter in &mut slower.filters {
            filter.set_rise(commits);
        }
        slower
    }

    /// Takes in the commit at this position; `may_step`: whether a step may have happened there.
    pub fn observe(&mut self, position: usize, summary: &CommitSummary, may_step: bool) {
        if may_step {
            self.positions.push_back(position);
            self.filters.iter_mut().for_each(ShapeFilter::add_step);
        }
        if self.positions.len() > STEPS {
            self.positions.pop_front();
            self.filters.iter_mut().for_each(ShapeFilter::drop_step);
        }
        for filter in &mut self.filters {
            filter.observe(summary);
        }
    }

    /// Takes in differences of pairs of runs of the commits at two positions.
    pub fn observe_differences(&mut self, before: usize, after: usize, differences: &[f64]) {
        let spans: Vec<bool> =
            self.positions.iter().map(|step| before < *step && *step <= after).collect();
        for filter in &mut self.filters {
            filter.observe_differences(differences, &spans);
        }
    }

    /// The evidence for a step; `None` where no step is possible yet.
    pub fn step(&self) -> Option<StepEvidence> {
        let null: Vec<f64> = self.filters.iter().map(ShapeFilter::log_likelihood).collect();
        let total_null = log_sum(&null);
        let factors: Vec<f64> = (0..self.positions.len())
            .map(|index| {
                let with_step: Vec<f64> = self
                    .filters
                    .iter()
                    .zip(&null)
                    .filter(|(filter, null)| {
                        *null + filter.log_gain_bound(index) > total_null + NEGLIGIBLE
                    })
                    .map(|(filter, null)| null + filter.log_gain(index))
                    .collect();
                (log_sum(&with_step) - total_null).clamp(-700.0, 700.0).exp()
            })
            .collect();
        let sum: f64 = factors.iter().sum();
        let (index, _) = factors.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
        if !sum.is_finite() {
            return None;
        }
        let quantile = |share: f64| {
            let mut below = 0.0;
            factors
                .iter()
                .position(|factor| {
                    below += factor;
                    below >= share * sum
                })
                .map_or(index, |found| found)
        };
        let (low, high) = (quantile(0.05).min(index), quantile(0.95).max(index));
        Some(StepEvidence {
            factor: sum,
            position: self.positions[index],
            index,
            range: (self.positions[low], self.positions[high]),
        })
    }

    /// Size of a step and its standard deviation, over all kinds of noise.
    pub fn step_size(&self, index: usize) -> Option<(f64, f64)> {
        let logs: Vec<f64> =
            self.filters.iter().map(|f| f.log_likelihood() + f.log_gain(index)).collect();
        let weights = shares(&logs);
        let sizes: Option<Vec<(f64, f64)>> =
            self.filters.iter().map(|filter| filter.step_size(index)).collect();
        Some(mixture(&weights, &sizes?))
    }

    /// Expected mean of the next commit and its standard deviation, over all kinds of noise.
    pub fn prediction(&self, runs: f64) -> (f64, f64) {
        let predictions: Vec<(f64, f64)> = self
            .filters
            .iter()
            .map(|filter| {
                let (mean, deviation) = filter.prediction(runs);
                (mean, deviation * deviation)
            })
            .collect();
        mixture(&self.noise_weights(), &predictions)
    }

    /// Probability that the level drifts.
    pub fn drift_probability(&self) -> f64 {
        let weights = self.noise_weights();
        self.filters.iter().zip(weights).filter(|(f, _)| f.shape.drifts).map(|(_, w)| w).sum()
    }

    /// Evidence for what follows a step at the `index`-th possible commit.
    pub fn restarted(&self, index: usize, carried: CarriedNoise) -> Self {
        let mut filters: Vec<ShapeFilter> =
            self.filters.iter().map(|filter| filter.restarted(index, carried)).collect();
        let logs: Vec<f64> = filters.iter().map(ShapeFilter::log_likelihood).collect();
        let total = log_sum(&logs);
        for filter in &mut filters {
            filter.lower_prior(total);
        }
        Self { filters, positions: VecDeque::new() }
    }

    fn noise_weights(&self) -> Vec<f64> {
        let logs: Vec<f64> = self.filters.iter().map(ShapeFilter::log_likelihood).collect();
        shares(&logs)
    }
}

/// Logarithm of the sum of numbers of which the logarithms are given.
fn log_sum(logs: &[f64]) -> f64 {
    let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    greatest + logs.iter().map(|log| (log - greatest).exp()).sum::<f64>().ln()
}

fn shares(logs: &[f64]) -> Vec<f64> {
    let total = log_sum(logs);
    logs.iter().map(|log| (log - total).exp()).collect()
}

/// Mean and standard deviation of a mixture of distributions with these means and variances.
fn mixture(weights: &[f64], parts: &[(f64, f64)]) -> (f64, f64) {
    let mean: f64 = weights.iter().zip(parts).map(|(w, (mean, _))| w * mean).sum();
    let variance: f64 = weights
        .iter()
        .zip(parts)
        .map(|(w, (part, variance))| w * (variance + (part - mean).powi(2)))
        .sum();
    (mean, variance.max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use wattle_random::SplitMix64;

    use super::*;

    fn summary(mean: f64) -> CommitSummary {
        CommitSummary { mean, runs: 1.0, scatter: 0.0, freedom: 0.0 }
    }

    #[test]
    fn a_step_is_found_at_its_commit_and_with_its_size() {
        let mut random = SplitMix64::new(3);
        let mut evidence = Evidence::new(1e-6);
        for position in 0..60 {
            let level = if position < 50 { 1.0 } else { 1.1 };
            evidence.observe(position, &summary(level + 0.02 * random.normal()), position > 5);
        }
        let step = evidence.step().expect("possible steps");
        assert!(step.factor > 1e6 && step.range.0 <= 50 && step.range.1 >= 50, "{step:?}");
        let (size, deviation) = evidence.step_size(step.index).expect("a size");
        assert!((size - 0.1).abs() < 3.0 * deviation && deviation < 0.02, "{size} {deviation}");
    }

    #[test]
    fn slow_drift_is_told_from_a_step() {
        let mut random = SplitMix64::new(4);
        let (mut evidence, mut level, mut greatest) = (Evidence::new(1e-6), 1.0, 0.0_f64);
        for position in 0..200 {
            level += 0.01 * random.normal();
            evidence.observe(position, &summary(level + 0.005 * random.normal()), position > 20);
            greatest = greatest.max(evidence.step().map_or(0.0, |step| step.factor));
        }
        assert!(evidence.drift_probability() > 0.9, "{}", evidence.drift_probability());
        assert!(greatest < 1e4, "{greatest}");
    }
}
