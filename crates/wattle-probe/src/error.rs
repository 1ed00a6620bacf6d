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
        /// The problem.
        source: DexError,
    },
    /// The code was written so that it is broken, though it was read sound: a defect of this crate.
    #[error("{file}: invalid after rewriting: {source}")]
    Unsound {
        /// The code's file, as the package names it.
        file: String,
        /// The problem with the written file.
        source: DexError,
    },
    /// There is nothing to put probes into.
    #[error("no code: the package has no classes.dex")]
    NoCode,
    /// The code has probes already.
    #[error("{file} is already instrumented by Wattle: use the original package")]
    AlreadyProbed {
        /// The code's file.
        file: String,
    },
    /// The runtime class cannot be assembled.
    #[error("runtime class: {0}")]
    Runtime(DexError),
    /// Methods kept turning out untouchable.
    #[error("after {rounds} rounds there still are methods that do not verify with probes")]
    Unsettled {
        /// The number of rounds in which methods were taken out.
        rounds: usize,
    },
    /// The probe map cannot be put into text.
    #[error("probe map: {0}")]
    MapText(serde_json::Error),
    /// A probe map has a line that is none.
    #[error("probe map, line {line}: {source}")]
    Map {
        /// The line, from 1.
        line: usize,
        /// The problem with it.
        source: serde_json::Error,
    },
    /// A probe map of another version.
    #[error(
        "probe map of version {found}, expected 1: it was written by another version of Wattle"
    )]
    MapVersion {
        /// The version found.
        found: u32,
    },
    /// The package cannot be read or written.
    #[error(transparent)]
    Apk(#[from] ApkError),
}

/// The result of this crate's functions.
pub type Result<T, E = ProbeError> = std::result::Result<T, E>;
