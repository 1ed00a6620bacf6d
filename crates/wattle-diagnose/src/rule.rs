//! The rules of defects, as data.

use serde::{Deserialize, Serialize};

use crate::FindingSeverity;

/// The name of a rule, `kebab-case` (`busy-wait`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleId(pub String);

impl std::fmt::Display for RuleId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0)
    }
}

/// A number of a rule that users can set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// Its name, `kebab-case` (`least-rate`).
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Of what (`/s`, `s`, `h per 24 h`).
    pub unit: &'static str,
    /// Its effect, in a sentence.
    pub meaning: &'static str,
}

/// A rule: one kind of defect.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name, `kebab-case`.
    pub id: &'static str,
    /// A line: what is wrong.
    pub title: &'static str,
    /// Its usual severity; findings have their own.
    pub severity: FindingSeverity,
    /// Whether little energy at stake does not lower the severity: because the severity is a document's (Google Play's, Android
    /// vitals'), or because the figure is of a part of what the defect costs.
    pub keeps_severity: bool,
    /// An example: code or a recording that it reports, in a sentence.
    pub example: &'static str,
    /// A counter-example: what looks alike and is none, or is wanted.
    pub counter_example: &'static str,
    /// The pattern that it looks for, and the data in which it does.
    pub looks_for: &'static str,
    /// Why that spends energy.
    pub why: &'static str,
    /// The recommended fix.
    pub remedy: &'static str,
    /// Further reading: documents, other tools' names of the same (lint, Play, creedengo).
    pub references: &'static [&'static str],
    /// Numbers that decide.
    pub thresholds: &'static [Threshold],
}
