//! Limits between classes.

use serde::Serialize;

use super::{Letter, quartiles};

/// Values at which B, C, D and E begin, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Limits([f64; 4]);

impl Limits {
    /// Five classes of equal width between Q1 − 1.5 · IQR (not below 0) and Q3 + 1.5 · IQR of the values: Aeon's rule. `None`
    /// where that is no width: too few values, or all alike.
    pub fn of_values(values: &[f64]) -> Option<Self> {
        let (first, third) = quartiles(values)?;
        let reach = 1.5 * (third - first);
        let bottom = (first - reach).max(0.0);
        let width = (third + reach - bottom) / 5.0;
        Self::new([1.0, 2.0, 3.0, 4.0].map(|nth| bottom + nth * width))
    }

    /// Classes of a fixed width around a fixed value, which is the upper end of B: Aeon's rule where it has a baseline.
    pub fn of_baseline(value: f64, width: f64) -> Option<Self> {
        Self::new([-1.0, 0.0, 1.0, 2.0].map(|nth| value + nth * width))
    }

    fn new(limits: [f64; 4]) -> Option<Self> {
        let finite = limits.iter().all(|limit| limit.is_finite());
        let ascending = limits.windows(2).all(|pair| pair[0] < pair[1]);
        (finite && ascending).then_some(Self(limits))
    }

    /// The class of a value. One that is a limit belongs to the class that begins there.
    pub fn letter(self, value: f64) -> Letter {
        let begun = self.0.iter().filter(|limit| value >= **limit).count();
        Letter::ALL[begun]
    }

    /// The limits.
    pub fn values(self) -> [f64; 4] {
        self.0
    }

    /// The limits as a slice.
    pub(super) fn as_slice(&self) -> &[f64] {
        &self.0
    }
}
