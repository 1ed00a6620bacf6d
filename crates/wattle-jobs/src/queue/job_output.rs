//! A file that a job made.

/// A file that a job made, such as its report. The content is among the project's files, by its SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct JobOutput {
    /// The name, such as `report.json`.
    pub name: String,
    /// SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// The length.
    pub bytes: u64,
}
