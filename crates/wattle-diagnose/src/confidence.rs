//! Confidence in a finding.

use serde::{Deserialize, Serialize};

/// Level of confidence.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum ConfidenceLevel {
    /// The recording fits the defect and fits harmless causes as well: look before acting.
    Low,
    /// The pattern is there; that it is needless rests on something that was inferred.
    #[default]
    Medium,
    /// Pattern and needlessness are both in the recording.
    High,
}

impl ConfidenceLevel {
    /// The word for it, in text and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// SARIF's `rank`, 0 to 100.
    pub const fn rank(self) -> f64 {
        match self {
            Self::Low => 25.0,
            Self::Medium => 60.0,
            Self::High => 95.0,
        }
    }
}

/// Confidence that a finding is a defect, with its reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confidence {
    /// Its level.
    pub level: ConfidenceLevel,
    /// The reason, in a sentence.
    pub reason: String,
}

impl Confidence {
    pub(crate) fn high(reason: &str) -> Self {
        Self { level: ConfidenceLevel::High, reason: reason.to_owned() }
    }

    pub(crate) fn medium(reason: &str) -> Self {
        Self { level: ConfidenceLevel::Medium, reason: reason.to_owned() }
    }

    pub(crate) fn low(reason: &str) -> Self {
        Self { level: ConfidenceLevel::Low, reason: reason.to_owned() }
    }
}
