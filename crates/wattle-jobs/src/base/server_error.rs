//! Errors of a server's data.

use std::path::{Path, PathBuf};

use wattle_store::{DatabaseFault, StoreError};

use super::{LimitReached, ServerLocation};

/// Why a request cannot be met.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// A later version of the program has changed the tables.
    #[error(
        "the server data {location} have version {found} of their tables, and this program knows version {known}: a later wattle wrote \
         them; use that, or restore a backup"
    )]
    Newer {
        /// The place.
        location: ServerLocation,
        /// The version of its tables.
        found: i64,
        /// The version that is known.
        known: i64,
    },
    /// The database has tables, and none of ours.
    #[error(
        "{location} is a database of something else: expected data of a wattle server, or nothing"
    )]
    Foreign {
        /// The place.
        location: ServerLocation,
    },
    /// There is no such thing, or the caller may not know that there is.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// The caller may know of it, and not do this.
    #[error("not allowed: {0}")]
    Forbidden(&'static str),
    /// The name is taken, or the state is another one.
    #[error("{0}")]
    Conflict(String),
    /// A value that cannot be one.
    #[error("{what}: {reason}")]
    Invalid {
        /// The value's name.
        what: &'static str,
        /// The expectation, and the difference from it.
        reason: String,
    },
    /// A limit.
    #[error(transparent)]
    Limit(#[from] LimitReached),
    /// Bytes of an upload at another place than the next one.
    #[error("expected the bytes from {expected} on, found those from {found} on")]
    WrongOffset {
        /// The bytes that are there.
        expected: u64,
        /// The offset that was sent.
        found: u64,
    },
    /// Another worker has the job.
    #[error("this worker no longer has the job")]
    ClaimLost,
    /// The machine cannot do something.
    #[error("{task}: {reason}")]
    Machine {
        /// The task.
        task: &'static str,
        /// The machine's reason.
        reason: String,
    },
    /// A file.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The underlying error.
        source: std::io::Error,
    },
    /// The database says no.
    #[error("the server's database: {0}")]
    Database(#[from] sqlx::Error),
    /// A project's history.
    #[error(transparent)]
    History(#[from] StoreError),
    /// A backup that cannot be restored, or not here.
    #[error("the backup {}: {reason}", folder.display())]
    Backup {
        /// Its folder.
        folder: PathBuf,
        /// The reason.
        reason: String,
    },
}

/// The kind of an error, for answers of an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// There is no such thing (404).
    NotFound,
    /// The caller may not (403).
    Forbidden,
    /// The state is another one (409).
    Conflict,
    /// The request makes no sense (400).
    Invalid,
    /// The request is too large (413).
    TooLarge,
    /// There are too many (429).
    TooMany,
    /// There is no room (507).
    NoRoom,
    /// The server's fault (500); the message is for logs alone.
    Internal,
}

impl ServerError {
    /// An error of a file.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::File { path: path.to_owned(), source }
    }

    /// A value that cannot be one.
    pub(crate) fn invalid(what: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { what, reason: reason.into() }
    }

    /// Whether the cause is the content or version of the data, not the machine that they are on: exit code 3.
    pub fn is_unreadable(&self) -> bool {
        match self {
            Self::Newer { .. } | Self::Foreign { .. } | Self::Backup { .. } => true,
            Self::History(error) => error.is_unreadable(),
            Self::Database(error) => DatabaseFault::of(error) == Some(DatabaseFault::Damaged),
            _ => false,
        }
    }

    /// The kind, for answers of an API.
    pub fn kind(&self) -> ErrorKind {
        use super::LimitKind as Limit;
        match self {
            Self::NotFound(_) | Self::History(StoreError::NoSuchRun { .. }) => ErrorKind::NotFound,
            Self::Forbidden(_) => ErrorKind::Forbidden,
            Self::Conflict(_) | Self::WrongOffset { .. } | Self::ClaimLost => ErrorKind::Conflict,
            Self::Invalid { .. } => ErrorKind::Invalid,
            Self::Limit(reached) => match reached.kind {
                Limit::UploadBytes | Limit::JobFiles => ErrorKind::TooLarge,
                Limit::FreeDisk | Limit::ServerBytes => ErrorKind::NoRoom,
                _ => ErrorKind::TooMany,
            },
            Self::History(StoreError::NoRoom { .. }) => ErrorKind::NoRoom,
            Self::File { source, .. } if is_full(source) => ErrorKind::NoRoom,
            Self::Database(error) if DatabaseFault::of(error) == Some(DatabaseFault::NoRoom) => {
                ErrorKind::NoRoom
            }
            Self::Newer { .. }
            | Self::Foreign { .. }
            | Self::Machine { .. }
            | Self::File { .. }
            | Self::Database(_)
            | Self::History(_)
            | Self::Backup { .. } => ErrorKind::Internal,
        }
    }
}

fn is_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind as Kind;
    matches!(error.kind(), Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge)
}
