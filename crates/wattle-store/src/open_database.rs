//! Opening a database.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use sqlx::any::AnyConnectOptions;
use sqlx::{Any, AnyConnection, ConnectOptions as _, Connection as _, Transaction};

use crate::dialect::Dialect;
use crate::migration::{self, SCHEMA_VERSION, TablesState};
use crate::patient_connection::{configure, connect_patiently};
use crate::{StoreError, StoreLocation};

/// A database that has our tables.
#[derive(Debug)]
pub(crate) struct OpenDatabase {
    pub connection: AnyConnection,
    pub dialect: Dialect,
}

impl OpenDatabase {
    /// Opens a database, makes or changes its tables where need be.
    pub async fn open(location: &StoreLocation) -> Result<Self, StoreError> {
        // Those that the features of this crate brought.
        sqlx::any::install_default_drivers();
        let fail = |error| StoreError::database(location, error);
        let folder = match location {
            StoreLocation::Folder(folder) => folder,
            StoreLocation::Postgres(url) => {
                check_postgres(url)?;
                let mut database = Self::connect(url, Dialect::Postgres).await.map_err(fail)?;
                database.prepare(location).await?;
                return Ok(database);
            }
        };
        fs::create_dir_all(folder).map_err(|error| StoreError::file(location, folder, error))?;
        refuse_emptied(folder)?;
        let file = StoreLocation::database_file(folder);
        let opened = Self::connect(&sqlite_url(&file), Dialect::Sqlite).await;
        let mut database = match opened {
            // Nobody else writes on such a medium either, so that no locks are needed, and none can be had.
            Err(error) if is_read_only(&error) && file.is_file() => {
                refuse_unmerged(folder)?;
                let url = url_with(&file, "mode=ro&immutable=1");
                Self::connect_without_journal(&url).await.map_err(fail)?
            }
            other => other.map_err(fail)?,
        };
        database.prepare(location).await?;
        Ok(database)
    }

    /// Connects to a SQLite database that does not change, of which the journal is not looked at.
    async fn connect_without_journal(url: &str) -> sqlx::Result<Self> {
        let options = AnyConnectOptions::from_str(url)?.disable_statement_logging();
        let connection = AnyConnection::connect_with(&options).await?;
        Ok(Self { connection, dialect: Dialect::Sqlite })
    }

    async fn connect(url: &str, dialect: Dialect) -> sqlx::Result<Self> {
        let options = AnyConnectOptions::from_str(url)?.disable_statement_logging();
        let mut connection = connect_patiently(&options).await?;
        configure(&mut connection, dialect).await?;
        Ok(Self { connection, dialect })
    }

    /// Makes the tables, or refuses those of a later version.
    async fn prepare(&mut self, location: &StoreLocation) -> Result<(), StoreError> {
        let fail = |error| StoreError::database(location, error);
        // A look without a lock: nearly always nothing is to be done, and readers must not wait for writers.
        let mut look = self.connection.begin().await.map_err(fail)?;
        let state = migration::state(&mut look, self.dialect).await.map_err(fail)?;
        look.rollback().await.map_err(fail)?;
        if accepted(state, location)? == SCHEMA_VERSION {
            return Ok(());
        }
        let dialect = self.dialect;
        let mut transaction = self.write().await.map_err(fail)?;
        if dialect == Dialect::Postgres {
            // Two programs that make a history at once: the second one waits here, and finds it.
            let lock = sqlx::query("SELECT pg_advisory_xact_lock(7739836)");
            lock.execute(&mut *transaction).await.map_err(fail)?;
        }
        let state = migration::state(&mut transaction, dialect).await.map_err(fail)?;
        let from = accepted(state, location)?;
        if from < SCHEMA_VERSION {
            migration::migrate(&mut transaction, dialect, from).await.map_err(fail)?;
        }
        transaction.commit().await.map_err(fail)
    }

    /// Begins to write. There is one writer at a time: the lock is taken here, not at the first change, so that nobody is refused in
    /// the middle.
    pub async fn write(&mut self) -> sqlx::Result<Transaction<'_, Any>> {
        match self.dialect {
            Dialect::Sqlite => self.connection.begin_with("BEGIN IMMEDIATE").await,
            Dialect::Postgres => self.connection.begin().await,
        }
    }
}

