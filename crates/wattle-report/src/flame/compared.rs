//! Two energies, and what their difference says.

use wattle_compare::{Change, Outlook, Verdict};
use wattle_table::{Column, describe};
use wattle_units::Joules;

use crate::Figure;

/// An energy in two runs.
///
/// In JSON `before` and `after` as figures (`joules`, `interval_joules`, `provenance`), then `difference_joules`,
/// `difference_interval_joules`, `share`, `verdict`, `p_value`, `detectable_joules`, and `unsettled` where the verdict is inconclusive.
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
    pub fn verdict(&self) -> Option<Verdict> {
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
            "higher, lower: the difference is beyond the threshold, and p_value is 0.05 at most; equal: the whole interval is within; null where one of the runs cannot know it",
            |row: &Compared| row.verdict().map(Verdict::name)
        )
        .words(Verdict::NAMES),
        Column::maybe_number(
            "p_value",
            "probability that errors of the device model alone make a difference of this size, in either direction; of methods adjusted for their number (false discovery rate)",
            |row: &Compared| row.change.map(|it| it.p_value)
        )
        .between(0.0, 1.0),
        Column::maybe_joules(
            "detectable_joules",
            "the smallest difference of two runs that has a definite verdict with a probability of 90 %, as far as the model's errors go",
            |row: &Compared| row.change.map(|it| it.detectable.value())
        ),
        Column::maybe_text(
            "unsettled",
            "the reason for an inconclusive verdict; left out where there is a verdict",
            |row: &Compared| row.change.and_then(|it| it.outlook.name())
        )
        .words(Outlook::NAMES)
        .optional(),
    ]
);
