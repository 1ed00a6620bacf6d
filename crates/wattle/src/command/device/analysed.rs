//! From a recording's folder to figures.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_diagnose::Input;
use wattle_ledger::Ledger;
use wattle_recording::{Iteration, Outcome, Recording};
use wattle_report::{Report, SeriesReport, SeriesRun, Threshold, self_energies};

use crate::cli::Output;
use crate::command::analysis::{self, AnalysisPlan};
use crate::command::history::{self, Keeping};
use crate::command::output::{self, Beside};
use crate::command::report::{ReportPlan, TracesPlan};
use crate::command::run_ledger::RUN_LEDGER;
use crate::command::series_row;
use crate::command::usual_findings::Findings;
use crate::exit::{Failure, Outcome as Done};

/// The name of a recording's own page.
const PAGE: &str = "report.html";

/// A recording that is to be shown.
#[derive(Debug)]
pub struct Analysed<'a> {
    /// Its folder.
    pub folder: &'a Path,
    /// Its description.
    pub recording: &'a Recording,
    /// The app.
    pub package: &'a str,
    /// The plan of turning it into a ledger.
    pub plan: &'a AnalysisPlan,
    /// The destinations of results.
    pub output: &'a Output,
    /// Keeping of runs; `None` if they are not kept.
    pub keeping: Option<&'a Keeping>,
    /// The least difference of builds that matters.
    pub threshold: Threshold,
}

impl Analysed<'_> {
    /// Shows it: one run as a report, several as a series. Returns the quality errors of all runs.
    pub fn show(&self) -> Result<Vec<String>, Failure> {
        match self.recording.iterations.as_slice() {
            runs if runs.len() > 1 => self.series(runs),
            runs => {
                let ledger = self.run(self.folder, self.output)?;
                self.keep(&ledger, runs.first(), None)?;
                Ok(ledger.quality.errors())
            }
        }
    }

    /// The views of one run; the ledger and the page go into its folder too.
    fn run(&self, folder: &Path, output: &Output) -> Result<Ledger, Failure> {
        let paths = [folder.to_owned()];
        let timeline = analysis::read(&paths, output.quiet)?;
        let (power, ledger) = analysis::energy(&timeline, &paths, self.plan, timeline.scenario)?;
        let mut output = output.clone();
        output.save.get_or_insert_with(|| folder.join(RUN_LEDGER));
        output.html.get_or_insert_with(|| folder.join(PAGE));
        let apps = [self.package.to_owned()];
        let input = Input { timeline: &timeline, power: &power, ledger: &ledger };
        let found = Findings::OnPage.find(input, &apps, None, &self.plan.accepted)?;
        let next = [format!(
            "wattle report {} --full (all tables), --view NAME (one of them), --window all (with set-up and tear-down)",
            folder.display()
        )];
        let beside = Beside { found: found.as_ref(), all_findings: false, next: &next };
        output::write_with(&ledger, beside, &output::options(&apps, &output)?, &output)?;
        Ok(ledger)
    }

    /// Keeps a run that counts, if runs are kept.
    fn keep(&self, ledger: &Ledger, run: Option<&Iteration>, series: Option<&str>) -> Done {
        let Some(keeping) = self.keeping.filter(|_| !run.is_some_and(|run| run.warm_up)) else {
            return Ok(());
        };
        let facts = history::facts_of_run(self.recording, run, series);
        keeping.keep(ledger, facts)
    }

    fn series(&self, runs: &[Iteration]) -> Result<Vec<String>, Failure> {
        let inside = Output {
            quiet: true,
            reference: self.output.reference.clone(),
            carbon: self.output.carbon.clone(),
            ..Output::default()
        };
        let mut rows = Vec::new();
        let mut errors = Vec::new();
        let mut units = None;
        let name_of_series = self.folder.file_name().unwrap_or_default();
        let name_of_series = name_of_series.to_string_lossy().into_owned();
        for run in runs {
            let folder: PathBuf = self.folder.join(run.number.to_string());
            let report = match self.run(&folder, &inside) {
                Ok(ledger) => {
                    self.keep(&ledger, Some(run), Some(&name_of_series))?;
                    let named = |error| format!("run {}: {error}", run.number);
                    errors.extend(ledger.quality.errors().into_iter().map(named));
                    let options = output::options(&[self.package.to_owned()], self.output)?;
                    let methods = self_energies(&ledger, self.package);
                    Some((Report::new(&ledger, &options), methods))
                }
                // A run that broke off early may hold nothing: the series is more than it.
                Err(Failure::Input(_)) => None,
                Err(other) => return Err(other),
            };
            let (report, methods) = report.unzip();
            units = units.or_else(|| report.as_ref()?.energy.human_units.clone());
            let mut row = row(run, report.as_ref());
            row.methods = methods.unwrap_or_default();
            rows.push(row);
        }
        let series = SeriesReport::new(rows, self.threshold).of_app(Some(self.package.to_owned()));
        write_series(&series.with_human_units(units), self.output)?;
        Ok(errors)
    }
}

/// Writes a series as JSON, and as text for the terminal.
pub fn write_series(series: &SeriesReport, output: &Output) -> Done {
    if let Some(path) = &output.json {
        let mut text = serde_json::to_vec_pretty(series)
            .context("JSON of the series")
            .map_err(Failure::Internal)?;
        text.push(b'\n');
        if output.is_json_on_stdout() {
            return output::print(&text);
        }
        output::write_file(path, &text)?;
    }
    if output.quiet {
        return Ok(());
    }
    output::print(wattle_report::series_terminal(series, &output::options(&[], output)?).as_bytes())
}

/// Shows a recording of several runs as a series. Returns its quality errors; `None` if it is no series.
pub fn show_series(
    report: &ReportPlan,
    traces: &TracesPlan,
) -> Result<Option<Vec<String>>, Failure> {
    let [folder] = traces.paths.as_slice() else { return Ok(None) };
    let Ok(recording) = wattle_recording::load(folder) else { return Ok(None) };
    if recording.iterations.len() < 2 {
        return Ok(None);
    }
    let flags = [
        traces.span.is_given(),
        report.output.views.by.is_some(),
        !report.category.paths.is_empty(),
    ];
    if flags.contains(&true) || report.output.html.is_some() || report.output.save.is_some() {
        return Err(Failure::Usage(anyhow::anyhow!(
            "{}: the series has {} runs, and --from, --to, --slice, --window, --by, --category, --html and --save apply to one run: choose one, such as {}",
            folder.display(),
            recording.iterations.len(),
            folder.join("0").display()
        )));
    }
    let package = recording.apps.first().map_or("", |app| app.package.as_str());
    let analysed = Analysed {
        folder,
        recording: &recording,
        package,
        plan: &traces.analysis,
        output: &report.output,
        keeping: report.keeping.as_ref(),
        threshold: Threshold::default(),
    };
    analysed.show().map(Some)
}

fn row(run: &Iteration, report: Option<&Report>) -> SeriesRun {
    SeriesRun {
        build: run.app.clone(),
        // A run that does not count is said to be one, whatever came of it.
        outcome: if run.warm_up { "warm-up" } else { name(run.outcome) }.to_owned(),
        message: run.message.clone(),
        ..series_row::of_report(run.number, report)
    }
}

/// An outcome's name, as in `recording.json`.
pub const fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Crashed => "crashed",
        Outcome::Skipped => "skipped",
        Outcome::Interrupted => "interrupted",
    }
}
