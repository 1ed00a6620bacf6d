//! Views of kept ledgers, made by the library crates. Ledgers are our own output: what was uploaded is parsed by workers alone, in
//! processes of their own.

use serde::{Deserialize, Serialize};
use wattle_export::{ExportOptions, Extract, Format, TableKind};
use wattle_ledger::Ledger;
use wattle_report::{
    DiffReport, FlameOptions, MergedNodes, Per, Report, ReportOptions, missing_apps,
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

/// Options for the app that is asked for, else for those that the recording names, as in `wattle report`.
fn options(ledger: &Ledger, app: Option<&str>) -> ReportOptions {
    let mut options = ReportOptions::default();
    match app {
        // Everything, and no app.
        Some("") => {}
        Some(app) => options.apps.push(app.to_owned()),
        None => options.apps.clone_from(&ledger.recording.apps),
    }
    options
}

/// A report of the app that is asked for, which must be in the ledger unless it is the run's own.
fn report_of(ledger: &Ledger, app: ShownApp<'_>) -> Result<(Report, ReportOptions), WebError> {
    let options = options(ledger, app.name);
    let report = Report::new(ledger, &options);
    let missing = report.software.app.as_ref().filter(|_| app.is_asked).map(|it| &it.missing);
    match missing.and_then(|missing| missing.first()) {
        Some(missing) => {
            let text = format!("app: no process of {missing} is in this run");
            Err(WebError::new(WebErrorKind::Unprocessable, text))
        }
        None => Ok((report, options)),
    }
}

/// The app of a view.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShownApp<'a> {
    /// Its package name; empty for none, absent for those that the recording names.
    pub name: Option<&'a str>,
    /// Whether somebody asked for it.
    pub is_asked: bool,
}

/// The data of a report's page.
pub fn page_data(bytes: &[u8], app: ShownApp<'_>) -> Result<Vec<u8>, WebError> {
    let ledger = shown(bytes)?;
    let (report, _) = report_of(&ledger, app)?;
    let data = wattle_report::report_data(&ledger, &report, None);
    data.map(String::into_bytes).map_err(|error| WebError::internal(&error))
}

/// The report as JSON: the bytes of `wattle report LEDGER --json -`.
pub fn report_json(bytes: &[u8], app: ShownApp<'_>) -> Result<Vec<u8>, WebError> {
    let ledger = shown(bytes)?;
    let (report, _) = report_of(&ledger, app)?;
    let mut json = Vec::new();
    wattle_report::write_json(&report, &mut json).map_err(|error| WebError::internal(&error))?;
    Ok(json)
}

/// A report in a few words and numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Headline {
    /// The energy of what is covered, in joules; `None` where no energy could be estimated.
    pub total_joules: Option<f64>,
    /// The first lines that `wattle report` prints: device and time, energy and what it covers, what the input states, the app.
    pub summary: String,
}

/// The first lines of a report's summary, as JSON.
pub fn headline(bytes: &[u8], app: ShownApp<'_>) -> Result<Vec<u8>, WebError> {
    let ledger = shown(bytes)?;
    let (report, options) = report_of(&ledger, app)?;
    let summary = wattle_report::answer_terminal(&report, &options);
    let headline = Headline {
        total_joules: report.energy.total.joules().map(wattle_units::Joules::value),
        summary: summary.trim_end().to_owned(),
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

/// The data of the page of a comparison. `apps` are those whose energy it is about; where there are none it is that of the device.
pub fn comparison_data([before, after]: &[Side; 2], apps: &[String]) -> Result<Vec<u8>, WebError> {
    let ledgers = [shown(&before.ledger)?, shown(&after.ledger)?];
    let runs = [(before.name.as_str(), &ledgers[0]), (after.name.as_str(), &ledgers[1])];
    check_apps(runs, apps)?;
    let data = wattle_report::diff_data(runs, &Per::Run, &flame_options(apps));
    data.map(String::into_bytes)
        .map_err(|error| WebError::new(WebErrorKind::Unprocessable, error.to_string()))
}

/// The comparison as JSON: the content of `wattle diff --json`.
pub fn comparison_json([before, after]: &[Side; 2], apps: &[String]) -> Result<Vec<u8>, WebError> {
    let ledgers = [shown(&before.ledger)?, shown(&after.ledger)?];
    let runs = [(before.name.as_str(), &ledgers[0]), (after.name.as_str(), &ledgers[1])];
    check_apps(runs, apps)?;
    let report = DiffReport::new(runs, &Per::Run, &flame_options(apps), MergedNodes(NODES))
        .map_err(|error| WebError::new(WebErrorKind::Unprocessable, error.to_string()))?;
    let json = serde_json::to_vec_pretty(&report);
    json.map_err(|error| WebError::internal(&error))
}

/// Refuses apps that a run does not have: no data is not 0 J.
fn check_apps(runs: [(&str, &Ledger); 2], apps: &[String]) -> Result<(), WebError> {
    for app in apps {
        let asked = std::slice::from_ref(app);
        let lacks = |(_, ledger): &(&str, &Ledger)| !missing_apps(ledger, asked).is_empty();
        let without: Vec<&str> =
            runs.iter().filter(|run| lacks(run)).map(|(name, _)| *name).collect();
        if !without.is_empty() {
            let text = format!("app: no process of {app} is in {}", without.join(" and "));
            return Err(WebError::new(WebErrorKind::Unprocessable, text));
        }
    }
    Ok(())
}

fn flame_options(apps: &[String]) -> FlameOptions {
    let mut options = FlameOptions::default();
    options.apps = apps.to_vec();
    options
}
