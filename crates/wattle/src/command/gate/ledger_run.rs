//! A run that is judged by its ledger.

use wattle_gate::GateRun;
use wattle_ledger::Ledger;
use wattle_store::{RunFacts, RunFigures};

use crate::command::asked_names;
use crate::exit::Failure;

/// The run of a ledger.
pub(super) fn of_ledger(
    name: String,
    mut facts: RunFacts,
    ledger: &Ledger,
    app: Option<&str>,
) -> Result<GateRun, Failure> {
    if let Some(app) = app {
        asked_names::check_apps(&[app.to_owned()], ledger)?;
        app.clone_into(&mut facts.app.package);
    }
    facts.complete(ledger);
    let figures = RunFigures::new(ledger, &facts.app.package);
    Ok(GateRun { files: files(ledger), ..GateRun::new(name, facts, &figures) })
}

/// Names of the files of a recording.
pub(super) fn files(ledger: &Ledger) -> Vec<String> {
    ledger.recording.artifacts.iter().map(|file| file.name.clone()).collect()
}
