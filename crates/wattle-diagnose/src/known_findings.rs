//! The baseline of findings: those that are known, so that only new ones count.

use serde::{Deserialize, Serialize};

use crate::{Diagnosis, Finding};

/// The name and version of the file.
const SCHEMA: &str = "wattle-known-findings/1";

/// A finding by what is the same in the next recording: no numbers of processes and threads, no times, no figures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFinding {
    /// Its rule.
    pub rule: String,
    /// Whom it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// The thread's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The function or section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl From<&Finding> for KnownFinding {
    fn from(finding: &Finding) -> Self {
        Self {
            rule: finding.rule.0.clone(),
            who: finding.who.clone(),
            thread: finding.thread_name().map(str::to_owned),
            place: finding.place.as_ref().map(|it| it.function.clone()),
        }
    }
}

/// The file of known findings (`wattle diagnose --write-baseline`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFindings {
    schema: String,
    findings: Vec<KnownFinding>,
}

impl KnownFindings {
    /// The findings of a diagnosis, those that are accepted already among them.
    pub fn from_diagnosis(diagnosis: &Diagnosis) -> Self {
        let accepted = diagnosis.accepted.iter().map(|it| &it.finding);
        let all = diagnosis.findings.iter().chain(accepted);
        let mut findings: Vec<KnownFinding> = all.map(KnownFinding::from).collect();
        findings.sort();
        findings.dedup();
        Self { schema: SCHEMA.to_owned(), findings }
    }

    /// Whether the file is of the version that is read here.
    pub fn is_of_this_version(&self) -> bool {
        self.schema == SCHEMA
    }

    /// Whether a finding is one of them.
    pub fn has(&self, finding: &Finding) -> bool {
        self.findings.contains(&finding.into())
    }
}
