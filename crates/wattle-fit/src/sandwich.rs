use std::collections::BTreeMap;

use crate::cholesky::Cholesky;
use crate::triangle::{dot, length};

/// Variances of coefficients where rows of one cluster err together.
pub(crate) struct ClusteredErrors {
    /// One for each column.
    pub(crate) variances: Vec<f64>,
    /// Clusters they were learnt from.
    pub(crate) clusters: usize,
}

/// The cluster-robust covariance of Liang and Zeger (*Longitudinal data analysis using generalized linear models*, Biometrika 73, 1986),
/// with the correction `G/(G−1) · (n−1)/(n−k)` for few clusters: `(XᵀX)⁻¹ (Σ_g Xgᵀ r_g r_gᵀ Xg) (XᵀX)⁻¹`.
///
/// `columns` and `residuals` are already multiplied by the roots of the weights; values of `columns` past the residuals are left
/// out. `None` for fewer than two clusters, no degree of freedom, and columns that depend on each other.
pub(crate) fn clustered_errors(
    columns: &[Vec<f64>],
    residuals: &[f64],
    clusters: &[usize],
) -> Option<ClusteredErrors> {
    let rows = residuals.len();
    let columns: Vec<&[f64]> = columns.iter().filter_map(|column| column.get(..rows)).collect();
    // Unit columns: watts and bytes are told apart by the same tolerance.
    let scales: Vec<f64> = columns.iter().map(|column| length(column)).collect();
    if scales.iter().any(|scale| *scale <= 0.0) || rows <= columns.len() {
        return None;
    }
    let gram = columns.iter().zip(&scales).enumerate().map(|(i, (a, s))| {
        let above = columns.iter().zip(&scales).take(i + 1);
        above.map(|(b, t)| dot(a, b) / (s * t)).collect()
    });
    let factor = Cholesky::new(gram.collect())?;
    let mut scores: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (row, (residual, cluster)) in residuals.iter().zip(clusters).enumerate() {
        let sums = scores.entry(*cluster).or_insert_with(|| vec![0.0; columns.len()]);
        for ((sum, column), scale) in sums.iter_mut().zip(&columns).zip(&scales) {
            *sum += column.get(row).copied().unwrap_or_default() / scale * residual;
        }
    }
    let groups = scores.len();
    if groups < 2 {
        return None;
    }
    let mut variances = vec![0.0; columns.len()];
    for score in scores.values() {
        for ((variance, value), scale) in variances.iter_mut().zip(factor.solve(score)).zip(&scales)
        {
            *variance += (value / scale) * (value / scale);
        }
    }
    let (n, k, g) = (rows as f64, columns.len() as f64, groups as f64);
    let few = g / (g - 1.0) * (n - 1.0) / (n - k);
    Some(ClusteredErrors {
        variances: variances.into_iter().map(|variance| variance * few).collect(),
        clusters: groups,
    })
}
