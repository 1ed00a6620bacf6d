//! Two energies, and what their difference says.

use wattle_table::{Column, describe};
use wattle_units::{Interval, Joules};

use crate::Figure;

/// Verdict on a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeVerdict {
    /// The second run spent more: the whole interval lies above the threshold.
    Higher,
    /// It spent less: the whole interval lies below the threshold's negative.
    Lower,
    /// The whole interval lies within the threshold.
    Equal,
    /// Anything else: the interval reaches across a threshold.
    Inconclusive,
}

impl ChangeVerdict {
    /// The word in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Higher => "higher",
            Self::Lower => "lower",
            Self::Equal => "equal",
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
    /// Differences up to this do not matter ([`crate::PracticalThreshold`]).
    pub threshold: Joules,
}

impl Change {
    /// Returns its verdict.
    pub fn verdict(self) -> ChangeVerdict {
        let Interval { low, high } = self.interval;
        if low > self.threshold {
            ChangeVerdict::Higher
        } else if high < -self.threshold {
            ChangeVerdict::Lower
        } else if low >= -self.threshold && high <= self.threshold {
            ChangeVerdict::Equal
        } else {
            ChangeVerdict::Inconclusive
        }
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

describe!(
    Compared,
    "compared",
    "an energy in both runs",
    [
        Column::object::<Figure>("before", "energy in the first run", |row: &Compared| &row.before),
        Column::object::<Figure>("after", "energy in the second run", |row: &Compared| &row.after),
        Column::maybe_joules(
            "difference_joules",
            "after − before, where a missing energy counts as nothing; null where one of the runs cannot know it",
            |row: &Compared| row.change.map(|it| it.joules.value())
        ),
        Column::pair(
            "difference_interval_joules",
            "two-sided 90 % interval [low, high] of the difference",
            |row: &Compared| row
                .change
                .map(|it| [it.interval.low.value(), it.interval.high.value()])
        ),
        Column::difference(
            "share",
            "the difference as a part of the energy before; null where that is nothing",
            Compared::share
        ),
        Column::maybe_text(
            "verdict",
            "higher, lower: the whole interval is beyond the threshold; equal: all of it is within; null where one of the runs cannot know it",
            |row: &Compared| row.verdict().map(ChangeVerdict::name)
        )
        .words(&["higher", "lower", "equal", "inconclusive"]),
    ]
);
