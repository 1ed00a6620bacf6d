//! From when on a test is excessive.

use wattle_units::CompensatedSum;

use super::usable::UsableTest;

/// Powers that differ by no more than this are the same: a mean is rounded.
const SAME: f64 = 1e-12;

/// The mean power over tests, each counting once however long it took: GreenDroid's threshold.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    pub milliwatts: f64,
}

impl Threshold {
    /// Over these tests; `None` without any.
    pub fn new<'a>(tests: impl Iterator<Item = &'a UsableTest>) -> Option<Self> {
        let mut sum = CompensatedSum::default();
        let mut count = 0_u64;
        for test in tests {
            sum.add(test.milliwatts);
            count += 1;
        }
        let milliwatts = sum.value() / count as f64;
        milliwatts.is_finite().then_some(Self { milliwatts })
    }

    /// Whether a test lies above it.
    pub fn is_exceeded(self, milliwatts: f64) -> bool {
        milliwatts - self.milliwatts > SAME * self.milliwatts.abs()
    }

    /// Whether an interval holds it.
    pub fn lies_in(self, [low, high]: [f64; 2]) -> bool {
        low <= self.milliwatts && self.milliwatts <= high
    }
}
