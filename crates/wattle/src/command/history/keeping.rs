//! Keeping the run that a command has a ledger of.

use std::fmt;
use std::io::Write as _;

use anyhow::Context as _;
use wattle_ledger::Ledger;
use wattle_store::{CodeVersion, KeptRun, NewRun, RunFacts, Store, StoreError, StoreLocation};

use super::{git_state, run_list};
use crate::cli::KeepFlags;
use crate::command::kept_runs::{failure, location};
use crate::config::Config;
use crate::exit::{Failure, Outcome};

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
    pub fn keep(&self, ledger: &Ledger, recorded: RunFacts) -> Outcome {
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
        let kept = keep_once(&mut store, &new).map_err(failure)?;
        store.close().map_err(failure)?;
        if !self.quiet {
            let next = match kept.run().facts.app.package.as_str() {
                "" => "wattle runs".to_owned(),
                app => format!("wattle history {app}"),
            };
            // Where standard error is closed there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "{kept} ({next})");
        }
        Ok(())
    }
}

/// A run that is in the history.
#[derive(Debug)]
pub enum Kept {
    /// Since now.
    New(KeptRun),
    /// Since earlier: the same recording was analysed again, and is no second run.
    Already(KeptRun),
}

impl Kept {
    /// The run.
    pub const fn run(&self) -> &KeptRun {
        match self {
            Self::New(run) | Self::Already(run) => run,
        }
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = self.run();
        let words = match self {
            Self::New(_) => "kept as",
            Self::Already(_) => "already kept as",
        };
        write!(f, "{words} {}: {}", run.id, run_list::described(run))
    }
}

/// Keeps a run, unless the app has one with the same ledger.
pub fn keep_once(store: &mut Store, new: &NewRun) -> Result<Kept, StoreError> {
    let ledger = new.kept_ledger();
    if let Some(id) = store.run_with_ledger(&new.facts.app.package, &ledger)? {
        return store.run(id).map(Kept::Already);
    }
    let id = store.keep(new)?;
    store.run(id).map(Kept::New)
}
