//! Why a package cannot get probes.

use thiserror::Error;
use wattle_apk::ApkError;
use wattle_dex::DexError;

/// Why a package cannot get probes.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The code cannot be read or written.
    #[error("{file}: {source}")]
    Dex {
        /// The code's file, as the package names it.
        file: String,
        /// What is wrong.
        source: DexError,
    },
    /// The package cannot be read or written.
    #[error(transparent)]
    Apk(#[from] ApkError),
}

/// The result of this crate's functions.
pub type Result<T, E = ProbeError> = std::result::Result<T, E>;
