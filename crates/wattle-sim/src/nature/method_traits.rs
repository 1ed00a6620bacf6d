//! Properties of a method's code.

use std::f64::consts::{SQRT_2, TAU};

use crate::SplitMix64;

/// Standard deviation of the part of each call, and of the slow part within the run, as a share of the method's.
pub(super) const CALL_SHARE: f64 = 0.25;
/// Correlation of a method's activity with what counters can show of it.
const VISIBLE: f64 = 0.85;
/// Weights of instructions a cycle and of misses in the visible part; their squares add up to 1.
const WEIGHTS: (f64, f64) = (0.832, -0.555);
/// Standard deviation of `tanh(1.2 z)` of a standard normal `z`.
const SATURATED_SD: f64 = 0.679;

/// Properties of one method on one thread, all drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct MethodTraits {
    /// Mean 0, standard deviation 1: how much more than usual it switches.
    activity: f64,
    /// Instructions for each cycle of work of a little core.
    pub instructions: f64,
    /// Cache misses for each instruction.
    pub misses: f64,
    /// Share of its time in which it waits for memory when nothing else uses it, 0 to 1.
    pub memory_bound: f64,
    /// Period in nanoseconds and phase in turns of its slow part.
    slow: (f64, f64),
}

impl MethodTraits {
    pub fn new(mut random: SplitMix64) -> Self {
        let [pace, memory, own] = [random.normal(), random.normal(), random.normal()];
        // Saturates: neither the widest nor the most stalled code goes on switching more or less.
        let visible = (1.2 * (WEIGHTS.0 * pace + WEIGHTS.1 * memory)).tanh() / SATURATED_SD;
        let misses = 4e-3 * memory.exp();
        Self {
            activity: VISIBLE * visible + (1.0 - VISIBLE * VISIBLE).sqrt() * own,
            instructions: 0.9 * (0.35 * pace).exp(),
            misses,
            memory_bound: 0.8 * misses / (misses + 8e-3),
            slow: (random.between(1e9, 6e9), random.unit()),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn correlation(pairs: &[(f64, f64)]) -> f64 {
        let count = pairs.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|it| it.0), mean(|it| it.1));
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            pairs.iter().map(|it| of(it.0 - x, it.1 - y)).sum()
        };
        sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
    }

    #[test]
    fn activity_has_mean_1_and_counters_show_most_of_it() {
        let draws: Vec<MethodTraits> =
            (0..20_000).map(|seed| MethodTraits::new(SplitMix64::new(seed).fork(1))).collect();
        let factors = draws.iter().map(|it| mean_one(0.4, it.activity));
        let mean = factors.sum::<f64>() / draws.len() as f64;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        let visible = |it: &MethodTraits| {
            let pace = (it.instructions / 0.9).ln() / 0.35;
            WEIGHTS.0 * pace + WEIGHTS.1 * (it.misses / 4e-3).ln()
        };
        let pairs: Vec<_> = draws.iter().map(|it| (visible(it), it.activity)).collect();
        let found = correlation(&pairs);
        assert!((0.78..0.88).contains(&found), "{found}");
    }
}
