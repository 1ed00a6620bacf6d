//! Reasons why a digest cannot be written.

use wattle_store::StoreError;

/// Why a digest cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum DigestError {
    /// The history.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Whoever reads it.
    #[error("the digest cannot be written: {0}")]
    Write(#[from] std::io::Error),
}
