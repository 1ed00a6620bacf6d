//! Time: instants on the boot clock and lengths between them.

use serde::{Deserialize, Serialize};

/// An instant in nanoseconds of the device's boot-time clock (`CLOCK_BOOTTIME`), which goes on
/// through suspend. The one clock of a timeline.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct BootNanos(i64);

/// A length of time in nanoseconds. Negative lengths exist (clock offsets).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Nanos(i64);

impl BootNanos {
    /// The earliest instant that can be written down.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest instant that can be written down; an end that is not known yet.
    pub const MAX: Self = Self(i64::MAX);

    /// From nanoseconds since boot.
    pub const fn new(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since boot.
    pub const fn value(self) -> i64 {
        self.0
    }
}

impl Nanos {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// From nanoseconds.
    pub const fn new(nanos: i64) -> Self {
        Self(nanos)
    }

    /// From seconds; rounds to the nearest nanosecond and saturates.
    pub fn from_seconds(seconds: f64) -> Self {
        Self((seconds * 1e9).round() as i64)
    }

    /// In nanoseconds.
    pub const fn value(self) -> i64 {
        self.0
    }

    /// In seconds.
    pub const fn seconds(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// In milliseconds.
    pub const fn milliseconds(self) -> f64 {
        self.0 as f64 * 1e-6
    }
}

/// Saturates: instants come from files, and a file can hold any number.
impl std::ops::Sub for BootNanos {
    type Output = Nanos;
    fn sub(self, earlier: Self) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

/// Saturates.
impl std::ops::Add<Nanos> for BootNanos {
    type Output = Self;
    fn add(self, length: Nanos) -> Self {
        Self(self.0.saturating_add(length.0))
    }
}

/// Saturates.
impl std::ops::Sub<Nanos> for BootNanos {
    type Output = Self;
    fn sub(self, length: Nanos) -> Self {
        Self(self.0.saturating_sub(length.0))
    }
}

/// Saturates.
impl std::ops::Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// Saturates.
impl std::ops::AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Saturates.
impl std::ops::Sub for Nanos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// Saturates.
impl std::iter::Sum for Nanos {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, std::ops::Add::add)
    }
}

impl std::fmt::Display for Nanos {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        crate::Si { value: self.seconds(), unit: "s" }.fmt(f)
    }
}
