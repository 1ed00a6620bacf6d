//! Changes made to the device, and durations of the work.

use serde::{Deserialize, Serialize};

/// One thing that was changed on the device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct StepFacts {
    /// The change (`plug state faked for the statistics`).
    pub what: String,
    /// State before, for changes that are restored.
    pub before: Option<String>,
    /// State during the run.
    pub during: Option<String>,
    /// Whether it has been put back. `None`: there is nothing to put back.
    pub restored: Option<bool>,
    /// Why it failed, or could not be put back.
    pub error: Option<String>,
}

/// A part of the work on the host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Stage {
    /// Name of the stage (`install`, `scenario`, `pull`).
    pub name: String,
    /// Seconds of wall time.
    pub seconds: f64,
}
