//! Builds whose runs did not take turns.

use wattle_units::CompensatedSum;

use crate::difference_fit::{Fit, Point};

/// Sums of the runs of one build.
struct Sums {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Sums {
    fn new(points: &[Point], build: f64) -> Self {
        let joules = || points.iter().filter(move |point| point.build == build).map(|p| p.joules);
        let count = joules().count() as f64;
        let mean = joules().collect::<CompensatedSum>().value() / count;
        let squares = joules().map(|joules| (joules - mean).powi(2)).collect::<CompensatedSum>();
        Self { count, mean, squares: squares.value() }
    }

    /// The variance of the mean, and its degrees of freedom.
    fn variance_of_mean(&self) -> (f64, f64) {
        let freedom = self.count - 1.0;
        (self.squares / freedom / self.count, freedom)
    }
}

/// Welch's difference of means; where one build has a single run, the scatter of the other stands for both. `None` without scatter to be
/// seen.
pub(crate) fn independent(points: &[Point]) -> Option<Fit> {
    let [before, after] = [0.0, 1.0].map(|build| Sums::new(points, build));
    let total = before.count + after.count;
    if before.count < 1.0 || after.count < 1.0 || total < 3.0 {
        return None;
    }
    let residual = before.squares + after.squares;
    let weights = 1.0 / before.count + 1.0 / after.count;
    let (variance, freedom) = if before.count.min(after.count) < 2.0 {
        (residual / (total - 2.0) * weights, total - 2.0)
    } else {
        let ((a, n), (b, m)) = (before.variance_of_mean(), after.variance_of_mean());
        let sum = a + b;
        // Welch and Satterthwaite; without any scatter there is nothing to divide by.
        (sum, if sum > 0.0 { sum * sum / (a * a / n + b * b / m) } else { n + m })
    };
    Some(Fit {
        difference: after.mean - before.mean,
        standard_error: variance.sqrt(),
        freedom,
        residual,
        residual_weight: total - 2.0,
        weights,
    })
}
