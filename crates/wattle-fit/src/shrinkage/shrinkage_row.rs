//! Rows that a regression is fitted to, and the expectation of classes of coefficients.

/// The expectation of a class of coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShrinkageClass {
    /// Mean of its coefficients, `μ_c`.
    pub mean: f64,
    /// Standard deviation of its coefficients, `τ_c`; where it is learnt, what is expected of it.
    pub deviation: f64,
    /// Whether the deviation is learnt; the expectation counts as much as so many coefficients. `None`: it is given.
    pub learnt_from: Option<f64>,
}

/// One observation: values of some columns, ascending by column, and what was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShrinkageRow {
    /// Column and value.
    pub values: Vec<(u32, f64)>,
    /// The measured value.
    pub measured: f64,
    /// Expected standard deviation of its noise, above 0.
    pub noise: f64,
}

impl ShrinkageRow {
    /// The value that these coefficients give the row; a column without one counts nothing.
    pub fn expected(&self, coefficients: &[f64]) -> f64 {
        let parts = self.values.iter().map(|(column, value)| {
            value * coefficients.get(*column as usize).copied().unwrap_or_default()
        });
        parts.sum()
    }
}
