//! The posterior from the products of rows: the cost is that of a matrix as large as there are rows, however many coefficients there
//! are.
//!
//! With rows `x̃ = x/n`, `ỹ = (y − Xμ)/n` and the variances before any row `D = diag(τ²)`, the matrix inversion lemma gives
//! `K = x̃ D x̃ᵀ + s²`, `α = K⁻¹ ỹ`, `β = μ + D x̃ᵀ α`, and the covariance `D − D x̃ᵀ K⁻¹ x̃ D`. As all coefficients of a class have one
//! variance, `x̃ D x̃ᵀ = Σ_c τ_c² G_c`, and everything that a round of expectation maximisation needs follows from the `G_c`:
//! `Σ (β − μ)² = τ⁴ αᵀ G_c α`, the sum of variances `|c| τ² − τ⁴ tr(K⁻¹ G_c)`, the residuals `s² α`, and the number of coefficients that rows
//! have determined `s² (rows − s² tr K⁻¹)`, here as in [`super::by_columns`] times `s²`.

use super::posterior::{Covariance, Posterior};
use super::prior::Prior;
use super::round_sums::RoundSums;
use super::shrinkage_row::ShrinkageRow;
use crate::cholesky::{Cholesky, product};

/// Products of rows by class, and what rows measured beyond what is expected of them.
pub(super) struct ByRows<'a> {
    rows: &'a [ShrinkageRow],
    prior: Prior<'a>,
    /// `G_c` by class, lower triangle by rows.
    products: Vec<Vec<Vec<f64>>>,
    /// `ỹ`.
    beyond: Vec<f64>,
}

impl<'a> ByRows<'a> {
    pub(super) fn new(rows: &'a [ShrinkageRow], prior: Prior<'a>) -> Self {
        let classes = prior.classes.len();
        let empty: Vec<Vec<f64>> = (1..=rows.len()).map(|length| vec![0.0; length]).collect();
        let mut products = vec![empty; classes];
        // One row is laid out by column, the others walk over what they have.
        let mut laid_out = vec![0.0; prior.class_of.len()];
        for (place, row) in rows.iter().enumerate() {
            for (column, value) in &row.values {
                if let Some(it) = laid_out.get_mut(*column as usize) {
                    *it += value / row.noise;
                }
            }
            for (other_place, other) in rows.iter().enumerate().take(place + 1) {
                for (column, value) in &other.values {
                    let column = *column as usize;
                    let (Some(with), Some(class)) =
                        (laid_out.get(column), prior.class_of.get(column))
                    else {
                        continue;
                    };
                    let of_class = products.get_mut(*class);
                    let sum = of_class
                        .and_then(|it| it.get_mut(place))
                        .and_then(|it| it.get_mut(other_place));
                    if let Some(sum) = sum {
                        *sum += with * value / other.noise;
                    }
                }
            }
            for (column, _) in &row.values {
                if let Some(it) = laid_out.get_mut(*column as usize) {
                    *it = 0.0;
                }
            }
        }
        let means: Vec<f64> = (0..prior.class_of.len()).map(|it| prior.mean(it)).collect();
        let beyond =
            rows.iter().map(|row| (row.measured - row.expected(&means)) / row.noise).collect();
        Self { rows, prior, products, beyond }
    }

    /// The factors of `K`.
    fn factored(&self, deviations: &[f64], noise: f64) -> Option<Cholesky> {
        let mut system: Vec<Vec<f64>> =
            (1..=self.rows.len()).map(|length| vec![0.0; length]).collect();
        for (class, products) in self.products.iter().enumerate() {
            let variance = Prior::class_variance(class, deviations);
            for (row, of_class) in system.iter_mut().zip(products) {
                for (sum, value) in row.iter_mut().zip(of_class) {
                    *sum += variance * value;
                }
            }
        }
        for diagonal in system.iter_mut().filter_map(|row| row.last_mut()) {
            *diagonal += noise.powi(2);
        }
        Cholesky::new(system)
    }

    pub(super) fn posterior(&self, deviations: &[f64], noise: f64) -> Option<Posterior> {
        let factored = self.factored(deviations, noise)?;
        let alpha = factored.solve(&self.beyond);
        let columns = self.prior.class_of.len();
        let before: Vec<f64> =
            (0..columns).map(|column| self.prior.variance(column, deviations)).collect();
        // `x̃ D` by column.
        let mut scaled = vec![vec![0.0; self.rows.len()]; columns];
        for (place, row) in self.rows.iter().enumerate() {
            for (column, value) in &row.values {
                let column = *column as usize;
                let (Some(of_column), Some(variance)) =
                    (scaled.get_mut(column), before.get(column))
                else {
                    continue;
                };
                if let Some(it) = of_column.get_mut(place) {
                    *it += variance * value / row.noise;
                }
            }
        }
        let coefficients = (0..).zip(&scaled);
        let coefficients = coefficients
            .map(|(column, scaled)| self.prior.mean(column) + product(scaled, &alpha))
            .collect();
        let less = scaled.iter().map(|it| factored.forward(it)).collect();
        Some(Posterior { coefficients, covariance: Covariance::Reduced { before, less } })
    }

    pub(super) fn sums(&self, deviations: &[f64], noise: f64) -> Option<RoundSums> {
        let factored = self.factored(deviations, noise)?;
        let alpha = factored.solve(&self.beyond);
        let inverse = factored.inverse();
        let of_classes = self.products.iter().enumerate().map(|(class, products)| {
            let (mut square, mut trace) = (0.0, 0.0);
            let rows = products.iter().zip(&inverse).zip(&alpha);
            for ((products, inverse), of_row) in rows {
                // Twice what is below the diagonal, and the diagonal.
                let diagonal = products.last().copied().unwrap_or_default();
                let of_diagonal = diagonal * inverse.last().copied().unwrap_or_default();
                trace += 2.0 * product(products, inverse) - of_diagonal;
                square += of_row * (2.0 * product(products, &alpha) - diagonal * of_row);
            }
            let variance = Prior::class_variance(class, deviations);
            variance.powi(2) * square
                + (self.prior.count(class) * variance - variance.powi(2) * trace).max(0.0)
        });
        let of_classes = of_classes.collect();
        let trace: f64 = inverse.iter().filter_map(|row| row.last()).sum();
        let scale = noise.powi(2);
        let determined = scale * (self.rows.len() as f64 - scale * trace).max(0.0);
        let residuals = alpha.iter().map(|it| scale * it).collect();
        Some(RoundSums { of_classes, determined, residuals })
    }
}
