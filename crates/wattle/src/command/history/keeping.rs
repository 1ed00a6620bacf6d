//! Keeping the run that a command has a ledger of.

use std::io::Write as _;

use anyhow::Context as _;
use wattle_ledger::Ledger;
use wattle_store::{CodeVersion, NewRun, RunFacts, RunId, Store, StoreLocation};

use super::{git_state, run_list};
use crate::cli::KeepFlags;
use crate::command::kept_runs::{failure, location};
use crate::config::Config;
use crate::exit::Failure;

/// Keeping of runs, as flags and configuration ask for it.
#[derive(Clone, Debug)]
pub struct Keeping {
    location: StoreLocation,
    code: CodeVersion,
    app_version: Option<String>,
    scenario: Option<String>,
    quiet: bool,
}

impl Keeping {
    /// `None` if nothing is to be kept. A history that cannot be opened is an error now, before anything is recorded.
    pub fn new(flags: &KeepFlags, config: &Config, quiet: bool) -> Result<Option<Self>, Failure> {
        if flags.no_keep || !(flags.keep || config.keeps_runs()) {
            return Ok(None);
        }
        let location = location(&flags.store, config)?;
        Store::open(&location).and_then(Store::close).map_err(failure)?;
        let mut code = git_state::code_version();
        if flags.commit.is_some() && flags.commit != code.commit {
            // Another commit than that of the working folder: its branch and changes are not those.
            code = CodeVersion { commit: flags.commit.clone(), branch: None, dirty: None };
        }
        code.branch = flags.branch.clone().or(code.branch);
        Ok(Some(Self {
            location,
            code,
            app_version: flags.app_version.clone(),
            scenario: flags.scenario_name.clone(),
            quiet,
        }))
    }

    /// Keeps a run, and says so.
    pub fn keep(&self, ledger: &Ledger, recorded: RunFacts) -> Result<RunId, Failure> {
        let mut facts = recorded;
        facts.code = self.code.clone();
        if let Some(version) = &self.app_version {
            facts.app.version_name = Some(version.clone());
        }
        if let Some(scenario) = &self.scenario {
            facts.circumstances.scenario = Some(scenario.clone());
        }
        let tool = || format!("wattle {}", env!("CARGO_PKG_VERSION"));
        facts.circumstances.tool.get_or_insert_with(tool);
        let new = NewRun::new(facts, ledger).context("ledger").map_err(Failure::Internal)?;
        let mut store = Store::open(&self.location).map_err(failure)?;
        let id = store.keep(&new).map_err(failure)?;
        let run = store.run(id).map_err(failure)?;
        store.close().map_err(failure)?;
        if !self.quiet {
            let next = match run.facts.app.package.as_str() {
                "" => "wattle runs".to_owned(),
                app => format!("wattle history {app}"),
            };
            let what = run_list::described(&run);
            // Where standard error is closed there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "kept as {id}: {what} ({next})");
        }
        Ok(id)
    }
}
