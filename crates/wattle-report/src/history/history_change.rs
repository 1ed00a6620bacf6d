//! Changes of a series.

use serde::Serialize;

/// A lasting change of the energy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistoryChange {
    /// The versions between which it happened.
    pub range: HistoryRange,
    /// After less before, in joules.
    pub joules: f64,
    /// Its 90 % interval.
    pub interval_joules: [f64; 2],
    /// Level before it in joules.
    pub before_joules: f64,
    /// Probability that there is a change.
    pub confidence: f64,
    /// The evidence by which it became certain.
    pub confirmation: HistoryConfirmation,
    /// The method whose self energy changed most between both versions in the change's direction.
    pub blame: Option<HistoryBlame>,
    /// The runs to compare: one of the last version before, one of the first after.
    pub runs: [String; 2],
}

/// The versions between which a change happened, by their places in the series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HistoryRange {
    /// The last version that is surely (95 %) before the change.
    pub last_good: usize,
    /// The likeliest first version with it.
    pub first_bad: usize,
    /// The first version that surely (95 %) has it.
    pub surely_bad: usize,
    /// The newest version when it was found.
    pub found_at: usize,
}

/// The evidence by which a change became certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HistoryConfirmation {
    /// Versions after the change.
    FollowingCommits,
    /// Further runs of versions on both sides.
    Reruns,
    /// None yet.
    Waiting,
}

/// The method behind a change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistoryBlame {
    /// Its name.
    pub method: String,
    /// Self energy after less before, in joules: means of both versions' runs.
    pub joules: f64,
}

/// A change that is likely and not certain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistorySuspicion {
    /// The change as it looks now.
    pub change: HistoryChange,
    /// Place of the earlier version of which more runs would decide.
    pub before: usize,
    /// Place of the later one.
    pub after: usize,
    /// Runs of each of the two, in turns.
    pub pairs: usize,
}

impl HistoryRange {
    /// Whether all of it is at `cut` or later.
    pub(crate) fn is_after(self, cut: usize) -> bool {
        self.last_good >= cut
    }
}

impl HistoryChange {
    /// The same with places counted from `cut`.
    pub(crate) fn after(&self, cut: usize) -> Self {
        let HistoryRange { last_good, first_bad, surely_bad, found_at } = self.range;
        let [last_good, first_bad, surely_bad, found_at] =
            [last_good, first_bad, surely_bad, found_at].map(|place| place.saturating_sub(cut));
        Self { range: HistoryRange { last_good, first_bad, surely_bad, found_at }, ..self.clone() }
    }
}

impl HistorySuspicion {
    /// The same with places counted from `cut`; absent if it is before that.
    pub(crate) fn after(&self, cut: usize) -> Option<Self> {
        let before = self.before.checked_sub(cut)?;
        let after = self.after.checked_sub(cut)?;
        self.change.range.is_after(cut).then(|| Self {
            change: self.change.after(cut),
            before,
            after,
            pairs: self.pairs,
        })
    }
}
