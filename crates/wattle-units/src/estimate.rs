//! A figure with what is known about its truth.

use serde::{Deserialize, Serialize};

use crate::Joules;

/// The provenance of a figure, best first. A figure made of several parts has the provenance of its
/// weakest part ([`Provenance::weakest`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Provenance {
    /// An instrument of the device or beside it counted this energy.
    Measured,
    /// A model that was made for this device or its SoC computed it from recorded states.
    Modelled,
    /// A value of it was guessed: another device's model, a default voltage, a frequency carried
    /// back to before its first event.
    Assumed,
}

impl Provenance {
    /// The provenance of a figure made of two parts.
    #[must_use]
    pub fn weakest(self, other: Self) -> Self {
        self.max(other)
    }
}

impl std::fmt::Display for Provenance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Measured => "measured",
            Self::Modelled => "modelled",
            Self::Assumed => "assumed",
        })
    }
}

/// A two-sided 90 % interval. In JSON an array `[low, high]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "[Joules; 2]", into = "[Joules; 2]")]
pub struct Interval {
    /// Lower end.
    pub low: Joules,
    /// Upper end.
    pub high: Joules,
}

impl Interval {
    /// An interval of no width.
    pub const fn exact(value: Joules) -> Self {
        Self { low: value, high: value }
    }

    /// Whether the value lies inside, ends included.
    pub fn contains(self, value: Joules) -> bool {
        self.low <= value && value <= self.high
    }

    /// Half the width.
    pub fn half_width(self) -> Joules {
        (self.high - self.low) / 2.0
    }
}

impl From<[Joules; 2]> for Interval {
    fn from([low, high]: [Joules; 2]) -> Self {
        Self { low, high }
    }
}

impl From<Interval> for [Joules; 2] {
    fn from(interval: Interval) -> Self {
        [interval.low, interval.high]
    }
}

/// An energy with its 90 % interval and provenance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// The best single figure.
    pub joules: Joules,
    /// 90 % interval.
    #[serde(rename = "interval_joules")]
    pub interval: Interval,
    /// Its provenance.
    pub provenance: Provenance,
}

/// `12.3 mJ (10.1 mJ – 15.0 mJ)`: the figure with its 90 % interval; the figure alone where that has no width.
impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { joules, interval: Interval { low, high }, .. } = *self;
        if low >= high {
            return f.pad(&joules.to_string());
        }
        f.pad(&format!("{joules} ({low} – {high})"))
    }
}
