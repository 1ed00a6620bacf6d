//! One rule of a policy.

use serde::{Deserialize, Deserializer};
use wattle_compare::Threshold;

use crate::{EnergyLimit, GateError, NamePattern, Subject};

/// One rule of a policy.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CheckRule {
    /// The energy it is about.
    pub subject: Subject,
    /// The scenarios it holds for; absent for all.
    #[serde(default)]
    pub scenario: Option<NamePattern>,
    /// The most that a run may cost.
    #[serde(default)]
    pub at_most: Option<EnergyLimit>,
    /// The most by which it may grow over the baseline: a share, an energy, or both (`5%`, `5%,2mJ`).
    #[serde(default, deserialize_with = "threshold")]
    pub grow_at_most: Option<Threshold>,
}

impl CheckRule {
    /// Checks that it has a limit that can be judged.
    ///
    /// # Errors
    /// [`GateError::NoLimit`], [`GateError::FindingGrowth`].
    pub fn validate(&self) -> Result<(), GateError> {
        if self.at_most.is_none() && self.grow_at_most.is_none() {
            return Err(GateError::NoLimit(self.subject.to_string()));
        }
        if self.grow_at_most.is_some() && matches!(self.subject, Subject::Finding(_)) {
            return Err(GateError::FindingGrowth(self.subject.to_string()));
        }
        Ok(())
    }
}

/// A threshold as text.
pub(crate) fn threshold<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Threshold>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|text| text.parse().map_err(serde::de::Error::custom)).transpose()
}
