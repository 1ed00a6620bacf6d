//! A history, for programs that wait.

use std::collections::HashMap;
use std::path::PathBuf;

use tokio::runtime::{Builder, Runtime};
use wattle_units::Estimate;

use crate::{
    AsyncStore, KeptLedger, KeptRun, LedgerFile, Measure, MethodChoice, MethodFigure,
    MethodHistory, NewRun, PartialFigures, Retention, RunFilter, RunId, StoreError, StoreLocation,
};

/// A history, for programs that wait: [`AsyncStore`] on a thread of the caller.
#[derive(Debug)]
pub struct Store {
    inner: AsyncStore,
    runtime: Runtime,
}

impl Store {
    /// Opens a history, and creates it if it does not exist.
    pub fn open(location: &StoreLocation) -> Result<Self, StoreError> {
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(StoreError::Runtime)?;
        let inner = runtime.block_on(AsyncStore::open(location))?;
        Ok(Self { inner, runtime })
    }

    /// Ends the connection, and brings the database's journal into its file. Without it the next program that opens the history does that.
    pub fn close(self) -> Result<(), StoreError> {
        self.runtime.block_on(self.inner.close())
    }

    /// Its place.
    pub fn location(&self) -> &StoreLocation {
        self.inner.location()
    }

    /// Keeps a run: [`AsyncStore::keep`].
    pub fn keep(&mut self, new: &NewRun) -> Result<RunId, StoreError> {
        self.runtime.block_on(self.inner.keep(new))
    }

    /// Keeps a run, unless the app has one with the same ledger: [`AsyncStore::keep_unless_there`].
    pub fn keep_unless_there(&mut self, new: &NewRun) -> Result<RunId, StoreError> {
        self.runtime.block_on(self.inner.keep_unless_there(new))
    }

    /// Keeps a run under a key, at most once: [`AsyncStore::keep_once`].
    pub fn keep_once(&mut self, new: &NewRun, key: &str) -> Result<RunId, StoreError> {
        self.runtime.block_on(self.inner.keep_once(new, key))
    }

    /// Copies a history in a folder while it is used: [`AsyncStore::copy_to`].
    pub fn copy_to(&mut self, folder: &std::path::Path) -> Result<(), StoreError> {
        self.runtime.block_on(self.inner.copy_to(folder))
    }

    /// Deletes the ledgers of deleted runs and of runs that were never committed: [`AsyncStore::sweep`].
    pub fn sweep(&mut self) -> Result<usize, StoreError> {
        self.runtime.block_on(self.inner.sweep())
    }

    /// Deletes runs with their ledgers: [`AsyncStore::delete`].
    pub fn delete(&mut self, runs: &[RunId]) -> Result<usize, StoreError> {
        self.runtime.block_on(self.inner.delete(runs))
    }

    /// The runs that a rule deletes: [`AsyncStore::expired`].
    pub fn expired(
        &mut self,
        retention: &Retention,
        filter: &RunFilter,
    ) -> Result<Vec<KeptRun>, StoreError> {
        self.runtime.block_on(self.inner.expired(retention, filter))
    }

    /// The runs that meet the conditions, in the order in which they were kept.
    pub fn runs(&mut self, filter: &RunFilter) -> Result<Vec<KeptRun>, StoreError> {
        self.runtime.block_on(self.inner.runs(filter))
    }

    /// One run.
    pub fn run(&mut self, id: RunId) -> Result<KeptRun, StoreError> {
        self.runtime.block_on(self.inner.run(id))
    }

    /// The first run of an app with this ledger: [`AsyncStore::run_with_ledger`].
    pub fn run_with_ledger(
        &mut self,
        app: &str,
        ledger: &KeptLedger,
    ) -> Result<Option<RunId>, StoreError> {
        self.runtime.block_on(self.inner.run_with_ledger(app, ledger))
    }

    /// The package names of apps with runs and the number of runs of each, in order of names.
    pub fn apps(&mut self) -> Result<Vec<(String, u64)>, StoreError> {
        self.runtime.block_on(self.inner.apps())
    }

    /// The ledger of a run with the run's facts, after a check that it is what was kept.
    pub fn ledger(&mut self, id: RunId) -> Result<LedgerFile, StoreError> {
        self.runtime.block_on(self.inner.ledger(id))
    }

    /// The energies of a component in the runs of an app, by run.
    pub fn component_history(
        &mut self,
        app: &str,
        component: &str,
        measure: Measure,
    ) -> Result<HashMap<RunId, Estimate>, StoreError> {
        self.runtime.block_on(self.inner.component_history(app, component, measure))
    }

    /// The components that runs of an app have figures of, in order of names.
    pub fn components(&mut self, app: &str) -> Result<Vec<String>, StoreError> {
        self.runtime.block_on(self.inner.components(app))
    }

    /// The energies of those methods of an app whose names are wanted, over all its runs. In order of names.
    pub fn method_history(
        &mut self,
        app: &str,
        is_wanted: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Vec<MethodHistory>, StoreError> {
        self.runtime.block_on(self.inner.method_history(app, is_wanted))
    }

    /// The figures of runs of one app, with those of the chosen methods: [`AsyncStore::figures_of`].
    pub fn figures_of(
        &mut self,
        runs: &[KeptRun],
        choice: MethodChoice<'_>,
    ) -> Result<Vec<PartialFigures>, StoreError> {
        self.runtime.block_on(self.inner.figures_of(runs, choice))
    }

    /// The methods of a run, those with most energy of their own first.
    pub fn methods_of(&mut self, id: RunId) -> Result<Vec<MethodFigure>, StoreError> {
        self.runtime.block_on(self.inner.methods_of(id))
    }

    /// The file of a run's ledger, if it is one; with PostgreSQL it is in the database.
    pub fn ledger_file(&mut self, id: RunId) -> Result<Option<PathBuf>, StoreError> {
        self.runtime.block_on(self.inner.ledger_file(id))
    }
}
