//! Quantiles of the residuals of a calibration.

use wattle_units::Watts;

/// A quantile of what calibration left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualQuantile {
    /// Above 0, below 1.
    pub quantile: f64,
    /// Measured minus modelled.
    pub power: Watts,
}
