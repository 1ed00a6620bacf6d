//! What can be wrong, as data.

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
    /// Where it stands.
    pub value: f64,
    /// Of what (`/s`, `s`, `h per 24 h`).
    pub unit: &'static str,
    /// What it decides, in a sentence.
    pub meaning: &'static str,
}

/// What can be wrong.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name, `kebab-case`.
    pub id: &'static str,
    /// A line: what is wrong.
    pub title: &'static str,
    /// How grave it is as a rule; findings say it for themselves.
    pub severity: FindingSeverity,
    /// What it looks for, and in what.
    pub looks_for: &'static str,
    /// Why that spends energy.
    pub why: &'static str,
    /// What to do.
    pub remedy: &'static str,
    /// Where more is said: documents, other tools' names of the same (lint, Play, creedengo).
    pub references: &'static [&'static str],
    /// Numbers that decide.
    pub thresholds: &'static [Threshold],
}

/// All of them, in the order in which they are shown.
pub fn rules() -> &'static [Rule] {
    crate::rules::table()
}

/// One by its name.
pub fn rule(id: &str) -> Option<&'static Rule> {
    rules().iter().find(|rule| rule.id == id)
}
