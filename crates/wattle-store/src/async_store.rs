//! A history, without waiting for its database.

use std::collections::{HashMap, HashSet};

use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Connection as _, Row as _};
use wattle_units::Estimate;

use crate::history_copy;
use crate::ledger_folder::LedgerFolder;
use crate::method_block::{self, METHODS};
use crate::open_database::OpenDatabase;
use crate::partial_figures::{self, BlockChoice};
use crate::run_columns::{COLUMNS, TABLES, kept_run};
use crate::time_now::now_ms;
use crate::{ComponentFigure, KeptLedger, LedgerFile, MethodChoice, PartialFigures, RunFigures};
use crate::{
    KeptRun, Measure, MethodFigure, MethodHistory, MethodPoint, NewRun, Retention, RunFilter,
    RunId, StoreError, StoreLocation, removal, run_rows,
};

/// Time between two searches for files that nothing refers to.
const SWEEP_EVERY_MS: i64 = 24 * 3600 * 1000;
/// Bytes of facts beside a ledger, at most.
const MOST_FACTS: u64 = 2 << 20;

/// When a run is not kept.
#[derive(Clone, Copy, Debug)]
enum Unless<'k> {
    /// It is kept.
    Never,
    /// The app has a run with the same ledger.
    SameLedger,
    /// A run was kept under this key.
    Key(&'k str),
}

/// A history, without waiting for its database. One connection, so one call at a time.
#[derive(Debug)]
pub struct AsyncStore {
    location: StoreLocation,
    database: OpenDatabase,
    /// The folder of ledgers; `None` where the database has them.
    ledgers: Option<LedgerFolder>,
}

impl AsyncStore {
    /// Opens a history, and creates it if it does not exist.
    pub async fn open(location: &StoreLocation) -> Result<Self, StoreError> {
        let database = OpenDatabase::open(location).await?;
        let ledgers = match location {
            StoreLocation::Folder(folder) => Some(LedgerFolder::beside_database(folder)),
            StoreLocation::Postgres(_) => None,
        };
        Ok(Self { location: location.clone(), database, ledgers })
    }

    /// Ends the connection, and brings the database's journal into its file.
    pub async fn close(self) -> Result<(), StoreError> {
        let fail = self.fail();
        self.database.connection.close().await.map_err(fail)
    }

    /// Copies a history in a folder to another folder while it is used, as it is at one moment. One in PostgreSQL is copied by `pg_dump`.
    pub async fn copy_to(&mut self, folder: &std::path::Path) -> Result<(), StoreError> {
        let Some(ledgers) = &self.ledgers else {
            return Err(StoreError::NotAFolder { location: self.location.clone() });
        };
        history_copy::copy(&mut self.database.connection, &self.location, ledgers, folder).await
    }

    /// Its place.
    pub fn location(&self) -> &StoreLocation {
        &self.location
    }

    fn fail(&self) -> impl Fn(sqlx::Error) -> StoreError + use<> {
        let location = self.location.clone();
        move |error| StoreError::database(&location, error)
    }

    /// Keeps a run. When this returns, it is on the disk as a whole; on an error nothing is in the history.
    pub async fn keep(&mut self, new: &NewRun) -> Result<RunId, StoreError> {
        self.keep_unless(new, Unless::Never).await
    }

    /// Keeps a run, unless the app has one with the same ledger: then that one's number is the result. Of several programs that keep
    /// one at once, one adds a run.
    pub async fn keep_unless_there(&mut self, new: &NewRun) -> Result<RunId, StoreError> {
        self.keep_unless(new, Unless::SameLedger).await
    }

    /// Keeps a run under a key, unless one was kept under it before: then that one's number is the result, even after it was deleted.
    /// Of several programs that keep at once under one key, one adds a run.
    pub async fn keep_once(&mut self, new: &NewRun, key: &str) -> Result<RunId, StoreError> {
        self.keep_unless(new, Unless::Key(key)).await
    }

    /// The run that was kept under a key.
    pub async fn run_with_key(&mut self, key: &str) -> Result<Option<RunId>, StoreError> {
        let fail = self.fail();
        let row = sqlx::query("SELECT run FROM kept_once WHERE key = $1").bind(key.to_owned());
        let row = row.fetch_optional(&mut self.database.connection).await.map_err(&fail)?;
        row.map(|row| row.try_get(0).map(RunId)).transpose().map_err(fail)
    }

