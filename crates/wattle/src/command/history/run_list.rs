//! `wattle runs`: the runs of a history.

use serde::Serialize;
use serde_json::Value;
use wattle_history::utc_time;
use wattle_report::Figure;
use wattle_store::{KeptRun, RunFilter};
use wattle_units::{Estimate, Provenance, Si};

use super::aligned_columns;
use crate::cli::{ListRuns, RunConditions};
use crate::command::kept_runs::{self, HOW_TO_KEEP, failure};
use crate::command::output;
use crate::exit::Outcome;

/// The form of the JSON.
const SCHEMA: &str = "wattle-runs/1";
/// Digits of a commit that are shown.
pub const COMMIT: usize = 8;

/// The list, in JSON.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RunList {
    /// Name and version of the form.
    #[cfg_attr(test, schemars(extend("const" = "wattle-runs/1")))]
    schema: &'static str,
    /// The history, without a password.
    store: Option<String>,
    /// Runs, in the order in which they were kept.
    runs: Vec<RunRow>,
}

/// A run, in JSON.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunRow {
    /// Its name, `run:12`.
    run: String,
    /// When it was kept, UTC.
    kept: String,
    /// When it began, UTC; null if that is not known.
    started: Option<String>,
    /// Package name of the app; empty for a run of the whole device.
    app: String,
    /// `versionName`.
    version_name: Option<String>,
    /// `versionCode`.
    version_code: Option<u64>,
    /// The commit.
    commit: Option<String>,
    /// The branch.
    branch: Option<String>,
    /// Whether files differed from the commit.
    dirty: Option<bool>,
    /// The device and the model behind the figures.
    device: DeviceCells,
    /// The scenario.
    scenario: Option<String>,
    /// The device's state right before the run, as in `recording.json`.
    conditions: Option<Value>,
    /// The program that recorded it.
    tool: Option<String>,
    /// Outcome, as in `recording.json`.
    outcome: Option<String>,
    /// Length in seconds.
    duration_s: Option<f64>,
    /// Labels of a series.
    labels: LabelCells,
    /// Energy of the whole run; null if it cannot be estimated.
    total: Option<EnergyCells>,
    /// Energy of the app; null without an app, or where it does not occur.
    app_energy: Option<EnergyCells>,
    /// SHA-256 of the ledger.
    ledger_sha256: String,
    /// Bytes of the ledger.
    ledger_bytes: u64,
}

/// A device, in JSON.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DeviceCells {
    /// Identity of the very device.
    key: Option<String>,
    /// Its name.
    title: Option<String>,
    /// The device model.
    model: Option<String>,
    /// Its version.
    model_version: Option<u32>,
}

/// Labels, in JSON.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LabelCells {
    /// The series.
    series: Option<String>,
    /// The build.
    build: Option<String>,
    /// Number of the run in its series.
    iteration: Option<u32>,
}

/// An energy, in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnergyCells {
    /// Joules.
    pub joules: f64,
    /// 90 % interval in joules: low, high.
    pub interval_joules: [f64; 2],
    /// `measured`, `modelled`, `assumed`.
    #[cfg_attr(test, schemars(extend("enum" = ["measured", "modelled", "assumed"])))]
    pub provenance: &'static str,
}

impl From<Estimate> for EnergyCells {
    fn from(estimate: Estimate) -> Self {
        Self {
            joules: estimate.joules.value(),
            interval_joules: [estimate.interval.low.value(), estimate.interval.high.value()],
            provenance: Self::word(estimate.provenance),
        }
    }
}

impl EnergyCells {
    /// The word for a provenance.
    pub const fn word(provenance: Provenance) -> &'static str {
        match provenance {
            Provenance::Measured => "measured",
            Provenance::Modelled => "modelled",
            Provenance::Assumed => "assumed",
        }
    }
}

impl RunRow {
    fn new(run: &KeptRun) -> Self {
        let facts = &run.facts;
        let (build, code, device) = (&facts.app, &facts.code, &facts.device);
        let (circumstances, labels) = (&facts.circumstances, &facts.labels);
        Self {
            run: run.id.to_string(),
            kept: utc_time::seconds(run.kept_ms),
            started: circumstances.started_ms.map(utc_time::seconds),
            app: build.package.clone(),
            version_name: build.version_name.clone(),
            version_code: build.version_code,
            commit: code.commit.clone(),
            branch: code.branch.clone(),
            dirty: code.dirty,
            device: DeviceCells {
                key: device.key.clone(),
                title: device.title.clone(),
                model: device.model_name.clone(),
                model_version: device.model_version,
            },
            scenario: circumstances.scenario.clone(),
            conditions: circumstances.conditions.clone(),
            tool: circumstances.tool.clone(),
            outcome: circumstances.outcome.clone(),
            duration_s: circumstances.duration_s,
            labels: LabelCells {
                series: labels.series.clone(),
                build: labels.build.clone(),
                iteration: labels.iteration,
            },
            total: run.total.map(Into::into),
            app_energy: run.app.map(Into::into),
            ledger_sha256: run.ledger.sha256.clone(),
            ledger_bytes: run.ledger.bytes,
        }
    }
}

/// The conditions of flags, on the runs of an app or of all.
pub fn filter(app: Option<&str>, conditions: &RunConditions) -> RunFilter {
    RunFilter {
        app: app.map(str::to_owned),
        device: conditions.device.clone(),
        branch: conditions.branch.clone(),
        scenario: conditions.scenario.clone(),
        last: conditions.last,
        ..RunFilter::default()
    }
}

