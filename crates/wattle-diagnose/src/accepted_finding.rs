//! A finding that somebody accepts.

use serde::Deserialize;

use crate::Finding;

/// A finding that is known and accepted.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct AcceptedFinding {
    /// The finding.
    pub finding: Finding,
    /// The reason for accepting it.
    pub reason: String,
    /// The last day on which it is accepted.
    #[serde(default)]
    pub until: Option<String>,
}
