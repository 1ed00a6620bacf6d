//! Properties of a method's code.

use std::f64::consts::{SQRT_2, TAU};

use crate::SplitMix64;

/// Standard deviation of the part of each call, and of the slow part within the run, as a share of the method's.
pub(super) const CALL_SHARE: f64 = 0.25;

/// Properties of one method on one thread, all drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct MethodTraits {
    /// Standard normal: how much more than usual it switches.
    activity: f64,
    /// Period in nanoseconds and phase in turns of its slow part.
    slow: (f64, f64),
}

impl MethodTraits {
    pub fn new(mut random: SplitMix64) -> Self {
        Self { activity: random.normal(), slow: (random.between(1e9, 6e9), random.unit()) }
    }

    /// Factor on active core power at an instant in nanoseconds, by the standard deviation of its logarithm.
    pub fn activity(&self, size: f64, now: i64) -> f64 {
        let (period, phase) = self.slow;
        let wave = SQRT_2 * (TAU * (now as f64 / period + phase)).sin();
        mean_one(size, self.activity) * mean_one(size * CALL_SHARE, wave)
    }
}

/// A log-normal factor with mean 1.
pub(super) fn mean_one(sd: f64, normal: f64) -> f64 {
    (sd * normal - 0.5 * sd * sd).exp()
}
