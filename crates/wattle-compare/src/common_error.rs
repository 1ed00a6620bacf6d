//! The error that all runs share.

use wattle_units::Joules;

/// The error of the device model that both builds share, as one standard deviation of the difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CommonError {
    /// A part of the difference, whatever its size: one curve reads both runs wrong by the same factor. It makes a difference larger or
    /// smaller and never turns its sign.
    Proportional(f64),
    /// An energy: components with errors of their own moved in opposite directions, or were divided differently.
    Fixed(Joules),
}

impl CommonError {
    /// No error: an instrument that reads the same in both runs.
    pub const NONE: Self = Self::Proportional(0.0);

    /// The deviation that could turn the sign of a difference.
    pub(crate) fn turning(self) -> f64 {
        match self {
            Self::Proportional(_) => 0.0,
            Self::Fixed(joules) => positive(joules.value()),
        }
    }

    /// The deviation of a difference of this size.
    pub(crate) fn deviation(self, difference: f64) -> f64 {
        match self {
            Self::Proportional(share) => positive(share) * difference.abs(),
            Self::Fixed(joules) => positive(joules.value()),
        }
    }
}

/// The number if it is finite and positive, else 0.
fn positive(value: f64) -> f64 {
    if value.is_finite() { value.max(0.0) } else { 0.0 }
}
