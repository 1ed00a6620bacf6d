//! Errors of histories.

use std::path::PathBuf;

use crate::{BlockError, DatabaseFault, RunId, StoreLocation};

/// Why a history cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A later version of the program has changed the tables.
    #[error(
        "the history {location} has version {found} of its tables, and this program knows version {known}: a later wattle wrote it; \
         use that, or name another history with --store"
    )]
    Newer {
        /// The history.
        location: StoreLocation,
        /// The version of its tables.
        found: i64,
        /// The version that is known.
        known: i64,
    },
    /// The database has tables, and none of ours.
    #[error(
        "{location} is a database of something else: expected a history of wattle, or an empty database"
    )]
    Foreign {
        /// The database.
        location: StoreLocation,
    },
    /// The database file is damaged.
    #[error(
        "the history {} is damaged ({reason}); its ledgers are separate files. To start again from them: move {} away, then run: \
         wattle runs import {}/*/*.zst", file.display(), file.display(), ledgers.display()
    )]
    Damaged {
        /// The database file.
        file: PathBuf,
        /// The folder of its ledgers.
        ledgers: PathBuf,
        /// The message of the database.
        reason: String,
    },
    /// The history cannot be written, and its journal has runs that are not in the database yet.
    #[error(
        "{} has runs that are not in the database yet, and the folder cannot be written: copy all of it to where it can, and name that with --store",
        journal.display()
    )]
    Unmerged {
        /// The journal.
        journal: PathBuf,
    },
    /// A ledger is not what was kept.
    #[error("the ledger of {run} is damaged: {reason}")]
    DamagedLedger {
        /// The run.
        run: RunId,
        /// The difference.
        reason: String,
    },
    /// A file has a ledger, and behind it facts of a run that cannot be read.
    #[error(
        "the facts of the run behind the ledger are damaged; its first {ledger} bytes are the ledger alone: export the run again, or cut \
         the file there"
    )]
    DamagedFacts {
        /// Bytes of the ledger before them.
        ledger: usize,
    },
    /// The disk is full.
    #[error(
        "no room left for the history {location}: nothing was changed; `wattle runs prune` deletes old runs"
    )]
    NoRoom {
        /// The history.
        location: StoreLocation,
    },
    /// There is no such run.
    #[error("{run} is not in the history {location}")]
    NoSuchRun {
        /// The run that was named.
        run: RunId,
        /// The history.
        location: StoreLocation,
    },
    /// A connection that would not be encrypted, to another machine.
    #[error(
        "{location}: this program was built without encryption of connections; build it with `--features store-tls`, or accept an \
         unencrypted connection with `?sslmode=disable` at the end of the URL"
    )]
    Unencrypted {
        /// The database.
        location: StoreLocation,
    },
    /// This program cannot use PostgreSQL.
    #[error(
        "{location}: this program was built without PostgreSQL; build it with the feature `postgres`"
    )]
    NoPostgres {
        /// The database.
        location: StoreLocation,
    },
    /// A copy of a database server's history.
    #[error("{location} is in a database server: copy it with pg_dump")]
    NotAFolder {
        /// The database.
        location: StoreLocation,
    },
    /// Figures of methods are damaged.
    #[error("the history {location}: {source} of {run}")]
    Block {
        /// The history.
        location: StoreLocation,
        /// The run.
        run: RunId,
        /// The problem.
        source: BlockError,
    },
    /// A file beside the database.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The underlying error.
        source: std::io::Error,
    },
    /// The database says no.
    #[error("the history {location}: {source}")]
    Database {
        /// The history.
        location: StoreLocation,
        /// The underlying error.
        source: sqlx::Error,
    },
    /// No runtime for the database's connection.
    #[error("no runtime for a connection to a database: {0}")]
    Runtime(std::io::Error),
}

impl StoreError {
    /// Whether the cause is the history's content or version, not the machine that it is on.
    pub fn is_unreadable(&self) -> bool {
        matches!(
            self,
            Self::Newer { .. }
                | Self::Foreign { .. }
                | Self::Damaged { .. }
                | Self::DamagedLedger { .. }
                | Self::DamagedFacts { .. }
                | Self::Block { .. }
        )
    }

    /// Whether the command line is wrong.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NoSuchRun { .. }
                | Self::Unencrypted { .. }
                | Self::NoPostgres { .. }
                | Self::NotAFolder { .. }
        )
    }

    /// An error of a database, by its code.
    pub(crate) fn database(location: &StoreLocation, source: sqlx::Error) -> Self {
        let location = location.clone();
        match (&location, DatabaseFault::of(&source)) {
            (_, Some(DatabaseFault::NoRoom)) => Self::NoRoom { location },
            (StoreLocation::Folder(folder), Some(DatabaseFault::Damaged)) => Self::Damaged {
                file: StoreLocation::database_file(folder),
                ledgers: StoreLocation::ledgers_folder(folder),
                reason: source.to_string(),
            },
            _ => Self::Database { location, source },
        }
    }

    /// An error of a file.
    pub(crate) fn file(
        location: &StoreLocation,
        path: &std::path::Path,
        source: std::io::Error,
    ) -> Self {
        use std::io::ErrorKind as Kind;
        match source.kind() {
            Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
                Self::NoRoom { location: location.clone() }
            }
            _ => Self::File { path: path.to_owned(), source },
        }
    }
}
