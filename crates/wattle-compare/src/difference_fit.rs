//! A difference estimated from runs.

/// A run as numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// Its number in the series.
    pub number: f64,
    /// 0 for the first build, 1 for the second.
    pub build: f64,
    pub joules: f64,
}

/// An estimate from runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    pub difference: f64,
    pub standard_error: f64,
    /// Degrees of freedom of the standard error.
    pub freedom: f64,
    /// Sum of squares that is not explained.
    pub residual: f64,
    /// Its expectation, in variances of a run.
    pub residual_weight: f64,
    /// Sum of the squared weights that runs have in the difference.
    pub weights: f64,
}

impl Fit {
    /// The same where a run has at least this variance.
    pub fn with_least_variance(self, variance: f64) -> Self {
        let least = (variance * self.weights).sqrt();
        Self { standard_error: self.standard_error.max(least), ..self }
    }
}
