//! Sums that one round of expectation maximisation needs.

use super::prior::Prior;

/// That a row's noise is what it says counts as much as so many rows.
const EXPECTED_FROM: f64 = 3.0;

/// Sums over coefficients and rows, given deviations of classes and noise.
pub(super) struct RoundSums {
    /// By class the sum of `(β − μ)²` and of variances of its coefficients.
    pub(super) of_classes: Vec<f64>,
    /// The number of coefficients that rows have determined, times `s²`.
    pub(super) determined: f64,
    /// By row measured less expected, in units of its noise.
    pub(super) residuals: Vec<f64>,
}

impl RoundSums {
    /// The deviations of classes and the noise that are most likely given these sums.
    pub(super) fn maximised(
        &self,
        prior: &Prior<'_>,
        deviations: &[f64],
        noise: f64,
    ) -> (Vec<f64>, f64) {
        let learnt = prior.classes.iter().enumerate().map(|(class, expected)| {
            let Some(weight) = expected.learnt_from else {
                return deviations.get(class).copied().unwrap_or(expected.deviation);
            };
            let count = prior.count(class);
            let sum = self.of_classes.get(class).copied().unwrap_or_default();
            let sum = weight * expected.deviation.powi(2) + sum;
            (sum / (weight + count).max(1.0)).sqrt()
        });
        let learnt = learnt.collect();
        let residuals: f64 = self.residuals.iter().map(|residual| residual.powi(2)).sum();
        let sum = residuals + self.determined + EXPECTED_FROM;
        let scale = (sum / (self.residuals.len() as f64 + EXPECTED_FROM)).sqrt();
        (learnt, if scale.is_finite() && scale > 0.0 { scale } else { noise })
    }

    /// Correlation of the residuals of neighbouring rows.
    pub(super) fn autocorrelation(&self) -> f64 {
        let all: f64 = self.residuals.iter().map(|it| it.powi(2)).sum();
        let next: f64 = self.residuals.array_windows().map(|[one, other]| one * other).sum();
        if all > 0.0 && self.residuals.len() > 2 { next / all } else { 0.0 }
    }
}
