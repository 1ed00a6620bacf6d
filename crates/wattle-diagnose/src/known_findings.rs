//! The baseline of findings: those that are known, so that only new ones count.

use serde::{Deserialize, Serialize};

use crate::{Diagnosis, Finding, FindingSeverity};

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
    /// Its severity when it was written; a graver one is not known. Absent in older files: then every severity is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<FindingSeverity>,
}

/// A name with `*` for its numbers, which are others in the next recording: of threads of pools, of processes that binder threads are
/// of, of frames.
fn without_numbers(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '0'..='9' if folded.ends_with('*') => {}
            '0'..='9' => folded.push('*'),
            c => folded.push(c),
        }
    }
    folded
}

impl KnownFinding {
    /// Whether a finding of the next recording is this one.
    fn is(&self, other: &Self) -> bool {
        let same = |one: &Option<String>, other: &Option<String>| {
            one.as_deref().map(without_numbers) == other.as_deref().map(without_numbers)
        };
        self.rule == other.rule
            && self.who == other.who
            && same(&self.thread, &other.thread)
            && same(&self.place, &other.place)
            && self.severity.is_none_or(|known| other.severity <= Some(known))
    }
}

impl From<&Finding> for KnownFinding {
    fn from(finding: &Finding) -> Self {
        Self {
            rule: finding.rule.0.clone(),
            who: finding.who.clone(),
            thread: finding.thread_name().map(str::to_owned),
            place: finding.place.as_ref().map(|it| it.function.clone()),
            severity: Some(finding.severity),
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
        let finding = KnownFinding::from(finding);
        self.findings.iter().any(|known| known.is(&finding))
    }
}
