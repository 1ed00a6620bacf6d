use crate::order;

/// Errors of predictions against measurements. Relative errors are fractions: 0.05 is 5 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// Rows compared.
    pub rows: usize,
    /// Rows left out: measured 0, or no number on either side, where a relative error means nothing.
    pub left_out: usize,
    /// Mean absolute relative error (MAPE).
    pub mean: f64,
    /// Median absolute relative error.
    pub median: f64,
    /// The absolute relative error that 95 % of the rows stay within.
    pub p95: f64,
    /// Share of rows with an error of at most 10 %.
    pub within_tenth: f64,
    /// Mean signed relative error: above 0 is predicted too much.
    pub bias: f64,
    /// Share of the variance that is explained, `1 − Σ(y−p)² / Σ(y−ȳ)²`; `None` when nothing varies.
    pub r_squared: Option<f64>,
}

impl Scores {
    /// Of predictions beside measured values; `None` when not one row can be compared.
    pub fn new(measured: &[f64], predicted: &[f64]) -> Option<Self> {
        let usable: Vec<(f64, f64)> = measured
            .iter()
            .copied()
            .zip(predicted.iter().copied())
            .filter(|(y, p)| y.is_finite() && p.is_finite() && *y != 0.0)
            .collect();
        let rows = usable.len();
        let left_out = measured.len().max(predicted.len()) - rows;
        let signed: Vec<f64> = usable.iter().map(|(y, p)| (p - y) / y.abs()).collect();
        let absolute: Vec<f64> = signed.iter().map(|error| error.abs()).collect();
        let sorted = order::sorted(&absolute);
        let share = |count: usize| count as f64 / rows as f64;
        let level = usable.iter().map(|(y, _)| y).sum::<f64>() / rows as f64;
        let total: f64 = usable.iter().map(|(y, _)| (y - level).powi(2)).sum();
        let residual: f64 = usable.iter().map(|(y, p)| (y - p).powi(2)).sum();
        Some(Self {
            rows,
            left_out,
            mean: absolute.iter().sum::<f64>() / rows as f64,
            median: order::quantile(&sorted, 0.5)?,
            p95: order::quantile(&sorted, 0.95)?,
            within_tenth: share(absolute.iter().filter(|error| **error <= 0.1).count()),
            bias: signed.iter().sum::<f64>() / rows as f64,
            r_squared: (total > 0.0).then(|| 1.0 - residual / total),
        })
    }
}

/// The share of measured values inside their intervals; `None` of nothing.
pub fn coverage(measured: &[f64], intervals: &[(f64, f64)]) -> Option<f64> {
    let pairs: Vec<_> = measured.iter().zip(intervals).filter(|(y, _)| y.is_finite()).collect();
    let inside = pairs.iter().filter(|(y, (low, high))| *low <= **y && **y <= *high).count();
    (!pairs.is_empty()).then(|| inside as f64 / pairs.len() as f64)
}
