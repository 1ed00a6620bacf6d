//! Errors of an import.

use std::path::{Path, PathBuf};

/// Why results could not become recordings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file or folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A file of a recording cannot be written.
    #[error("{}: {source}", path.display())]
    NotWritten {
        /// Which.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Nothing in it is of a tool that is known.
    #[error("{}: no results of Macrobenchmark or Android Runner, and no traces", path.display())]
    Unknown {
        /// The path.
        path: PathBuf,
    },
    /// Results of a known tool with something wrong in them.
    #[error("{}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The defect.
        reason: String,
    },
    /// Results from which no energy can be estimated.
    #[error("{}: {reason}", path.display())]
    NoEnergy {
        /// The file.
        path: PathBuf,
        /// The facts that they lack, and the way to get them.
        reason: String,
    },
    /// The folder for the recordings is in use.
    #[error("{}: this folder exists and is not empty", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A recording's description cannot be written.
    #[error(transparent)]
    Recording(#[from] wattle_recording::RecordingError),
}

impl ImportError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    pub(crate) fn malformed(path: &Path, reason: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_owned(), reason: reason.into() }
    }
}