/// The version of the tables, 0 of an empty database.
fn accepted(state: TablesState, location: &StoreLocation) -> Result<i64, StoreError> {
    let location = location.clone();
    match state {
        TablesState::Empty => Ok(0),
        TablesState::Foreign => Err(StoreError::Foreign { location }),
        TablesState::Version(found) if found > SCHEMA_VERSION => {
            Err(StoreError::Newer { location, found, known: SCHEMA_VERSION })
        }
        TablesState::Version(found) => Ok(found),
    }
}

/// Whether the database, or the folder that it is in, cannot be written: `SQLITE_READONLY`, `SQLITE_CANTOPEN`.
fn is_read_only(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|it| it.code()?.parse::<u32>().ok());
    code.is_some_and(|code| matches!(code & 0xff, 8 | 14))
}

/// The journal of a database file: what is in it and not in the file is not seen where the file cannot be written.
fn journal_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

fn length(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |known| known.len())
}

/// Refuses a database file without content beside ledgers: it was emptied, and is not new.
fn refuse_emptied(folder: &Path) -> Result<(), StoreError> {
    let file = StoreLocation::database_file(folder);
    let ledgers = StoreLocation::ledgers_folder(folder);
    let is_empty = file.is_file() && length(&file) == 0 && length(&journal_of(&file)) == 0;
    let has_ledgers = || fs::read_dir(&ledgers).is_ok_and(|mut entries| entries.next().is_some());
    if is_empty && has_ledgers() {
        return Err(StoreError::Damaged { file, ledgers, reason: "it is empty".to_owned() });
    }
    Ok(())
}

/// Refuses a history that cannot be written and has a journal: its newest runs would be missing without a word.
fn refuse_unmerged(folder: &Path) -> Result<(), StoreError> {
    let journal = journal_of(&StoreLocation::database_file(folder));
    if length(&journal) > 0 {
        return Err(StoreError::Unmerged { journal });
    }
    Ok(())
}

/// The URL of a SQLite file, which is created if it does not exist.
pub fn sqlite_url(file: &Path) -> String {
    url_with(file, "mode=rwc")
}

/// The URL of a file, with these parameters.
fn url_with(file: &Path, parameters: &str) -> String {
    let path = file.to_string_lossy();
    let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("sqlite://{path}?{parameters}")
}

/// Refuses a database server that this program cannot use, or not without an encrypted connection.
pub fn check_postgres(url: &str) -> Result<(), StoreError> {
    let location = StoreLocation::Postgres(url.to_owned());
    if !cfg!(feature = "postgres") {
        return Err(StoreError::NoPostgres { location });
    }
    if cfg!(feature = "tls") || url.contains("sslmode=disable") || is_local(url) {
        return Ok(());
    }
    Err(StoreError::Unencrypted { location })
}

/// Whether the server is this machine, reached without a network.
fn is_local(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = rest.split_once('/').map_or(rest, |(authority, _)| authority);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let name = match host.strip_prefix('[') {
        Some(address) => address.split_once(']').map_or(address, |(address, _)| address),
        None => host.split_once(':').map_or(host, |(name, _)| name),
    };
    let socket = parameters.split('&').find_map(|it| it.strip_prefix("host="));
    let is_here = |name: &str| {
        ["localhost", "127.0.0.1", "::1"].contains(&name)
            || name.starts_with('/')
            || name.starts_with("%2F")
            || name.starts_with("%2f")
    };
    match socket {
        Some(socket) => is_here(socket),
        // Without a host it is the variable's, or a socket of this machine.
        None if name.is_empty() => std::env::var_os("PGHOST").is_none(),
        None => is_here(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_elsewhere_are_not_local() {
        for (url, local) in [
            ("postgres://u:p@localhost/x", true),
            ("postgres://localhost:5432/x", true),
            ("postgres://u@[::1]:5432/x", true),
            ("postgres:///x?host=/run/postgresql", true),
            ("postgres://%2Frun%2Fpostgresql/x", true),
            ("postgres://db.example/x", false),
            ("postgres://u@localhost.example/x", false),
            ("postgres://localhost/x?host=db.example", false),
        ] {
            assert_eq!(is_local(url), local, "{url}");
        }
    }

    #[test]
    fn names_of_files_are_escaped() {
        let url = sqlite_url(Path::new("/a b/50%?#.db"));
        assert_eq!(url, "sqlite:///a b/50%25%3f%23.db?mode=rwc");
    }
}
