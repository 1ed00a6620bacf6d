//! The baseline of findings: those that are known, so that only new ones count.

use serde::{Deserialize, Serialize};
use wattle_ledger::with_numbers_grouped;

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

/// A thread's name with `*` for its numbers, which are others in the next recording: those of pools, and of processes that binder
/// threads are of.
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
        let thread = |it: &Self| it.thread.as_deref().map(without_numbers);
        let same_place = match (&self.place, &other.place) {
            (Some(one), Some(other)) => with_numbers_grouped(one) == with_numbers_grouped(other),
            (one, other) => one == other,
        };
        self.rule == other.rule
            && self.who == other.who
            && thread(self) == thread(other)
            && same_place
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

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(thread: &str, place: &str, severity: FindingSeverity) -> KnownFinding {
        KnownFinding {
            rule: "busy-wait".to_owned(),
            who: Some("com.example".to_owned()),
            thread: Some(thread.to_owned()),
            place: Some(place.to_owned()),
            severity: Some(severity),
        }
    }

    #[test]
    fn numbers_of_names_do_not_count_and_a_graver_finding_is_new() {
        use FindingSeverity::{Error, Note, Warning};
        let known = finding("binder:5000_2", "Choreographer#doFrame 86559", Warning);
        let check = |thread, place, severity, expected| {
            assert_eq!(known.is(&finding(thread, place, severity)), expected, "{thread} {place}");
        };
        check("binder:6000_2", "Choreographer#doFrame 99123", Warning, true);
        check("binder:6000_2", "Choreographer#doFrame 99123", Note, true);
        check("binder:6000_2", "Choreographer#doFrame 99123", Error, false);
        check("HwBinder:6000_2", "Choreographer#doFrame 99123", Warning, false);
        check("binder:6000_2", "Choreographer2#doFrame 99123", Warning, false);
        let older = KnownFinding { severity: None, ..known.clone() };
        assert!(older.is(&finding("binder:1_1", "Choreographer#doFrame 1", Error)));
    }
}
