//! The newest state of a series: its level, and what it is held against.

use serde::Serialize;

/// The newest state of a series.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HistoryStanding {
    /// The level in joules: the median of the versions since the last change.
    pub joules: f64,
    /// Values among which the next version is expected (95 %), in joules.
    pub band_joules: Option<[f64; 2]>,
    /// Place of the first version at this level.
    pub since: usize,
    /// Number of versions at this level.
    pub commits: usize,
    /// Versions that are missing before changes can be judged; 0 where they can.
    pub missing: usize,
    /// The cause, where the newest version lies outside the band as others did or the band is too wide to judge by: `heat`, `clock`, `background`,
    /// `two modes`, `drift`, `outliers`, `unknown`.
    pub flaky: Option<&'static str>,
    /// Whether the newest version lies outside the band as none did before.
    pub outside: bool,
    /// The budget of the scenario.
    pub budget: Option<HistoryBudget>,
    /// The last version name before the newest one.
    pub release: Option<HistoryRelease>,
    /// Places of increases, in the list of changes, that were not undone.
    pub open: Vec<usize>,
    /// The least change of one version that lies outside the band with 90 %, as a share of the level.
    pub detectable_share: Option<f64>,
    /// Median number of runs of a version at this level.
    pub runs_per_commit: usize,
}

/// A budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistoryBudget {
    /// The most that a run may cost, in joules.
    pub joules: f64,
    /// The rule that says so.
    pub rule: String,
}

/// A version name before the newest one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistoryRelease {
    /// Its name.
    pub name: String,
    /// Mean of its versions in joules, those of its last level.
    pub joules: f64,
}

/// A stretch of versions without a change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HistoryLevel {
    /// Place of its first version.
    pub first: usize,
    /// Place of its last.
    pub last: usize,
    /// Median of the versions in joules.
    pub joules: f64,
    /// Values among which the next version was expected (95 %), as known at the last one, in joules.
    pub band_joules: Option<[f64; 2]>,
}

impl HistoryLevel {
    /// The same with places counted from `cut`; absent if it is before that.
    pub(crate) fn after(self, cut: usize) -> Option<Self> {
        let last = self.last.checked_sub(cut)?;
        Some(Self { first: self.first.saturating_sub(cut), last, ..self })
    }
}
