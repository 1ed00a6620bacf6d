//! The outcome of a rule.

use crate::Finding;

/// Findings of a rule, or the reason why it could not look.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Defects.
    pub(super) findings: Vec<Finding>,
    /// Data that the recording would need for the rule to look; `None` if it has it.
    pub(super) without: Option<&'static str>,
    /// Whether it could not look because nobody knows when nothing should have happened.
    pub(super) needs_idle: bool,
}

impl Outcome {
    /// The rule looked.
    pub(super) fn found(findings: Vec<Finding>) -> Self {
        Self { findings, ..Self::default() }
    }

    /// The rule could not look: the recording has none of this.
    pub(super) fn without(what: &'static str) -> Self {
        Self { without: Some(what), ..Self::default() }
    }

    /// The rule could not look: it is not known when nothing should have happened.
    pub(super) fn without_idle() -> Self {
        Self { needs_idle: true, ..Self::default() }
    }
}