    async fn keep_unless(&mut self, new: &NewRun, unless: Unless<'_>) -> Result<RunId, StoreError> {
        let (ledger, fail) = (new.kept_ledger(), self.fail());
        let file = LedgerFile { ledger: new.ledger.clone(), facts: Some(new.facts.clone()) };
        let bytes = self.ledgers.as_ref().map(|_| file.to_bytes()).unwrap_or_default();
        let write = |ledgers: &Option<LedgerFolder>, location: &StoreLocation| match ledgers {
            None => Ok(()),
            Some(folder) => folder
                .write(&ledger, &bytes)
                .map_err(|error| StoreError::file(location, &folder.file(&ledger.sha256), error)),
        };
        // The slow part, before anybody waits for us.
        write(&self.ledgers, &self.location)?;
        let (ledgers, location) = (self.ledgers.clone(), self.location.clone());
        let dialect = self.database.dialect;
        let mut transaction = self.database.write().await.map_err(&fail)?;
        // Whoever deletes files holds the same lock, so from here on the file stays.
        write(&ledgers, &location)?;
        let known = match unless {
            Unless::Never => Ok(None),
            Unless::SameLedger => {
                run_rows::lock(&mut transaction).await.map_err(&fail)?;
                let app = &new.facts.app.package;
                run_rows::with_ledger(&mut transaction, app, &ledger.sha256).await
            }
            Unless::Key(key) => run_rows::with_key(&mut transaction, key).await,
        };
        let known = known.map_err(&fail)?;
        if let Some(id) = known {
            // The ledger's file, if it is nobody's, is swept by its mark.
            transaction.rollback().await.map_err(&fail)?;
            return Ok(id);
        }
        let id = run_rows::run(&mut transaction, dialect, new, &ledger).await.map_err(&fail)?;
        if let Unless::Key(key) = unless {
            run_rows::remember_key(&mut transaction, key, id).await.map_err(&fail)?;
        }
        transaction.commit().await.map_err(&fail)?;
        if let Some(folder) = &ledgers {
            folder.committed(&ledger.sha256);
        }
        // The run is there; what is left over from earlier ones can wait for another day.
        let _ = self.sweep_now_and_then().await;
        Ok(id)
    }

    async fn sweep_now_and_then(&mut self) -> Result<(), StoreError> {
        let fail = self.fail();
        let swept = sqlx::query("SELECT value FROM counter WHERE name = 'swept_ms'");
        let swept = swept.fetch_one(&mut self.database.connection).await;
        let swept: i64 = swept.and_then(|row| row.try_get(0)).map_err(fail)?;
        if now_ms().saturating_sub(swept) > SWEEP_EVERY_MS {
            self.sweep().await?;
        }
        Ok(())
    }

    /// Deletes the ledgers of deleted runs and of runs that were never committed. Returns their number.
    pub async fn sweep(&mut self) -> Result<usize, StoreError> {
        let (fail, ledgers, location) = (self.fail(), self.ledgers.clone(), self.location.clone());
        let mut transaction = self.database.write().await.map_err(&fail)?;
        let of_folder =
            |folder: &LedgerFolder, source| StoreError::file(&location, &folder.file("00"), source);
        let marked = match &ledgers {
            Some(folder) => folder.marked().map_err(|error| of_folder(folder, error))?,
            None => Vec::new(),
        };
        let orphans = removal::orphans(&mut transaction, &marked).await.map_err(&fail)?;
        let swept = match &ledgers {
            Some(folder) => folder.sweep(&orphans).map_err(|error| of_folder(folder, error))?,
            None => orphans.len(),
        };
        transaction.commit().await.map_err(&fail)?;
        Ok(swept)
    }

    /// Deletes runs with their ledgers. Returns the number of runs that were there.
    pub async fn delete(&mut self, runs: &[RunId]) -> Result<usize, StoreError> {
        let fail = self.fail();
        let mut transaction = self.database.write().await.map_err(&fail)?;
        let deleted = removal::delete(&mut transaction, runs).await.map_err(&fail)?;
        transaction.commit().await.map_err(&fail)?;
        // Rows first: a file without a row is litter, a row without a file would be a loss.
        self.sweep().await?;
        Ok(deleted)
    }

