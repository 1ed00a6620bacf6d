//! What a rule comes to.

use crate::Finding;

/// What a rule found, or why it could not look.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Defects.
    pub(super) findings: Vec<Finding>,
    /// What the recording would have to have for the rule to look; `None` where it has it.
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
