//! Keeping the run that a command has a ledger of.

use std::fmt;
use std::io::Write as _;

use anyhow::Context as _;
use wattle_ledger::Ledger;
use wattle_store::{CodeVersion, KeptRun, NewRun, RunFacts, Store, StoreError, StoreLocation};

use super::{git_state, run_list};
use crate::cli::{FactFlags, KeepFlags};
use crate::command::kept_runs::{failure, location};
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// Keeping of runs, as flags and configuration ask for it.
#[derive(Clone, Debug)]
pub struct Keeping {
    location: StoreLocation,
    code: CodeVersion,
    stated: FactFlags,
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
        Ok(Some(Self {
            location,
            code: git_state::code_version(),
            stated: flags.facts.clone(),
            quiet,
        }))
    }

    /// Keeps a run, and says so. What has no length in time is no run; that is said, and the report stands.
    pub fn keep(&self, ledger: &Ledger, recorded: RunFacts) -> Outcome {
        if !has_time(ledger) {
            let _ = writeln!(std::io::stderr(), "warning: not kept as a run: {NO_TIME}");
            return Ok(());
        }
        let mut facts = recorded;
        facts.code = self.code.clone();
        state(&self.stated, &mut facts);
        let tool = || format!("wattle {}", env!("CARGO_PKG_VERSION"));
        facts.circumstances.tool.get_or_insert_with(tool);
        let new = NewRun::new(facts, ledger).context("ledger").map_err(Failure::Internal)?;
        let mut store = Store::open(&self.location).map_err(failure)?;
        let kept = keep_once(&mut store, &new).map_err(failure)?;
        store.close().map_err(failure)?;
        // Said even with --quiet: a check of the new commit would find no run of it.
        let is_of_other =
            matches!(&kept, Kept::Already(run) if run.facts.code.commit != new.facts.code.commit);
        if is_of_other {
            let commit = new.facts.code.commit.as_deref().unwrap_or("no commit");
            let _ = writeln!(
                std::io::stderr(),
                "warning: {kept}; the same recording is not kept again for {}",
                wattle_report::clean(commit)
            );
        } else if !self.quiet {
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

/// The reason why something is no run.
const NO_TIME: &str = "it has no length in time (0 s), and runs are compared over their time";

/// Whether a ledger has a length in time. A run without one has no energy to be compared with that of others.
fn has_time(ledger: &Ledger) -> bool {
    let window = ledger.recording.window;
    window.end > window.start
}

/// Refuses a ledger that is to become a run, and has no length in time.
pub fn refuse_no_time(ledger: &Ledger) -> Outcome {
    if has_time(ledger) {
        return Ok(());
    }
    Err(Failure::Input(anyhow::anyhow!("the ledger cannot be kept: {NO_TIME}")))
}

/// Facts of flags take the place of those that were found.
pub fn state(stated: &FactFlags, facts: &mut RunFacts) {
    let FactFlags { app_version, commit, branch, scenario_name } = stated;
    if commit.is_some() && *commit != facts.code.commit {
        // Another commit than the one that was found: branch and changes are not those.
        facts.code = CodeVersion { commit: commit.clone(), branch: None, dirty: None };
    }
    let given = [
        (app_version, &mut facts.app.version_name),
        (branch, &mut facts.code.branch),
        (scenario_name, &mut facts.circumstances.scenario),
    ];
    for (flag, fact) in given {
        if flag.is_some() {
            fact.clone_from(flag);
        }
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
    let id = store.keep_unless_there(new)?;
    store.run(id).map(Kept::New)
}
