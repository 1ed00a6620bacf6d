//! The page as a whole, and its series.

use serde::Serialize;

use super::{
    HistoryChange, HistoryCommit, HistoryLevel, HistoryPart, HistoryStanding, HistorySuspicion,
};

/// Name and version of the data's form.
pub const HISTORY_PAGE_SCHEMA: &str = "wattle-history-page/1";

/// The data of a history page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistoryPage {
    /// Name and version of the form, [`HISTORY_PAGE_SCHEMA`].
    pub schema: &'static str,
    /// Package name of the app; empty for runs of the whole device.
    pub app: String,
    /// The energy of all series: `app`, or `total` for the whole device.
    pub quantity: &'static str,
    /// Series, the one with the latest run first.
    pub series: Vec<HistorySeries>,
    /// Series that are not in the page, because there are too many.
    pub omitted_series: usize,
    /// Runs that did not pass or have no such energy.
    pub left_out: usize,
    /// Comparisons of two runs that can be opened from the page.
    pub comparisons: Vec<HistoryComparison>,
    /// A host's address of the comparison of any two runs, with `{a}` and `{b}` in the place of their numbers; `None` where there is none.
    pub comparison_address: Option<String>,
}

/// Versions that are comparable: of one device, device model, scenario and branch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistorySeries {
    /// Device, scenario and branch of all of its runs.
    pub place: HistoryPlace,
    /// Versions, oldest first. Other fields name them by their place in this list.
    pub commits: Vec<HistoryCommit>,
    /// Older versions that are not in the page.
    pub omitted: usize,
    /// The newest state.
    pub standing: HistoryStanding,
    /// Levels between changes, oldest first.
    pub levels: Vec<HistoryLevel>,
    /// Changes, oldest first.
    pub changes: Vec<HistoryChange>,
    /// A change that is likely and not certain.
    pub suspected: Option<HistorySuspicion>,
    /// Energy by component, the largest first.
    pub components: Vec<HistoryPart>,
    /// Self energy of the methods with most of it now and of those behind the changes, the largest first.
    pub methods: Vec<HistoryPart>,
}

/// Device, scenario and branch of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HistoryPlace {
    /// Name of the device.
    pub device: Option<String>,
    /// Identity of the very device.
    pub device_key: Option<String>,
    /// The device model.
    pub model: Option<String>,
    /// Its version.
    pub model_version: Option<u32>,
    /// The scenario.
    pub scenario: Option<String>,
    /// The branch.
    pub branch: Option<String>,
}

/// A comparison of two runs that exists as a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HistoryComparison {
    /// The earlier run, `run:12`.
    pub before: String,
    /// The later one.
    pub after: String,
    /// Address of its page, relative to this one.
    pub href: String,
}

impl HistoryPage {
    /// The same page with at most so many versions in each series: the latest. Changes before them are left out.
    #[must_use]
    pub fn shortened(&self, versions: usize) -> Self {
        let series = self.series.iter().map(|series| series.shortened(versions)).collect();
        Self { series, ..self.clone() }
    }
}

impl HistorySeries {
    fn shortened(&self, versions: usize) -> Self {
        let cut = self.commits.len().saturating_sub(versions.max(1));
        let mut series = self.clone();
        if cut == 0 {
            return series;
        }
        series.commits.drain(..cut);
        series.omitted += cut;
        series.standing.since = series.standing.since.saturating_sub(cut);
        series.levels = self.levels.iter().filter_map(|level| level.after(cut)).collect();
        let kept: Vec<usize> =
            (0..self.changes.len()).filter(|at| self.changes[*at].range.is_after(cut)).collect();
        let place = |at: &usize| kept.iter().position(|it| it == at);
        series.standing.open = self.standing.open.iter().filter_map(place).collect();
        series.changes = kept.iter().map(|at| self.changes[*at].after(cut)).collect();
        series.suspected = self.suspected.as_ref().and_then(|it| it.after(cut));
        for part in series.components.iter_mut().chain(&mut series.methods) {
            part.joules.drain(..cut.min(part.joules.len()));
        }
        series
    }
}
