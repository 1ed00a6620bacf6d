//! The answer of phones to one command.

use serde::Deserialize;

use super::{AndroidVersion, Verdict};

/// The answer of phones to one command in a range of versions.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhoneAnswer {
    /// First version.
    pub since: AndroidVersion,
    /// Last version. Default is the newest.
    #[serde(default = "newest")]
    pub until: AndroidVersion,
    /// The outcome.
    pub verdict: Verdict,
    /// Format, permission or condition, in one or two sentences.
    pub says: String,
    /// Text of the refusal.
    pub error: Option<String>,
    /// Exit status of the refusal.
    pub exit: Option<u8>,
    /// Names of public sources ([`Suite::citation`](super::Suite::citation)).
    pub sources: Vec<String>,
}

impl PhoneAnswer {
    /// Whether it holds for this version.
    pub fn covers(&self, android: AndroidVersion) -> bool {
        (self.since..=self.until).contains(&android)
    }
}

const fn newest() -> AndroidVersion {
    AndroidVersion::NEWEST
}
