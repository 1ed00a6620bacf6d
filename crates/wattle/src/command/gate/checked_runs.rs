//! Runs that are named on the command line.

use std::path::Path;

use anyhow::anyhow;
use wattle_gate::GateRun;
use wattle_ledger::Ledger;
use wattle_recording::{Iteration, Outcome as RunOutcome, Recording};
use wattle_store::{RunFacts, RunFigures, RunId, Store};

use crate::cli::HistoryPlace;
use crate::command::history::{facts_of_folder, facts_of_run};
use crate::command::kept_runs::{failure, is_run_name, nothing_kept, open_existing};
use crate::exit::Failure;

/// The ledger in the folder of a run.
const LEDGER: &str = "run.ledger.json.zst";

/// The runs of files, folders and names: those of a folder's first build where it has two, and the others.
pub(super) fn of(
    named: &[std::path::PathBuf],
    app: Option<&str>,
    place: &HistoryPlace,
) -> Result<(Vec<GateRun>, Vec<GateRun>), Failure> {
    let (mut before, mut current) = (Vec::new(), Vec::new());
    let mut store: Option<Store> = None;
    for path in named {
        if is_run_name(path) {
            if store.is_none() {
                store = Some(open_existing(place)?.ok_or_else(nothing_kept)?);
            }
            let Some(store) = &mut store else { continue };
            let id = path.to_string_lossy().parse::<RunId>();
            let id = id.map_err(|text| Failure::Usage(anyhow!(text)))?;
            current.push(kept(store, id, app)?);
        } else if path.is_dir() {
            let (first, second) = of_folder(path, app)?;
            before.extend(first);
            current.extend(second);
        } else {
            let ledger = crate::command::kept_runs::load(path)?;
            current.push(of_ledger(path, RunFacts::default(), &ledger, app));
        }
    }
    Ok((before, current))
}

/// A kept run with all its figures.
pub(super) fn kept(store: &mut Store, id: RunId, app: Option<&str>) -> Result<GateRun, Failure> {
    let file = store.ledger(id).map_err(failure)?;
    let ledger = Ledger::from_bytes(&file.ledger)
        .map_err(|error| Failure::Input(anyhow!(error).context(format!("ledger of {id}"))))?;
    let facts = store.run(id).map_err(failure)?.facts;
    let mut run = of_ledger(Path::new(""), facts, &ledger, app);
    run.name = id.to_string();
    Ok(run)
}

fn of_ledger(path: &Path, mut facts: RunFacts, ledger: &Ledger, app: Option<&str>) -> GateRun {
    if let Some(app) = app {
        app.clone_into(&mut facts.app.package);
    }
    facts.complete(ledger);
    let figures = RunFigures::new(ledger, &facts.app.package);
    GateRun::new(path.display().to_string(), facts, &figures)
}

/// The runs of a folder of `wattle run` or `wattle record`. Warm-up runs and runs that did not pass do not count.
fn of_folder(path: &Path, app: Option<&str>) -> Result<(Vec<GateRun>, Vec<GateRun>), Failure> {
    let only = path.join(LEDGER);
    if only.is_file() {
        let ledger = crate::command::kept_runs::load(&only)?;
        return Ok((Vec::new(), vec![of_ledger(path, facts_of_folder(path), &ledger, app)]));
    }
    let recording = wattle_recording::load(path).map_err(|error| {
        let text = format!(
            "{}: expected a folder of `wattle run` or `wattle record` with its ledgers",
            path.display()
        );
        Failure::Input(anyhow!(error).context(text))
    })?;
    let counts = |run: &&Iteration| !run.warm_up && run.outcome == RunOutcome::Passed;
    let runs: Vec<&Iteration> = recording.iterations.iter().filter(counts).collect();
    let labels: Vec<&str> = recording.apps.iter().filter_map(|app| app.label.as_deref()).collect();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for run in runs {
        let folder = path.join(run.number.to_string());
        let ledger = folder.join(LEDGER);
        if !ledger.is_file() {
            continue;
        }
        let gate_run = of_iteration(&recording, run, path, app, &folder)?;
        let is_first = labels.len() > 1 && run.app.as_deref() == labels.first().copied();
        if is_first { first.push(gate_run) } else { second.push(gate_run) }
    }
    if second.is_empty() {
        let text = format!("{}: no run of it passed and has a ledger", path.display());
        return Err(Failure::Input(anyhow!(text)));
    }
    Ok((first, second))
}

fn of_iteration(
    recording: &Recording,
    run: &Iteration,
    series: &Path,
    app: Option<&str>,
    folder: &Path,
) -> Result<GateRun, Failure> {
    let name = series.file_name().map(|name| name.to_string_lossy().into_owned());
    let facts = facts_of_run(recording, Some(run), name.as_deref());
    let ledger = crate::command::kept_runs::load(&folder.join(LEDGER))?;
    Ok(of_ledger(folder, facts, &ledger, app))
}
