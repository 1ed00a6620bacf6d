//! The posterior from the products of columns: the cost is that of a matrix as large as there are coefficients.

use super::posterior::{Covariance, Posterior};
use super::prior::Prior;
use super::round_sums::RoundSums;
use super::shrinkage_row::ShrinkageRow;
use crate::cholesky::Cholesky;

/// `XᵀWX` (lower triangle) and `XᵀWy` with `W = 1/n²`.
pub(super) struct ByColumns<'a> {
    rows: &'a [ShrinkageRow],
    prior: Prior<'a>,
    square: Vec<Vec<f64>>,
    measured: Vec<f64>,
}

impl<'a> ByColumns<'a> {
    pub(super) fn new(rows: &'a [ShrinkageRow], prior: Prior<'a>) -> Self {
        let columns = prior.class_of.len();
        let mut square: Vec<Vec<f64>> = (1..=columns).map(|length| vec![0.0; length]).collect();
        let mut measured = vec![0.0; columns];
        for row in rows {
            let weight = row.noise.powi(-2);
            for (place, (column, value)) in row.values.iter().enumerate() {
                let weighed = weight * value;
                if let Some(sum) = measured.get_mut(*column as usize) {
                    *sum += weighed * row.measured;
                }
                let Some(of_row) = square.get_mut(*column as usize) else { continue };
                for (other, with) in row.values.iter().take(place + 1) {
                    if let Some(sum) = of_row.get_mut(*other as usize) {
                        *sum += weighed * with;
                    }
                }
            }
        }
        Self { rows, prior, square, measured }
    }

    fn solved(&self, deviations: &[f64], noise: f64) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
        let weight = noise.powi(-2);
        let mut system: Vec<Vec<f64>> = self
            .square
            .iter()
            .map(|row| row.iter().map(|value| value * weight).collect())
            .collect();
        let mut right = Vec::with_capacity(system.len());
        for (column, (row, measured)) in system.iter_mut().zip(&self.measured).enumerate() {
            let precision = 1.0 / self.prior.variance(column, deviations);
            if let Some(diagonal) = row.last_mut() {
                *diagonal += precision;
            }
            right.push(measured * weight + precision * self.prior.mean(column));
        }
        let factored = Cholesky::new(system)?;
        Some((factored.solve(&right), factored.inverse()))
    }

    pub(super) fn posterior(&self, deviations: &[f64], noise: f64) -> Option<Posterior> {
        let (coefficients, covariance) = self.solved(deviations, noise)?;
        Some(Posterior { coefficients, covariance: Covariance::Triangle(covariance) })
    }

    pub(super) fn sums(&self, deviations: &[f64], noise: f64) -> Option<RoundSums> {
        let (coefficients, covariance) = self.solved(deviations, noise)?;
        let mut of_classes = vec![0.0; self.prior.classes.len()];
        for ((column, class), value) in self.prior.class_of.iter().enumerate().zip(&coefficients) {
            let variance = covariance.get(column).and_then(|row| row.last()).copied();
            let off = value - self.prior.mean(column);
            if let Some(sum) = of_classes.get_mut(*class) {
                *sum += off.powi(2) + variance.unwrap_or_default();
            }
        }
        // The trace of `A⁻¹ XᵀWX`.
        let mut determined = 0.0;
        for (row, known) in self.square.iter().zip(&covariance) {
            let both = row.iter().zip(known).map(|(a, b)| a * b);
            determined += 2.0 * both.sum::<f64>();
            determined -= row.last().zip(known.last()).map_or(0.0, |(a, b)| a * b);
        }
        let residuals = self.rows.iter();
        let residuals =
            residuals.map(|row| (row.measured - row.expected(&coefficients)) / row.noise).collect();
        Some(RoundSums { of_classes, determined, residuals })
    }
}
