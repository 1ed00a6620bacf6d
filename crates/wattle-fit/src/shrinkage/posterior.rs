//! The normal distribution of coefficients that rows leave, in either of two forms.

use crate::cholesky::product;

/// The distribution of coefficients given the rows.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    /// Means of the coefficients.
    pub(super) coefficients: Vec<f64>,
    pub(super) covariance: Covariance,
}

/// The covariance of coefficients.
#[derive(Clone, Debug)]
pub(super) enum Covariance {
    /// The lower triangle, by rows.
    Triangle(Vec<Vec<f64>>),
    /// That before any row, which is diagonal, less a product: of coefficients `i` and `j` `before_i·δ_ij − less_i·less_j`.
    Reduced {
        /// Variances before any row.
        before: Vec<f64>,
        /// By coefficient a vector as long as there are rows.
        less: Vec<Vec<f64>>,
    },
}

impl Posterior {
    /// Whether all means are numbers.
    pub(super) fn is_finite(&self) -> bool {
        self.coefficients.iter().all(|value| value.is_finite())
    }
}

impl Covariance {
    /// Of two coefficients; 0 for those that are not there.
    pub(super) fn between(&self, one: usize, other: usize) -> f64 {
        match self {
            Self::Triangle(rows) => {
                let (row, column) = (one.max(other), one.min(other));
                rows.get(row).and_then(|row| row.get(column)).copied().unwrap_or_default()
            }
            Self::Reduced { before, less } => {
                let (Some(of_one), Some(of_other)) = (less.get(one), less.get(other)) else {
                    return 0.0;
                };
                let own = before.get(one).copied().filter(|_| one == other).unwrap_or_default();
                let left = own - product(of_one, of_other);
                if one == other { left.max(0.0) } else { left }
            }
        }
    }
}
