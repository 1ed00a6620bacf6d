//! Files that an importer recognised and could not read at all.

use thiserror::Error;

/// A file without what its format must have. Damage further in is no error: what could be read is kept, and the artifact's quality
/// says what was lost.
#[derive(Debug, Error)]
#[error("{name}: as {what}: {reason}")]
pub struct ImportError {
    /// The file.
    pub name: String,
    /// Format that it was read as, with its article.
    pub what: &'static str,
    /// Expected and actual content.
    pub reason: String,
}
