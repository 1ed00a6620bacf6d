//! Frequency.

use serde::{Deserialize, Serialize};

/// A clock frequency in hertz. Whole numbers only: frequencies are keys of power curves, and keys
/// are compared exactly.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Hertz(u64);

impl Hertz {
    /// No clock: the block is off or the frequency is zero by definition.
    pub const ZERO: Self = Self(0);

    /// From hertz.
    pub const fn new(hertz: u64) -> Self {
        Self(hertz)
    }

    /// From the kilohertz of cpufreq and of `cpu_frequency` events. Saturates.
    pub const fn from_kilohertz(kilohertz: u64) -> Self {
        Self(kilohertz.saturating_mul(1000))
    }

    /// In hertz.
    pub const fn value(self) -> u64 {
        self.0
    }

    /// In kilohertz, rounded down.
    pub const fn kilohertz(self) -> u64 {
        self.0 / 1000
    }
}

impl std::fmt::Display for Hertz {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        crate::Si { value: self.0 as f64, unit: "Hz" }.fmt(f)
    }
}
