//! Rules and baseline.

use serde::Deserialize;

use crate::{BaselineChoice, CheckRule, GateError};

/// The part `[check]` of `wattle.toml`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Policy {
    /// The app's package name; absent for the one of the runs.
    pub app: Option<String>,
    /// The runs that a growth is measured against.
    pub baseline: BaselineChoice,
    /// The rules (`[[check.rule]]`).
    pub rule: Vec<CheckRule>,
}

impl Policy {
    /// Checks that it says something.
    ///
    /// # Errors
    /// [`GateError::NoRules`], [`GateError::NoLimit`], [`GateError::EmptyBaseline`].
    pub fn validate(&self) -> Result<(), GateError> {
        if self.rule.is_empty() {
            return Err(GateError::NoRules);
        }
        if self.baseline.last == 0 {
            return Err(GateError::EmptyBaseline);
        }
        self.rule.iter().try_for_each(CheckRule::validate)
    }
}
