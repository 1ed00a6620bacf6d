//! A run that does not belong to the others.

use wattle_fit::student_quantile;

use crate::difference_fit::{Fit, Point};

/// Probability of leaving out a run of a series without outliers.
const FALSE_OUTLIERS: f64 = 0.01;

/// Degrees of freedom that the other runs must have.
const LEAST_FREEDOM: f64 = 3.0;

/// Runs of its build that must remain.
const LEAST_RUNS: usize = 3;

/// Longer series are not searched: their means hardly feel one run.
const MOST_RUNS: usize = 100;

/// The run whose removal lowers the scatter by more than chance allows (deleted residual, Bonferroni over all runs), with the
/// estimate from the others.
pub(crate) fn outlier(
    points: &[Point],
    fit: &Fit,
    estimate: impl Fn(&[Point]) -> Option<Fit>,
) -> Option<(usize, Fit)> {
    if points.len() > MOST_RUNS {
        return None;
    }
    let without = |at: usize| {
        let build = points[at].build;
        let of_build = points.iter().filter(|point| point.build == build).count();
        if of_build <= LEAST_RUNS {
            return None;
        }
        let others: Vec<Point> =
            points.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, p)| *p).collect();
        let others = estimate(&others)?;
        let lost = (fit.residual - others.residual).max(0.0);
        let weight = fit.residual_weight - others.residual_weight;
        let scale = others.residual / others.residual_weight;
        if others.freedom < LEAST_FREEDOM || weight <= 0.0 || scale.is_nan() || scale <= 0.0 {
            return None;
        }
        Some((lost / weight / scale, at, others))
    };
    let candidates = (0..points.len()).filter_map(without);
    let (ratio, at, others) = candidates.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let level = 1.0 - FALSE_OUTLIERS / 2.0 / points.len() as f64;
    (ratio.sqrt() > student_quantile(level, others.freedom)).then_some((at, others))
}
