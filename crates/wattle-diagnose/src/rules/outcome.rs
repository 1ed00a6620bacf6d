//! The outcome of a rule.

use crate::Finding;

/// Findings of a rule, or the reason why it could not look.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Defects.
    pub(super) findings: Vec<Finding>,
    /// Data that the recording would need for the rule to look; `None` if it has it.
    pub(super) without: Option<&'static str>,
}

impl Outcome {
    /// The rule looked.
    pub(super) fn found(findings: Vec<Finding>) -> Self {
        Self { findings, without: None }
    }

    /// The rule could not look: the recording has none of this.
    pub(super) fn without(what: &'static str) -> Self {
        Self { findings: Vec::new(), without: Some(what) }
    }
}
