//! `wattle record`: the device part alone.

use std::fmt::Write as _;

use anyhow::{Context as _, anyhow};
use wattle_device::scenario::TestPackage;
use wattle_device::session::{Build, SessionReport};
use wattle_recording::AppFacts;

use super::recorder::Leased;
use super::watcher::Watcher;
use super::{connection, plan, recorder};
use crate::cli::Record;
use crate::command::{analysis, judgement, output};
use crate::exit::{Failure, Outcome};
use crate::interrupt;

/// Runs `wattle record`.
pub fn run(record: &Record) -> Outcome {
    let package = record.package.as_deref();
    let tests = record.instrumentation.as_deref().map(|text| instrumentation(text, package));
    let scenario = plan::scenario(&record.scenario, package, tests.transpose()?)?;
    let sources = plan::sources(&record.sources)?;
    if let Some(text) = plan::shown_config(&record.sources, &record.scenario, package, &sources)? {
        return output::print(text.as_bytes());
    }
    let interrupts = interrupt::handle()?;
    let cancel = &interrupts.cancel;
    let connection = connection::open(&record.device, cancel)?;
    let leased = Leased::take(&connection, &record.device, cancel, record.quiet)?;
    if record.preparation.restore_only {
        let found = leased.put_back_earlier(&Watcher::new(record.quiet))?.runs;
        let text = format!("{found} unfinished runs were put back\n");
        return if record.quiet { Ok(()) } else { output::print(text.as_bytes()) };
    }
    let keeper = plan::keeper(&record.preparation, &record.series, &connection, package)?;
    let app =
        package.map(|package| AppFacts { package: package.to_owned(), ..AppFacts::default() });
    let build = Build { app, packages: Vec::new(), scenario };
    let folder = plan::folder(record.out.as_deref(), package.unwrap_or("recording"));
    let mut session =
        plan::session(folder, vec![build], &record.series, &record.scenario, sources)?;
    let report = recorder::record(&mut session, keeper, &leased, &interrupts, record.quiet)?;
    if let Some(path) = &record.json {
        let mut text = serde_json::to_vec_pretty(&report.recording)
            .context("JSON of the recording")
            .map_err(Failure::Internal)?;
        text.push(b'\n');
        if output::is_stdout(Some(path)) {
            output::print(&text)?;
            return verdict(record, &report);
        }
        output::write_file(path, &text)?;
    }
    if !record.quiet {
        let mut text = recorder::stages(&report.recording, &report.folder, &[]);
        // Writing to a String does not fail.
        let _ = writeln!(text, "wattle report {}", report.folder.display());
        output::print(text.as_bytes())?;
    }
    verdict(record, &report)
}

/// A failed test is a failed run, and with `--strict` so is a recording with quality errors.
fn verdict(record: &Record, report: &SessionReport) -> Outcome {
    recorder::verdict(report)?;
    if !record.strictness.strict {
        return Ok(());
    }
    let folder = &report.folder;
    let runs = wattle_ingest::iterations(folder).map_err(|error| Failure::Input(error.into()))?;
    let runs = if runs.is_empty() { vec![folder.clone()] } else { runs };
    let mut errors = Vec::new();
    for run in runs {
        let timeline = analysis::read(&[run], record.quiet)?;
        errors.extend(timeline.quality.errors());
    }
    judgement::judge(record.strictness, &errors)
}

/// `com.example.test/androidx.test.runner.AndroidJUnitRunner`.
fn instrumentation(text: &str, target: Option<&str>) -> Result<TestPackage, Failure> {
    let (package, runner) = text.split_once('/').ok_or_else(|| {
        Failure::Usage(anyhow!(
            "--instrumentation {text}: expected PACKAGE/RUNNER, as `adb shell pm list instrumentation` shows it"
        ))
    })?;
    let target = target.unwrap_or(package).to_owned();
    Ok(TestPackage { package: package.to_owned(), runner: runner.to_owned(), target })
}
