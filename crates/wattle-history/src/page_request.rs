//! A history page of a store.

use wattle_report::{HISTORY_PAGE_SCHEMA, HistoryPage};
use wattle_store::{KeptRun, RunFilter, Store, StoreError};

use crate::page_parts::PartReader;
use crate::page_series::{self, BudgetOf};
use crate::{JudgedBranch, RunEnergies, RunSeries};

/// Series of a page at most: those with the latest runs.
const MOST_SERIES: usize = 60;
/// Branches of a device and scenario at most: those with most versions.
const MOST_BRANCHES: usize = 12;

/// The history that a page is of.
pub struct PageRequest<'a> {
    /// Package name of the app; empty for runs without an app.
    pub app: &'a str,
    /// Whether the energy is the whole device's instead of the app's.
    pub is_total: bool,
    /// The runs.
    pub filter: RunFilter,
    /// The budget of a scenario.
    pub budget: &'a BudgetOf<'a>,
}

impl PageRequest<'_> {
    /// Whether energies are those of the whole device.
    fn of_device(&self) -> bool {
        self.is_total || self.app.is_empty()
    }

    /// The energy of a run that its history is of, by run.
    pub fn energies(&self, runs: &[KeptRun]) -> RunEnergies {
        let energy = |run: &KeptRun| if self.of_device() { run.total } else { run.app };
        runs.iter().filter_map(|run| Some((run.id, energy(run)?))).collect()
    }
}

/// The data of a history page. It lists no comparisons: whoever writes them adds them.
///
/// # Errors
/// If the store cannot be read.
pub fn history_page(
    store: &mut Store,
    request: &PageRequest<'_>,
) -> Result<HistoryPage, StoreError> {
    let filter = RunFilter { app: Some(request.app.to_owned()), ..request.filter.clone() };
    let runs = store.runs(&filter)?;
    let energies = request.energies(&runs);
    let (all, left_out) = RunSeries::sort(&runs, &energies);
    let mut branches: Vec<(&RunSeries<'_>, JudgedBranch)> = Vec::new();
    let mut omitted_series = 0;
    for series in &all {
        let judged = JudgedBranch::judge(series, &energies);
        let room = MOST_SERIES.saturating_sub(branches.len()).min(MOST_BRANCHES);
        omitted_series += judged.len().saturating_sub(room);
        branches.extend(judged.into_iter().take(room).map(|branch| (series, branch)));
    }
    let mut series: Vec<_> = branches
        .iter()
        .map(|(series, branch)| page_series::page_series(series, branch, &energies, request.budget))
        .collect();
    let mut reader = PartReader::new(store, request.app, request.of_device());
    reader.add_parts(&branches, &energies, &mut series)?;
    Ok(HistoryPage {
        schema: HISTORY_PAGE_SCHEMA,
        app: request.app.to_owned(),
        quantity: if request.of_device() { "total" } else { "app" },
        series,
        omitted_series,
        left_out,
        comparisons: Vec::new(),
        comparison_address: None,
    })
}
