//! Severity of a finding.

use serde::{Deserialize, Serialize};

/// Severity of a finding. SARIF's `note`, `warning`, `error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// Worth a look.
    Note,
    /// Costs energy that users notice over a day, or breaks a documented recommendation.
    Warning,
    /// Breaks a rule that has consequences (Play's), or spends without end.
    Error,
}

impl FindingSeverity {
    /// The word for it, in text and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
