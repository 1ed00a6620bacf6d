//! Expectation of all coefficients before any row is looked at.

use super::shrinkage_row::ShrinkageClass;

/// The class of each coefficient and what is expected of it.
#[derive(Clone, Copy)]
pub(super) struct Prior<'a> {
    pub(super) class_of: &'a [usize],
    pub(super) classes: &'a [ShrinkageClass],
}

impl Prior<'_> {
    /// Mean of a coefficient.
    pub(super) fn mean(&self, column: usize) -> f64 {
        self.class_of.get(column).and_then(|class| self.classes.get(*class)).map_or(0.0, |c| c.mean)
    }

    /// Variance of a coefficient, with these deviations of classes.
    pub(super) fn variance(&self, column: usize, deviations: &[f64]) -> f64 {
        let of_class = self.class_of.get(column).and_then(|class| deviations.get(*class));
        variance_of(of_class.copied())
    }

    /// Number of coefficients of a class.
    pub(super) fn count(&self, class: usize) -> f64 {
        self.class_of.iter().filter(|of| **of == class).count() as f64
    }

    /// Variance of the coefficients of a class, with these deviations of classes.
    pub(super) fn class_variance(class: usize, deviations: &[f64]) -> f64 {
        variance_of(deviations.get(class).copied())
    }
}

/// Nothing is known for certain before rows are looked at: no variance is below this.
const LEAST_VARIANCE: f64 = 1e-12;

fn variance_of(deviation: Option<f64>) -> f64 {
    deviation.map_or(1.0, |it| it.powi(2)).max(LEAST_VARIANCE)
}