/// Lists runs.
pub fn list(flags: &ListRuns) -> Outcome {
    let store = kept_runs::open_existing(&flags.place)?;
    let filter = filter(flags.app.as_deref(), &flags.conditions);
    let (mut runs, mut others, mut location) = (Vec::new(), Vec::new(), None);
    if let Some(mut store) = store {
        runs = store.runs(&filter).map_err(failure)?;
        if runs.is_empty() {
            others = store.apps().map_err(failure)?;
        }
        location = Some(store.location().to_string());
    }
    if let Some(path) = &flags.json {
        let rows = runs.iter().map(RunRow::new).collect();
        output::write_json(path, &RunList { schema: SCHEMA, store: location, runs: rows })?;
        if output::is_stdout(Some(path)) {
            return Ok(());
        }
    }
    if flags.place.quiet {
        return Ok(());
    }
    if runs.is_empty() {
        return output::print(nothing(&others).as_bytes());
    }
    output::print(table(&runs).as_bytes())
}

/// The text in place of an empty list.
fn nothing(others: &[(String, u64)]) -> String {
    if others.is_empty() {
        return format!("No run has been kept yet. To see energy over versions, {HOW_TO_KEEP}");
    }
    format!("no kept run meets these conditions; {}\n", apps(others))
}

/// The apps of a history, as part of a sentence.
pub fn apps(others: &[(String, u64)]) -> String {
    let name = |(app, count): &(String, u64)| {
        let app = if app.is_empty() { "the whole device" } else { app };
        format!("{app} ({})", counted(*count as usize))
    };
    format!("the history has {}", others.iter().map(name).collect::<Vec<_>>().join(", "))
}

/// `1 run`, `2 runs`.
pub fn counted(count: usize) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{count} runs") }
}

/// Runs as a table.
pub fn table(runs: &[KeptRun]) -> String {
    let titles = [
        "run",
        "time (UTC)",
        "app",
        "version",
        "commit",
        "branch",
        "device",
        "scenario",
        "outcome",
        "energy",
        "90 % interval",
    ];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    for run in runs {
        let facts = &run.facts;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let energy = Figure(run.energy());
        rows.push(vec![
            run.id.to_string(),
            utc_time::minutes(run.time_ms()),
            if facts.app.package.is_empty() {
                "(device)".to_owned()
            } else {
                facts.app.package.clone()
            },
            version(run),
            commit(run),
            text(&facts.code.branch),
            text(&facts.device.title),
            shortened(&text(&facts.circumstances.scenario)),
            text(&facts.circumstances.outcome),
            energy.joules().map_or_else(|| "–".to_owned(), |it| joules(it.value())),
            energy
                .interval()
                .map_or_else(String::new, |it| interval(it.low.value(), it.high.value())),
        ]);
    }
    aligned_columns::lines(&rows, &[9])
}

/// `1.4 (14)`; empty if neither is known.
pub fn version(run: &KeptRun) -> String {
    let build = &run.facts.app;
    match (&build.version_name, build.version_code) {
        (Some(name), Some(code)) => format!("{name} ({code})"),
        (Some(name), None) => name.clone(),
        (None, Some(code)) => format!("({code})"),
        (None, None) => String::new(),
    }
}

/// The first digits of the commit, with `+` where files differed from it.
pub fn commit(run: &KeptRun) -> String {
    let code = &run.facts.code;
    let Some(commit) = &code.commit else { return String::new() };
    let short: String = commit.chars().take(COMMIT).collect();
    if code.dirty == Some(true) { format!("{short}+") } else { short }
}

/// A run in half a line: app, version, commit, energy.
pub fn described(run: &KeptRun) -> String {
    let app = match run.facts.app.package.as_str() {
        "" => "the whole device",
        app => app,
    };
    let mut parts = vec![app.to_owned()];
    parts.extend(Some(version(run)).filter(|it| !it.is_empty()));
    let branch = run.facts.code.branch.as_deref();
    let commit = Some(commit(run)).filter(|it| !it.is_empty());
    parts.extend(commit.map(|commit| match branch {
        Some(branch) => format!("{commit} on {branch}"),
        None => commit,
    }));
    parts.extend(run.energy().map(|energy| joules(energy.joules.value())));
    parts.iter().map(|part| wattle_report::clean(part)).collect::<Vec<_>>().join(", ")
}

/// A share as a change in percent, with the sign of figures.
pub fn signed_percent(share: f64) -> String {
    let text = format!("{:.1} %", share.abs() * 100.0);
    match text.as_str() {
        "0.0 %" => text,
        _ if share < 0.0 => format!("−{text}"),
        _ => format!("+{text}"),
    }
}

/// An energy for people.
pub fn joules(value: f64) -> String {
    Si { value, unit: "J" }.to_string()
}

/// `1.02 J – 1.13 J`.
pub fn interval(low: f64, high: f64) -> String {
    format!("{} – {}", joules(low), joules(high))
}

/// The first part of a long text.
pub fn shortened(text: &str) -> String {
    const MOST: usize = 28;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use wattle_schema::SchemaFile;

    use super::*;

    #[test]
    fn the_committed_schema_is_that_of_the_types() {
        let file = SchemaFile::new::<RunList>(
            "runs-1",
            "wattle-runs/1",
            "The result of `wattle runs --json`. The keys are explained in docs/history.md.",
        );
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
        assert_eq!(file.check(&folder), Ok(()));
    }
}
