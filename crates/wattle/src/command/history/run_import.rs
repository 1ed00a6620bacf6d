//! `wattle runs import`: runs of files.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_ledger::Ledger;
use wattle_store::{NewRun, RunFacts, Store};
use wattle_tool_results::ImportPlan;

use super::keeping::{keep_once, refuse_no_time, state};
use super::recorded_facts;
use super::recorded_runs::{RecordedRun, recorded_runs};
use crate::cli::{ImportRuns, Modelling, Symbols};
use crate::command::analysis::{self, AnalysisPlan, LedgerParts};
use crate::command::kept_runs::{SavedRun, failure, location};
use crate::command::{inputs, output};
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// Keeps the runs of files, each at once: what was kept before a file that cannot be read stays.
pub fn import(flags: &ImportRuns) -> Outcome {
    let config = Config::find(flags.place.config.as_deref())?;
    let location = location(&flags.place.store, &config)?;
    let mut store = Store::open(&location).map_err(failure)?;
    for file in by_time(&flags.files) {
        if inputs::is_ledger(file) {
            let SavedRun { facts, ledger, bytes } = SavedRun::read(file)?;
            keep(&mut store, flags, (facts, &ledger, bytes))?;
        } else if let Some(runs) = runs_of_folder(file) {
            for run in runs {
                let SavedRun { ledger, bytes, .. } = SavedRun::read(&run.ledger)?;
                keep(&mut store, flags, (run.facts, &ledger, bytes))?;
            }
        } else {
            import_results(&mut store, flags, (file, &config))?;
        }
    }
    store.close().map_err(failure)
}

/// The files in the order in which their runs were made, so that they are numbered in it; files that do not say when come last, as
/// they were named.
fn by_time(files: &[PathBuf]) -> Vec<&PathBuf> {
    let began = |file: &&PathBuf| {
        let facts = inputs::is_ledger(file).then(|| SavedRun::read_facts(file)).flatten();
        facts.and_then(|facts| facts.circumstances.started_ms).unwrap_or(i64::MAX)
    };
    let mut files: Vec<&PathBuf> = files.iter().collect();
    files.sort_by_cached_key(began);
    files
}

/// The runs of a folder of `wattle run` or `wattle record`; `None` for anything else.
fn runs_of_folder(path: &Path) -> Option<Vec<RecordedRun>> {
    let runs = path.is_dir().then(|| recorded_runs(path).ok()).flatten()?;
    (!runs.is_empty()).then_some(runs)
}

/// Results of another tool: its traces become ledgers as `wattle import` and `wattle report` make them.
fn import_results(
    store: &mut Store,
    flags: &ImportRuns,
    (file, config): (&PathBuf, &Config),
) -> Outcome {
    let plan = ImportPlan::read(file).map_err(|error| Failure::Input(error.into()))?;
    let folder = tempfile::tempdir().context("a temporary folder").map_err(Failure::Environment)?;
    let written = plan.write(folder.path()).map_err(|error| Failure::Input(error.into()))?;
    let analysis = AnalysisPlan {
        keep: LedgerParts::ALL,
        ..AnalysisPlan::new(config, Modelling::default(), Symbols::default())
    };
    for (series, path) in plan.series.iter().zip(written) {
        let runs: Vec<PathBuf> = match series.runs.len() {
            1 => vec![path],
            count => (0..count).map(|number| path.join(number.to_string())).collect(),
        };
        for (number, run) in runs.into_iter().enumerate() {
            let mut facts = recorded_facts::facts_of_folder(&run);
            facts.circumstances.scenario.get_or_insert_with(|| series.name.clone());
            facts.labels.series = Some(series.name.clone());
            facts.labels.iteration = u32::try_from(number).ok();
            let paths = [run];
            let timeline = analysis::read(&paths, flags.place.quiet)?;
            let ledger = analysis::ledger(&timeline, &paths, &analysis, timeline.scenario)?;
            let bytes = ledger.to_bytes().context("ledger").map_err(Failure::Internal)?;
            keep(store, flags, (facts, &ledger, bytes))?;
        }
    }
    Ok(())
}

fn keep(
    store: &mut Store,
    flags: &ImportRuns,
    (mut facts, ledger, bytes): (RunFacts, &Ledger, Vec<u8>),
) -> Outcome {
    refuse_no_time(ledger)?;
    if let Some(app) = &flags.app {
        facts.app.package.clone_from(app);
    }
    state(&flags.facts, &mut facts);
    let kept = keep_once(store, &NewRun::with_bytes(facts, ledger, bytes)).map_err(failure)?;
    if flags.place.quiet {
        return Ok(());
    }
    output::print(format!("{kept}\n").as_bytes())
}
