//! One trial: building a commit and running it.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use anyhow::{Context as _, anyhow};
use wattle_store::{KeptRun, RunFilter, RunId, Store, StoreLocation};

use super::commit_range::{Checkout, forget_repository};
use crate::command::kept_runs::failure;
use crate::exit::Failure;

/// The command of a search, and the history that its runs are kept in.
#[derive(Debug)]
pub(super) struct Trial<'b> {
    build: &'b [String],
    app: Option<&'b str>,
    history: tempfile::TempDir,
    seen: BTreeSet<RunId>,
}

/// The energies of a trial, in joules.
#[derive(Debug)]
pub(super) enum Tried {
    /// Runs that passed, each with its energy.
    Energies(Vec<f64>),
    /// The command failed, or kept no run: why.
    Failed(String),
}

impl<'b> Trial<'b> {
    /// Trials by a command.
    pub fn new(build: &'b [String], app: Option<&'b str>) -> Result<Self, Failure> {
        let history = tempfile::tempdir().context("a folder").map_err(Failure::Environment)?;
        Ok(Self { build, app, history, seen: BTreeSet::new() })
    }

    /// Builds and runs the commit that is checked out.
    pub fn of(&mut self, checkout: &Checkout, commit: &str, runs: usize) -> Result<Tried, Failure> {
        let Some((program, arguments)) = self.build.split_first() else {
            return Err(Failure::Usage(anyhow!("expected a command after --")));
        };
        let mut command = Command::new(program);
        forget_repository(&mut command);
        let status = command
            .args(arguments)
            .current_dir(checkout.path())
            .env("WATTLE_STORE", self.history.path())
            .env("WATTLE_RUNS", runs.to_string())
            .env("WATTLE_COMMIT", commit)
            .stdin(Stdio::null())
            .status()
            .with_context(|| program.clone())
            .map_err(Failure::Usage)?;
        if !status.success() {
            return Ok(Tried::Failed(format!("the command ended with {status}")));
        }
        let location = StoreLocation::Folder(self.history.path().to_owned());
        if location.is_new() {
            return Ok(Tried::Failed("the command kept no run: --keep keeps one".to_owned()));
        }
        let mut store = Store::open(&location).map_err(failure)?;
        let filter = RunFilter { app: self.app.map(str::to_owned), ..RunFilter::default() };
        let kept = store.runs(&filter).map_err(failure)?;
        store.close().map_err(failure)?;
        let passed = |run: &&KeptRun| {
            run.facts.circumstances.outcome.as_deref().is_none_or(|outcome| outcome == "passed")
        };
        let new: Vec<&KeptRun> = kept.iter().filter(|run| !self.seen.contains(&run.id)).collect();
        let energies: Vec<f64> = new
            .iter()
            .copied()
            .filter(passed)
            .filter_map(|run| Some(run.energy()?.joules.value()))
            .collect();
        self.seen.extend(new.iter().map(|run| run.id));
        if energies.is_empty() {
            return Ok(Tried::Failed(
                "the command kept no run that passed and has an energy".to_owned(),
            ));
        }
        Ok(Tried::Energies(energies))
    }
}
