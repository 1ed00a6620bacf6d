//! An energy in a report, or the fact that there is none.

use serde::ser::{Serialize, Serializer};
use wattle_table::{Column, Declared, describe};
use wattle_units::{Estimate, Interval, Joules, Nanos, Provenance};

/// An energy with its 90 % interval and provenance, or "no data". Never 0 for "no data".
///
/// In JSON three keys side by side, `joules`, `interval_joules` and `provenance`, all of them `null` when
/// there is no data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figure(pub Option<Estimate>);

impl Figure {
    /// There is no figure.
    pub const NO_DATA: Self = Self(None);

    /// Nothing was drawn, and something was watching.
    pub fn zero(provenance: Provenance) -> Self {
        let joules = Joules::ZERO;
        Self(Some(Estimate { joules, interval: Interval::exact(joules), provenance }))
    }

    /// The energy.
    pub fn joules(self) -> Option<Joules> {
        self.0.map(|estimate| estimate.joules)
    }

    /// Its 90 % interval.
    pub fn interval(self) -> Option<Interval> {
        self.0.map(|estimate| estimate.interval)
    }

    /// Returns its provenance.
    pub fn provenance(self) -> Option<Provenance> {
        self.0.map(|estimate| estimate.provenance)
    }

    /// Its part of a whole; `None` when one of them is not known or the whole is nothing.
    pub fn share_of(self, whole: Self) -> Option<f64> {
        let whole = whole.joules().filter(|joules| joules.value() != 0.0)?;
        Some(self.joules()? / whole)
    }

    /// Mean power over a stretch of time in milliwatts; `None` over no time.
    pub fn mean_milliwatts(self, over: Nanos) -> Option<f64> {
        let joules = self.joules().filter(|_| over > Nanos::ZERO)?;
        Some((joules / over).milliwatts())
    }

    /// One of so many equal parts; no data where there is none.
    pub(crate) fn divided(self, parts: u64) -> Self {
        if parts == 0 { Self::NO_DATA } else { self.scaled(1.0 / parts as f64) }
    }

    /// So many times the same, wrong in the same way.
    pub(crate) fn times(self, count: u64) -> Self {
        self.scaled(count as f64)
    }

    /// So many times the same, or such a part of it.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self(self.0.map(|Estimate { joules, interval: Interval { low, high }, provenance }| {
            let interval = Interval { low: low * factor, high: high * factor };
            Estimate { joules: joules * factor, interval, provenance }
        }))
    }

    /// For ordering rows: by energy, no data last.
    pub(crate) fn rank(self) -> f64 {
        self.joules().map_or(f64::NEG_INFINITY, Joules::value)
    }
}

describe!(Figure, "figure", "an energy", [Column::energy("", "energy", |row| row.0)]);

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Declared(self).serialize(to)
    }
}
