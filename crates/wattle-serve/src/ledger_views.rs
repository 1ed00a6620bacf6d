//! Views of kept ledgers, made by the library crates. Ledgers are our own output: what was uploaded is parsed by workers alone, in
//! processes of their own.

use serde::Serialize;
use wattle_export::{ExportOptions, Extract, Format, TableKind};
use wattle_ledger::Ledger;
use wattle_report::{
    DiffReport, FlameOptions, MergedNodes, Per, Report, ReportOptions, SummaryParts,
};

use crate::http::{WebError, WebErrorKind};

/// Nodes of the merged call tree in the JSON of a comparison; `wattle diff --json` has as many.
const NODES: usize = 5000;

/// A ledger as views show it, of the bytes of its file. Names of slices that differ by numbers are one row, as in `wattle report`.
fn shown(bytes: &[u8]) -> Result<Ledger, WebError> {
    let ledger = loaded(bytes)?;
    Ok(ledger.with_numbers_grouped().unwrap_or(ledger))
}

fn loaded(bytes: &[u8]) -> Result<Ledger, WebError> {
    Ledger::from_bytes(bytes).map_err(|error| WebError::internal(&error))
}

fn options(ledger: &Ledger) -> ReportOptions {
    let mut options = ReportOptions::default();
    options.apps.clone_from(&ledger.recording.apps);
    options
}

/// The data of a report's page.
pub fn page_data(bytes: &[u8]) -> Result<Vec<u8>, WebError> {
    let ledger = shown(bytes)?;
    let report = Report::new(&ledger, &options(&ledger));
    let data = wattle_report::report_data(&ledger, &report, None);
    data.map(String::into_bytes).map_err(|error| WebError::internal(&error))
}

/// The report as JSON: the bytes of `wattle report LEDGER --json -`.
pub fn report_json(bytes: &[u8]) -> Result<Vec<u8>, WebError> {
    let ledger = shown(bytes)?;
    let report = Report::new(&ledger, &options(&ledger));
    let mut json = Vec::new();
    wattle_report::write_json(&report, &mut json).map_err(|error| WebError::internal(&error))?;
    Ok(json)
}

/// A report in a few words and numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Headline {
    /// The energy of what is covered, in joules; `None` where no energy could be estimated.
    pub total_joules: Option<f64>,
    /// The first lines of the summary in a terminal: device and time, energy and components.
    pub summary: String,
}

/// The first lines of a report's summary, as JSON.
pub fn headline(bytes: &[u8]) -> Result<Vec<u8>, WebError> {
    let ledger = shown(bytes)?;
    let options = options(&ledger);
    let report = Report::new(&ledger, &options);
    let text = wattle_report::summary_terminal(&report, SummaryParts::default(), &options);
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(2);
    let headline = Headline {
        total_joules: report.energy.total.joules().map(wattle_units::Joules::value),
        summary: lines.collect::<Vec<_>>().join("\n"),
    };
    serde_json::to_vec(&headline).map_err(|error| WebError::internal(&error))
}

/// A ledger, or one of its tables, in a format of another program: the bytes of `wattle export LEDGER`.
pub fn exported(
    bytes: &[u8],
    format: Format,
    table: Option<TableKind>,
) -> Result<Vec<u8>, WebError> {
    let ledger = loaded(bytes)?;
    let options = ExportOptions { table, ..ExportOptions::default() };
    let mut content = Vec::new();
    let written = wattle_export::write(&Extract::whole(&ledger), format, options, &mut content);
    written.map_err(|error| WebError::new(WebErrorKind::Unprocessable, error.to_string()))?;
    Ok(content)
}

/// A comparison's side: a name and the bytes of a ledger.
pub struct Side {
    /// The name in the page.
    pub name: String,
    /// The file of the ledger.
    pub ledger: Vec<u8>,
}

/// The data of the page of a comparison.
pub fn comparison_data([before, after]: &[Side; 2]) -> Result<Vec<u8>, WebError> {
    let ledgers = [shown(&before.ledger)?, shown(&after.ledger)?];
    let runs = [(before.name.as_str(), &ledgers[0]), (after.name.as_str(), &ledgers[1])];
    let data = wattle_report::diff_data(runs, &Per::Run, &flame_options(&ledgers));
    data.map(String::into_bytes)
        .map_err(|error| WebError::new(WebErrorKind::Unprocessable, error.to_string()))
}

/// The comparison as JSON: the content of `wattle diff --json`.
pub fn comparison_json([before, after]: &[Side; 2]) -> Result<Vec<u8>, WebError> {
    let ledgers = [shown(&before.ledger)?, shown(&after.ledger)?];
    let runs = [(before.name.as_str(), &ledgers[0]), (after.name.as_str(), &ledgers[1])];
    let report = DiffReport::new(runs, &Per::Run, &flame_options(&ledgers), MergedNodes(NODES))
        .map_err(|error| WebError::new(WebErrorKind::Unprocessable, error.to_string()))?;
    let json = serde_json::to_vec_pretty(&report);
    json.map_err(|error| WebError::internal(&error))
}

/// Apps that both runs were made of.
fn flame_options([before, after]: &[Ledger; 2]) -> FlameOptions {
    let mut options = FlameOptions::default();
    let both = before.recording.apps.iter().filter(|app| after.recording.apps.contains(app));
    options.apps = both.cloned().collect();
    options
}
