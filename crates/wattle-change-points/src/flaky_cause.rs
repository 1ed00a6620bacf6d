//! Explanations of noise.

use crate::point::{Conditions, Run};
use crate::robust;

/// Runs that an explanation needs.
const FEWEST_RUNS: usize = 12;
/// Share of the variance that a condition must explain.
const EXPLAINED: f64 = 0.4;
/// Gap between two groups of runs, in standard deviations within the groups.
const MODES_APART: f64 = 3.5;

/// One of the conditions of a run.
type Condition = fn(&Conditions) -> Option<f64>;

/// The likely cause of a flaky metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlakyCause {
    /// Runs follow the device's temperature.
    Heat,
    /// Runs follow the clock of the CPU.
    Clock,
    /// Runs follow the activity of other processes.
    Background,
    /// Runs fall into two groups.
    TwoModes,
    /// The level drifts slowly without a step.
    Drift,
    /// Single runs are far from the others.
    Outliers,
    /// Nothing that was recorded explains it.
    Unknown,
}

impl FlakyCause {
    /// The cause of the scatter of these runs, which are one level's.
    pub(crate) fn from_runs(runs: &[Run], drift_probability: f64) -> Self {
        let runs: Vec<Run> = runs.iter().filter(|run| run.is_usable()).copied().collect();
        let conditions: [(Self, Condition); 3] = [
            (Self::Heat, |conditions| conditions.temperature),
            (Self::Clock, |conditions| conditions.clock),
            (Self::Background, |conditions| conditions.background),
        ];
        let explained = conditions
            .into_iter()
            .filter_map(|(cause, condition)| Some((cause, explained_share(&runs, condition)?)))
            .filter(|(_, share)| *share >= EXPLAINED)
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let values: Vec<f64> = runs.iter().map(|run| run.value).collect();
        match explained {
            Some((cause, _)) => cause,
            None if drift_probability > 0.8 => Self::Drift,
            None if has_two_modes(&values) => Self::TwoModes,
            None if has_outliers(&values) => Self::Outliers,
            None => Self::Unknown,
        }
    }
}

/// Share of the variance of values that a condition explains linearly; `None` with too few runs.
fn explained_share(runs: &[Run], condition: Condition) -> Option<f64> {
    let pairs: Vec<(f64, f64)> = runs
        .iter()
        .filter_map(|run| Some((condition(&run.conditions)?, run.value)))
        .filter(|(x, _)| x.is_finite())
        .collect();
    if pairs.len() < FEWEST_RUNS {
        return None;
    }
    let count = pairs.len() as f64;
    let mean_x = pairs.iter().map(|pair| pair.0).sum::<f64>() / count;
    let mean_y = pairs.iter().map(|pair| pair.1).sum::<f64>() / count;
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        pairs.iter().map(|(x, y)| f(x - mean_x, y - mean_y)).sum()
    };
    let (xx, yy, xy) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
    (xx > 0.0 && yy > 0.0).then(|| xy * xy / (xx * yy))
}

/// Whether values fall into two groups that are farther apart than each is wide.
fn has_two_modes(values: &[f64]) -> bool {
    if values.len() < FEWEST_RUNS {
        return false;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    // Each group has a sixth of the runs at least: fewer are outliers.
    let fewest = (sorted.len() / 6).max(3);
    (fewest..=sorted.len() - fewest).any(|split| {
        let (low, high) = sorted.split_at(split);
        let (low_center, low_width) = mean_and_deviation(low);
        let (high_center, high_width) = mean_and_deviation(high);
        let width = f64::midpoint(low_width * low_width, high_width * high_width).sqrt();
        // Halves of one normal distribution are 2.65 of their own deviations apart.
        high_center - low_center > MODES_APART * width && width > 0.0
    })
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

fn has_outliers(values: &[f64]) -> bool {
    let (center, deviation) = robust::median_and_deviation(values);
    deviation > 0.0 && values.iter().any(|value| (value - center).abs() > 5.0 * deviation)
}

#[cfg(test)]
mod tests {
    use wattle_random::SplitMix64;

    use super::*;

    fn runs(make: impl Fn(&mut SplitMix64, usize) -> Run) -> Vec<Run> {
        let mut random = SplitMix64::new(9);
        (0..80).map(|index| make(&mut random, index)).collect()
    }

    #[test]
    fn each_cause_is_named() {
        let gaussian = runs(|random, _| Run::from_value(1.0 + 0.02 * random.normal()));
        assert_eq!(FlakyCause::from_runs(&gaussian, 0.1), FlakyCause::Unknown);
        assert_eq!(FlakyCause::from_runs(&gaussian, 0.95), FlakyCause::Drift);
        let bimodal = runs(|random, _| {
            let mode = if random.chance(0.4) { 1.1 } else { 1.0 };
            Run::from_value(mode + 0.01 * random.normal())
        });
        assert_eq!(FlakyCause::from_runs(&bimodal, 0.1), FlakyCause::TwoModes);
        let spiked = runs(|random, index| {
            let spike = if index % 20 == 7 { 0.5 } else { 0.0 };
            Run::from_value(1.0 + spike + 0.01 * random.normal())
        });
        assert_eq!(FlakyCause::from_runs(&spiked, 0.1), FlakyCause::Outliers);
        let hot = runs(|random, index| {
            let temperature = 30.0 + (index as f64 / 9.0).sin() * 5.0;
            let value = 1.0 + 0.01 * (temperature - 30.0) + 0.01 * random.normal();
            let conditions = Conditions { temperature: Some(temperature), ..Conditions::default() };
            Run { conditions, ..Run::from_value(value) }
        });
        assert_eq!(FlakyCause::from_runs(&hot, 0.95), FlakyCause::Heat);
    }
}