    /// The runs among `filter` that a rule deletes.
    pub async fn expired(
        &mut self,
        retention: &Retention,
        filter: &RunFilter,
    ) -> Result<Vec<KeptRun>, StoreError> {
        let runs = self.runs(filter).await?;
        Ok(retention.expired(&runs, now_ms()).into_iter().cloned().collect())
    }

    /// The runs that meet the conditions, in the order in which they were kept.
    pub async fn runs(&mut self, filter: &RunFilter) -> Result<Vec<KeptRun>, StoreError> {
        let fail = self.fail();
        let condition = if filter.app.is_some() { "WHERE app.package = $1" } else { "" };
        let text = format!("SELECT {COLUMNS} FROM {TABLES} {condition} ORDER BY run.id");
        let mut query = sqlx::query(AssertSqlSafe(text));
        if let Some(app) = &filter.app {
            query = query.bind(app.clone());
        }
        let rows = query.fetch_all(&mut self.database.connection).await.map_err(&fail)?;
        let runs: sqlx::Result<Vec<KeptRun>> = rows.iter().map(kept_run).collect();
        let mut runs = runs.map_err(&fail)?;
        runs.retain(|run| filter.accepts(run));
        if let Some(last) = filter.last {
            runs.drain(..runs.len().saturating_sub(last));
        }
        Ok(runs)
    }

    /// One run.
    pub async fn run(&mut self, id: RunId) -> Result<KeptRun, StoreError> {
        let fail = self.fail();
        let text = format!("SELECT {COLUMNS} FROM {TABLES} WHERE run.id = $1");
        let query = sqlx::query(AssertSqlSafe(text)).bind(id.0);
        let row = query.fetch_optional(&mut self.database.connection).await.map_err(&fail)?;
        let missing = || StoreError::NoSuchRun { run: id, location: self.location.clone() };
        kept_run(&row.ok_or_else(missing)?).map_err(&fail)
    }

    /// The first run of an app with this ledger: the run that was kept, if a recording is analysed again.
    pub async fn run_with_ledger(
        &mut self,
        app: &str,
        ledger: &KeptLedger,
    ) -> Result<Option<RunId>, StoreError> {
        let fail = self.fail();
        let sha256 = &ledger.sha256;
        let known = run_rows::with_ledger(&mut self.database.connection, app, sha256).await;
        known.map_err(fail)
    }

    /// The package names of apps with runs and the number of runs of each, in order of names.
    pub async fn apps(&mut self) -> Result<Vec<(String, u64)>, StoreError> {
        let text = "SELECT app.package, COUNT(*) FROM run JOIN app ON app.id = run.app GROUP BY app.package ORDER BY app.package";
        let fail = self.fail();
        let rows = sqlx::query(text).fetch_all(&mut self.database.connection).await;
        let app = |row: &AnyRow| -> sqlx::Result<(String, u64)> {
            Ok((row.try_get(0)?, row.try_get::<i64, _>(1)?.max(0) as u64))
        };
        rows.and_then(|rows| rows.iter().map(app).collect()).map_err(fail)
    }

    /// The ledger of a run with the run's facts, after a check that it is what was kept.
    pub async fn ledger(&mut self, id: RunId) -> Result<LedgerFile, StoreError> {
        let run = self.run(id).await?;
        let damaged = |reason: String| StoreError::DamagedLedger { run: id, reason };
        let mut bytes = match &self.ledgers {
            Some(folder) => {
                let most = run.ledger.bytes.saturating_add(MOST_FACTS);
                folder.read(&run.ledger.sha256, most).map_err(|error| match error.kind() {
                    std::io::ErrorKind::NotFound => {
                        let path = folder.file(&run.ledger.sha256);
                        damaged(format!("{} is missing", path.display()))
                    }
                    _ => StoreError::File { path: folder.file(&run.ledger.sha256), source: error },
                })?
            }
            None => self.content(&run.ledger.sha256).await?,
        };
        let length = usize::try_from(run.ledger.bytes).unwrap_or(usize::MAX);
        let behind = bytes.get(length..).unwrap_or_default();
        if !behind.is_empty() && !LedgerFile::are_facts(behind) {
            let behind = behind.len();
            let text = format!("{behind} bytes behind the ledger are not the facts of a run");
            return Err(damaged(text));
        }
        bytes.truncate(length);
        let found = KeptLedger::of_bytes(&bytes);
        if found != run.ledger {
            return Err(damaged(format!(
                "expected {} bytes with the SHA-256 {}, found {} with {}",
                run.ledger.bytes, run.ledger.sha256, found.bytes, found.sha256
            )));
        }
        Ok(LedgerFile { ledger: bytes, facts: Some(run.facts) })
    }

