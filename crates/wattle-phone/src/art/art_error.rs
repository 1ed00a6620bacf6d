//! Errors of executing code.

use std::path::PathBuf;

/// Why code could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArtError {
    /// There is no runtime.
    #[error(
        "no Android runtime in {folder}: expected artrun, core.jar, icu.jar and stub.jar there; \
         set WATTLE_ART to its folder"
    )]
    Missing {
        /// The searched path.
        folder: PathBuf,
    },
    /// A class or method was asked for that the packages do not have.
    #[error("{expected}, found {found}; asked for {asked}")]
    Tests {
        /// The expected value.
        expected: &'static str,
        /// The actual value.
        found: String,
        /// The request.
        asked: String,
    },
    /// A package could not be read.
    #[error("{path}: {source}", path = path.display())]
    Package {
        /// The package.
        path: PathBuf,
        /// Why.
        source: Box<wattle_apk::ApkError>,
    },
    /// Code of a package could not be read, or code for the runtime not be written.
    #[error("code: {0}")]
    Code(#[from] wattle_dex::DexError),
    /// A file or the process failed.
    #[error("{what}: {source}")]
    Io {
        /// The operation.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
}

impl ArtError {
    pub(super) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}
