//! Runs that are named on the command line.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use wattle_gate::GateRun;
use wattle_store::{KeptLedger, RunId};

use super::ledger_run::of_ledger;
use super::run_source::RunSource;
use crate::cli::StoreChoice;
use crate::command::file_identity::FileIdentity;
use crate::command::history::recorded_runs;
use crate::command::kept_runs::{SavedRun, is_run_name, load};
use crate::exit::Failure;

/// The runs of files, folders and names: those of a folder's first build where it has two, and the others.
pub(super) fn of(
    named: &[PathBuf],
    app: Option<&str>,
    source: &mut RunSource,
) -> Result<(Vec<GateRun>, Vec<GateRun>), Failure> {
    let (mut before, mut current) = (Vec::new(), Vec::new());
    for path in once_each(named) {
        if is_run_name(path) {
            let id = path.to_string_lossy().parse::<RunId>();
            let id = id.map_err(|text| Failure::Usage(anyhow!(text)))?;
            current.push(source.run(id, app)?);
        } else if path.is_dir() {
            let (first, second) = of_folder(path, app)?;
            before.extend(first);
            current.extend(second);
        } else {
            let SavedRun { facts, ledger, bytes } = SavedRun::read(path)?;
            let mut run = of_ledger(path.display().to_string(), facts, &ledger, app)?;
            run.ledger = Some(KeptLedger::of_bytes(&bytes).sha256);
            current.push(run);
        }
    }
    let mut known = BTreeSet::new();
    current.retain(|run| {
        let is_new = run.ledger.as_ref().is_none_or(|sha256| known.insert(sha256.clone()));
        if !is_new {
            say(&format!("{}: its ledger is named twice, counts once", run.name));
        }
        is_new
    });
    let build = |run: &GateRun| run.facts.labels.build.clone();
    let series = |run: &GateRun| run.facts.labels.series.clone();
    let first = current.iter().filter_map(build).min();
    let is_one_series = current.iter().all(|run| series(run).is_some() && build(run).is_some())
        && current.windows(2).all(|pair| series(&pair[0]) == series(&pair[1]));
    // Runs of both builds of one series, named one by one, are what its folder is.
    if before.is_empty() && is_one_series && current.iter().any(|run| build(run) != first) {
        return Ok(current.into_iter().partition(|run| build(run) == first));
    }
    Ok((before, current))
}

/// Says something about the command line.
fn say(text: &str) {
    // Nobody is there to be told where standard error is closed.
    let _ = writeln!(std::io::stderr(), "wattle: {}", wattle_report::clean(text));
}

/// Each run once, with a note where one is named twice.
fn once_each(named: &[PathBuf]) -> Vec<&PathBuf> {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let is_new = |path: &&PathBuf| {
        let name = if is_run_name(path) {
            path.to_string_lossy().into_owned()
        } else {
            FileIdentity::from_path(path)
                .map_or_else(|| path.display().to_string(), |identity| format!("{identity:?}"))
        };
        let is_new = known.insert(name);
        if !is_new {
            say(&format!("{}: named twice, counts once", path.display()));
        }
        is_new
    };
    named.iter().filter(is_new).collect()
}

/// The runs of a folder of `wattle run` or `wattle record`: those of its first build where it has two, and the others.
fn of_folder(path: &Path, app: Option<&str>) -> Result<(Vec<GateRun>, Vec<GateRun>), Failure> {
    let runs = recorded_runs(path).map_err(|error| {
        let text = format!(
            "{}: expected a folder of `wattle run` or `wattle record` with its ledgers",
            path.display()
        );
        Failure::Input(anyhow!(error).context(text))
    })?;
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for run in runs {
        let ledger = load(&run.ledger, &StoreChoice::default())?;
        let judged = of_ledger(run.folder.display().to_string(), run.facts, &ledger, app)?;
        if run.is_of_first_build { first.push(judged) } else { second.push(judged) }
    }
    if second.is_empty() {
        let text = format!("{}: no run of it passed and has a ledger", path.display());
        return Err(Failure::Input(anyhow!(text)));
    }
    Ok((first, second))
}
