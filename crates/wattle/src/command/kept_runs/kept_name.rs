//! Ledgers by name: files, and runs that were kept.

use std::path::Path;

use anyhow::Context as _;
use wattle_ledger::Ledger;
use wattle_store::{RunId, RunLabels, Store};

use super::store_place::{failure, location, nothing_kept};
use crate::cli::StoreChoice;
use crate::command::input_names;
use crate::config::Config;
use crate::exit::Failure;

/// Whether a path is the name of a kept run (`run:12`), and no file.
pub fn is_run_name(path: &Path) -> bool {
    run_id(path).is_some() && !path.exists()
}

fn run_id(path: &Path) -> Option<RunId> {
    let text = path.to_str()?;
    text.starts_with("run:").then(|| text.parse().ok()).flatten()
}

/// Loads a saved ledger, or that of a kept run: of the history that was chosen, else of `$WATTLE_STORE`, of `wattle.toml`, of this user.
pub fn load(path: &Path, choice: &StoreChoice) -> Result<Ledger, Failure> {
    let name = || format!("ledger {}", input_names::shown(path));
    let Some(id) = run_id(path).filter(|_| !path.exists()) else {
        return Ledger::load(path).with_context(name).map_err(Failure::Input);
    };
    let file = store(choice)?.ledger(id).map_err(failure)?;
    Ledger::from_bytes(&file.ledger).with_context(name).map_err(Failure::Input)
}

/// The labels of a kept run by its name.
pub fn labels(path: &Path, choice: &StoreChoice) -> Result<RunLabels, Failure> {
    let Some(id) = run_id(path) else { return Ok(RunLabels::default()) };
    store(choice)?.run(id).map(|run| run.facts.labels).map_err(failure)
}

/// The app of a kept run by its name; `None` where the run does not say it.
pub fn app(path: &Path, choice: &StoreChoice) -> Result<Option<String>, Failure> {
    let Some(id) = run_id(path).filter(|_| !path.exists()) else { return Ok(None) };
    let run = store(choice)?.run(id).map_err(failure)?;
    Ok(Some(run.facts.app.package).filter(|package| !package.is_empty()))
}

fn store(choice: &StoreChoice) -> Result<Store, Failure> {
    let environment = std::env::var("WATTLE_STORE").ok().filter(|text| !text.is_empty());
    let environment = environment.filter(|_| choice.store.is_none());
    let usual = environment.map(|text| text.parse()).transpose();
    let usual = usual.context("$WATTLE_STORE").map_err(Failure::Usage)?;
    let choice = StoreChoice { store: choice.store.clone().or(usual) };
    let location = location(&choice, &Config::find(None)?)?;
    if location.is_new() {
        return Err(nothing_kept());
    }
    Store::open(&location).map_err(failure)
}
