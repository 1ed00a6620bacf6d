//! Explanations of noise.

use crate::point::{Conditions, Run};
use crate::robust;

/// Runs that an explanation needs.
const FEWEST_RUNS: usize = 12;
/// Share of the variance that a condition must explain.
const EXPLAINED: f64 = 0.4;
/// Part of a commit's distance from the runs before that a condition must foretell, or that a run before must have had.
const FORETOLD: f64 = 0.5;
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
        let explained = CONDITIONS
            .into_iter()
            .filter_map(|(cause, condition)| Some((cause, Trend::new(&runs, condition)?.share)))
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

    /// The cause by which the newest runs are far from those before, as far as those before know it: a condition that they followed and
    /// that foretells the newest, or single runs as far away. `None`: nothing like it was seen.
    pub(crate) fn of_newest(newest: &[Run], before: &[Run]) -> Option<Self> {
        let usable = |runs: &[Run]| -> Vec<Run> {
            runs.iter().filter(|run| run.is_usable()).copied().collect()
        };
        let (newest, before) = (usable(newest), usable(before));
        let (level, value) = (mean(&before, |run| run.value)?, mean(&newest, |run| run.value)?);
        let foretold = |condition: Condition| {
            let trend = Trend::new(&before, condition).filter(|it| it.share >= EXPLAINED)?;
            let known: Option<Vec<f64>> =
                newest.iter().map(|run| condition(&run.conditions)).collect();
            let at = mean(&known?, |it| *it)?;
            let share = trend.slope * (at - trend.center) / (value - level);
            (FORETOLD..=1.0 / FORETOLD).contains(&share).then_some(trend.share)
        };
        let explained = CONDITIONS
            .into_iter()
            .filter_map(|(cause, condition)| Some((cause, foretold(condition)?)))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let was_as_far = |run: &Run| (run.value - level) / (value - level) >= FORETOLD;
        let outliers = || before.iter().any(was_as_far).then_some(Self::Outliers);
        explained.map(|(cause, _)| cause).or_else(outliers)
    }
}

/// The conditions that runs may follow.
const CONDITIONS: [(FlakyCause, Condition); 3] = [
    (FlakyCause::Heat, |conditions| conditions.temperature),
    (FlakyCause::Clock, |conditions| conditions.clock),
    (FlakyCause::Background, |conditions| conditions.background),
];

fn mean<T>(items: &[T], value: impl Fn(&T) -> f64) -> Option<f64> {
    (!items.is_empty()).then(|| items.iter().map(value).sum::<f64>() / items.len() as f64)
}

/// Values as a line over a condition.
struct Trend {
    /// Mean of the condition.
    center: f64,
    slope: f64,
    /// Share of the values' variance that the line explains.
    share: f64,
}

impl Trend {
    /// `None` with too few runs, or where nothing varies.
    fn new(runs: &[Run], condition: Condition) -> Option<Self> {
        let pairs: Vec<(f64, f64)> = runs
            .iter()
            .filter_map(|run| Some((condition(&run.conditions)?, run.value)))
            .filter(|(x, _)| x.is_finite())
            .collect();
        if pairs.len() < FEWEST_RUNS {
            return None;
        }
        let (center, level) = (mean(&pairs, |pair| pair.0)?, mean(&pairs, |pair| pair.1)?);
        let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
            pairs.iter().map(|(x, y)| f(x - center, y - level)).sum()
        };
        let (xx, yy, xy) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
        (xx > 0.0 && yy > 0.0).then(|| Self { center, slope: xy / xx, share: xy * xy / (xx * yy) })
    }
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

    #[test]
    fn the_newest_runs_have_a_cause_only_if_those_before_knew_it() {
        let of_newest = |newest: &[Run], before: &[Run]| FlakyCause::of_newest(newest, before);
        let quiet = runs(|random, _| Run::from_value(1.0 + 0.01 * random.normal()));
        let far = [Run::from_value(1.4), Run::from_value(1.41)];
        assert_eq!(of_newest(&far, &quiet), None);
        let mut spiked = quiet;
        spiked[20].value = 1.35;
        assert_eq!(of_newest(&far, &spiked), Some(FlakyCause::Outliers));
        assert_eq!(of_newest(&[Run::from_value(0.6)], &spiked), None);
        let at = |temperature: f64, value: f64| Run {
            conditions: Conditions { temperature: Some(temperature), ..Conditions::default() },
            ..Run::from_value(value)
        };
        let warm = runs(|random, _| {
            let temperature = 30.0 + random.normal();
            at(temperature, 1.0 + 0.02 * (temperature - 30.0) + 0.002 * random.normal())
        });
        assert_eq!(of_newest(&[at(40.0, 1.2)], &warm), Some(FlakyCause::Heat));
        // So much more than the temperature ever did, and as much more at the usual one.
        assert_eq!(of_newest(&[at(40.0, 2.0)], &warm), None);
        assert_eq!(of_newest(&[at(30.0, 1.2)], &warm), None);
        assert_eq!(of_newest(&[], &warm), None);
    }
}
