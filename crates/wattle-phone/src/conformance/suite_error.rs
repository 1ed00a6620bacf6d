//! Errors of the statements about phones.

/// A file of statements that is not what it should be.
#[derive(Debug, thiserror::Error)]
#[error("phones/{file}.toml: {why}")]
pub struct SuiteError {
    /// The file's name without its extension.
    pub file: &'static str,
    /// The defect.
    pub why: String,
}