    /// The file of a run's ledger, if it is one; with PostgreSQL it is in the database.
    pub async fn ledger_file(
        &mut self,
        id: RunId,
    ) -> Result<Option<std::path::PathBuf>, StoreError> {
        let run = self.run(id).await?;
        Ok(self.ledgers.as_ref().map(|folder| folder.file(&run.ledger.sha256)))
    }

    async fn content(&mut self, sha256: &str) -> Result<Vec<u8>, StoreError> {
        let fail = self.fail();
        let query = sqlx::query("SELECT content FROM ledger WHERE sha256 = $1");
        let query = query.bind(sha256.to_owned());
        let row = query.fetch_one(&mut self.database.connection).await.map_err(&fail)?;
        Ok(row.try_get::<Option<Vec<u8>>, _>(0).map_err(&fail)?.unwrap_or_default())
    }

    /// The energies of a component in the runs of an app, by run.
    pub async fn component_history(
        &mut self,
        app: &str,
        component: &str,
        measure: Measure,
    ) -> Result<HashMap<RunId, Estimate>, StoreError> {
        let fail = self.fail();
        let text = "SELECT component_figure.run, component_figure.joules, component_figure.low, component_figure.high, \
            component_figure.provenance FROM component_figure JOIN run ON run.id = component_figure.run \
            JOIN app ON app.id = run.app WHERE component_figure.name = $1 AND component_figure.of_app = $2 AND app.package = $3";
        let of_app = measure == Measure::App && !app.is_empty();
        let query = sqlx::query(text).bind(component.to_owned()).bind(i64::from(of_app));
        let query = query.bind(app.to_owned());
        let rows = query.fetch_all(&mut self.database.connection).await.map_err(&fail)?;
        let mut history = HashMap::new();
        for row in rows {
            let id = RunId(row.try_get(0).map_err(&fail)?);
            if let Some(energy) = crate::figure_row::energy(&row, 1).map_err(&fail)? {
                history.insert(id, energy);
            }
        }
        Ok(history)
    }

    /// The components that runs of an app have figures of, in order of names.
    pub async fn components(&mut self, app: &str) -> Result<Vec<String>, StoreError> {
        let fail = self.fail();
        let text = "SELECT DISTINCT component_figure.name FROM component_figure JOIN run ON run.id = component_figure.run \
            JOIN app ON app.id = run.app WHERE app.package = $1 ORDER BY component_figure.name";
        let rows = sqlx::query(text).bind(app.to_owned());
        let rows = rows.fetch_all(&mut self.database.connection).await.map_err(&fail)?;
        rows.iter().map(|row| row.try_get(0).map_err(&fail)).collect()
    }

    /// The methods of an app with their numbers.
    async fn methods(&mut self, app: &str) -> Result<(i64, Vec<(u64, String)>), StoreError> {
        let fail = self.fail();
        let text = "SELECT app.id, method.number, method.name FROM method JOIN app ON app.id = method.app WHERE app.package = $1";
        let rows = sqlx::query(text).bind(app.to_owned());
        let rows = rows.fetch_all(&mut self.database.connection).await.map_err(&fail)?;
        let mut id = 0;
        let mut methods = Vec::with_capacity(rows.len());
        for row in rows {
            id = row.try_get(0).map_err(&fail)?;
            let number: i64 = row.try_get(1).map_err(&fail)?;
            methods.push((number.max(0) as u64, row.try_get(2).map_err(&fail)?));
        }
        Ok((id, methods))
    }

