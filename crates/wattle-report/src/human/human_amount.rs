//! A quantity with its interval.

use wattle_units::{Interval, Joules};

/// A quantity that grows with energy, and the 90 % interval of the energy carried over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// The best single figure.
    pub value: f64,
    /// The least, in the same unit.
    pub low: f64,
    /// The most.
    pub high: f64,
}

impl Amount {
    /// So much for each joule. What is divided by (a battery, a power) is taken as exact.
    pub(super) fn new(joules: Joules, interval: Interval, per_joule: f64) -> Self {
        Self {
            value: joules.value() * per_joule,
            low: interval.low.value() * per_joule,
            high: interval.high.value() * per_joule,
        }
    }

    /// `[low, high]`, as in JSON.
    pub fn interval(self) -> [f64; 2] {
        [self.low, self.high]
    }
}
