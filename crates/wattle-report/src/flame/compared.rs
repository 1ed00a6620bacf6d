//! Two energies, and what their difference says.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use wattle_power::EnergyDifference;
use wattle_units::{Interval, Joules};

use crate::Figure;

/// Verdict on a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeVerdict {
    /// The second run spent more: the interval lies above 0.
    More,
    /// It spent less.
    Less,
    /// The interval holds 0.
    Inconclusive,
}

impl ChangeVerdict {
    /// The word in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::More => "more",
            Self::Less => "less",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// After less before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The difference.
    pub joules: Joules,
    /// Its 90 % interval.
    pub interval: Interval,
}

impl Change {
    /// Returns its verdict.
    pub fn verdict(self) -> ChangeVerdict {
        match self.interval {
            Interval { low, .. } if low > Joules::ZERO => ChangeVerdict::More,
            Interval { high, .. } if high < Joules::ZERO => ChangeVerdict::Less,
            _ => ChangeVerdict::Inconclusive,
        }
    }
}

impl From<EnergyDifference> for Change {
    fn from(EnergyDifference { joules, interval }: EnergyDifference) -> Self {
        Self { joules, interval }
    }
}

/// An energy in two runs.
///
/// In JSON `before` and `after` as figures (`joules`, `interval_joules`, `provenance`), then `difference_joules`,
/// `difference_interval_joules`, `share`, `verdict`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compared {
    /// In the first run; no data where it has no such thing.
    pub before: Figure,
    /// In the second.
    pub after: Figure,
    /// After less before, what is not there being nothing; `None` where one of the runs cannot know.
    pub change: Option<Change>,
}

impl Compared {
    /// The change as a part of what was before; `None` where that is nothing.
    pub fn share(&self) -> Option<f64> {
        let before = self.before.joules().filter(|joules| *joules != Joules::ZERO)?;
        Some(self.change?.joules / before)
    }

    /// Returns the verdict on the change.
    pub fn verdict(&self) -> Option<ChangeVerdict> {
        self.change.map(Change::verdict)
    }

    /// The difference; 0 where it is not known.
    pub fn joules(&self) -> Joules {
        self.change.map_or(Joules::ZERO, |change| change.joules)
    }

    /// The larger of both energies.
    pub(crate) fn size(&self) -> f64 {
        let of = |figure: Figure| figure.joules().map_or(0.0, |joules| joules.value().abs());
        of(self.before).max(of(self.after))
    }
}

impl Serialize for Compared {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(6))?;
        map.serialize_entry("before", &self.before)?;
        map.serialize_entry("after", &self.after)?;
        map.serialize_entry("difference_joules", &self.change.map(|change| change.joules))?;
        map.serialize_entry(
            "difference_interval_joules",
            &self.change.map(|change| change.interval),
        )?;
        map.serialize_entry("share", &self.share())?;
        map.serialize_entry("verdict", &self.verdict())?;
        map.end()
    }
}