    /// The energies of those methods of an app whose names are wanted, over all its runs. In order of names.
    pub async fn method_history(
        &mut self,
        app: &str,
        is_wanted: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Vec<MethodHistory>, StoreError> {
        let fail = self.fail();
        let (app, mut methods) = self.methods(app).await?;
        methods.retain(|(_, name)| is_wanted(name));
        methods.sort_by(|a, b| a.1.cmp(&b.1));
        let at: HashMap<u64, usize> =
            methods.iter().enumerate().map(|(at, (number, _))| (*number, at)).collect();
        let history = |(_, name)| MethodHistory { name, points: HashMap::new() };
        let mut histories: Vec<MethodHistory> = methods.into_iter().map(history).collect();
        let blocks: HashSet<u64> = at.keys().map(|number| number / METHODS).collect();
        for block in blocks {
            let text = "SELECT run, content FROM method_block WHERE app = $1 AND block = $2";
            let query = sqlx::query(text).bind(app).bind(block as i64);
            for row in query.fetch_all(&mut self.database.connection).await.map_err(&fail)? {
                let id = RunId(row.try_get(0).map_err(&fail)?);
                for (number, point) in self.points(&row, id, block)? {
                    if let Some(history) = at.get(&number).and_then(|at| histories.get_mut(*at)) {
                        history.points.insert(id, point);
                    }
                }
            }
        }
        Ok(histories)
    }

    /// The figures of runs of one app, with those of the chosen methods. Of other runs nothing is read, so this is how a few runs of a long
    /// history are read.
    pub async fn figures_of(
        &mut self,
        runs: &[KeptRun],
        choice: MethodChoice<'_>,
    ) -> Result<Vec<PartialFigures>, StoreError> {
        let Some(first) = runs.first() else { return Ok(Vec::new()) };
        let (app, methods) = self.methods(&first.facts.app.package).await?;
        let blocks = BlockChoice::new(&methods, choice);
        let groups = match choice {
            MethodChoice::Named(_) => 0,
            MethodChoice::Summed(groups) => groups.len(),
        };
        let mut all = Vec::with_capacity(runs.len());
        for run in runs {
            let components = self.components_of(run.id).await?;
            let (total, of_app) = (run.total, run.app);
            let figures = RunFigures { total, app: of_app, components, methods: Vec::new() };
            let mut partial =
                PartialFigures { figures, sums: vec![None; groups], has_methods: false };
            for (block, content) in self.blocks_of(app, run.id, &blocks.wanted).await? {
                partial.has_methods = true;
                for (number, point) in self.decoded(&content, run.id, block)? {
                    let Some((name, groups)) = blocks.methods.get(&number) else { continue };
                    let MethodPoint { calls, own, total } = point;
                    if matches!(choice, MethodChoice::Named(_)) {
                        let name = (*name).to_owned();
                        partial.figures.methods.push(MethodFigure { name, calls, own, total });
                    }
                    for sum in groups {
                        if let Some(sum) = partial.sums.get_mut(*sum) {
                            partial_figures::add(sum, own);
                        }
                    }
                }
            }
            if !partial.has_methods && !blocks.methods.is_empty() {
                partial.has_methods = self.has_block(app, run.id, &blocks.all).await?;
            }
            all.push(partial);
        }
        Ok(all)
    }

    async fn components_of(&mut self, run: RunId) -> Result<Vec<ComponentFigure>, StoreError> {
        let fail = self.fail();
        let text = "SELECT name, of_app, joules, low, high, provenance FROM component_figure WHERE run = $1 ORDER BY name";
        let rows = sqlx::query(text).bind(run.0).fetch_all(&mut self.database.connection).await;
        let mut components = Vec::new();
        for row in rows.map_err(&fail)? {
            let Some(energy) = crate::figure_row::energy(&row, 2).map_err(&fail)? else { continue };
            let name = row.try_get(0).map_err(&fail)?;
            let is_app = row.try_get::<i64, _>(1).map_err(&fail)? != 0;
            components.push(ComponentFigure { name, is_app, energy });
        }
        Ok(components)
    }

    /// The wanted blocks of a run with their numbers.
    async fn blocks_of(
        &mut self,
        app: i64,
        run: RunId,
        blocks: &str,
    ) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        if blocks.is_empty() {
            return Ok(Vec::new());
        }
        let fail = self.fail();
        let text = format!(
            "SELECT block, content FROM method_block WHERE app = $1 AND run = $2 AND block IN ({blocks})"
        );
        let rows = sqlx::query(AssertSqlSafe(text)).bind(app).bind(run.0);
        let rows = rows.fetch_all(&mut self.database.connection).await.map_err(&fail)?;
        let block = |row: &AnyRow| -> sqlx::Result<(u64, Vec<u8>)> {
            Ok((row.try_get::<i64, _>(0)?.max(0) as u64, row.try_get(1)?))
        };
        rows.iter().map(|row| block(row).map_err(&fail)).collect()
    }

