//! Rules and baseline.

use serde::Deserialize;

use crate::{BaselineChoice, CheckRule, EnergyLimit, GateError, NamePattern, Subject};

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
    /// The least energy that its rules allow a subject in a scenario; `None` where no rule limits it.
    pub fn least_limit(&self, subject: &Subject, scenario: Option<&str>) -> Option<EnergyLimit> {
        let is_named = |pattern: &NamePattern| scenario.is_some_and(|it| pattern.accepts(it));
        let holds = |rule: &&CheckRule| {
            rule.subject == *subject && rule.scenario.as_ref().is_none_or(is_named)
        };
        let limits = self.rule.iter().filter(holds).filter_map(|rule| rule.at_most);
        limits.min_by(|a, b| a.0.value().total_cmp(&b.0.value()))
    }

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