    /// Whether a run has any of these blocks.
    async fn has_block(&mut self, app: i64, run: RunId, blocks: &str) -> Result<bool, StoreError> {
        let fail = self.fail();
        let text = format!(
            "SELECT block FROM method_block WHERE app = $1 AND run = $2 AND block IN ({blocks}) LIMIT 1"
        );
        let query = sqlx::query(AssertSqlSafe(text)).bind(app).bind(run.0);
        let row = query.fetch_optional(&mut self.database.connection).await.map_err(&fail)?;
        Ok(row.is_some())
    }

    /// The methods of a run, those with most energy of their own first.
    pub async fn methods_of(&mut self, id: RunId) -> Result<Vec<MethodFigure>, StoreError> {
        let fail = self.fail();
        let run = self.run(id).await?;
        let (app, methods) = self.methods(&run.facts.app.package).await?;
        let names: HashMap<u64, String> = methods.into_iter().collect();
        let text = "SELECT method_block.content, method_block.block FROM method_block WHERE app = $1 AND run = $2 AND block IN \
            (SELECT DISTINCT number / 32 FROM method WHERE app = $1)";
        let rows = sqlx::query(text).bind(app).bind(id.0);
        let rows = rows.fetch_all(&mut self.database.connection).await.map_err(&fail)?;
        let mut figures = Vec::new();
        for row in rows {
            let block: i64 = row.try_get(1).map_err(&fail)?;
            let content: Vec<u8> = row.try_get(0).map_err(&fail)?;
            for (number, point) in self.decoded(&content, id, block.max(0) as u64)? {
                let Some(name) = names.get(&number).cloned() else { continue };
                let MethodPoint { calls, own, total } = point;
                figures.push(MethodFigure { name, calls, own, total });
            }
        }
        figures.sort_by(|a, b| {
            let own = |it: &MethodFigure| it.own.joules.value();
            own(b).total_cmp(&own(a)).then_with(|| a.name.cmp(&b.name))
        });
        Ok(figures)
    }

    fn points(
        &self,
        row: &AnyRow,
        run: RunId,
        block: u64,
    ) -> Result<Vec<(u64, MethodPoint)>, StoreError> {
        let content: Vec<u8> = row.try_get(1).map_err(self.fail())?;
        self.decoded(&content, run, block)
    }

    fn decoded(
        &self,
        content: &[u8],
        run: RunId,
        block: u64,
    ) -> Result<Vec<(u64, MethodPoint)>, StoreError> {
        let entries = method_block::decode(content).map_err(|source| StoreError::Block {
            location: self.location.clone(),
            run,
            source,
        })?;
        let point = |entry: method_block::BlockEntry| {
            let (calls, own, total) = (entry.calls, entry.own, entry.total);
            (block * METHODS + u64::from(entry.place), MethodPoint { calls, own, total })
        };
        Ok(entries.into_iter().map(point).collect())
    }
}

/// Servers use histories in tasks that move between threads: this does not compile if they cannot.
#[cfg(test)]
const _: fn(&'static StoreLocation) = |location| {
    fn is_send<T: Send>(_: T) {}
    is_send(async move {
        let mut store = AsyncStore::open(location).await?;
        let (run, filter) = (RunId(1), RunFilter::default());
        store.runs(&filter).await?;
        store.methods_of(run).await?;
        store.method_history("", &|_| true).await?;
        let facts = store.ledger(run).await?.facts.unwrap_or_default();
        let figures = RunFigures::default();
        store.keep_once(&NewRun { facts, figures, ledger: Vec::new() }, "").await?;
        store.delete(&[run]).await?;
        store.close().await
    });
};
