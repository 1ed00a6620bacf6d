//! The start of an app in a run.

use serde::{Deserialize, Serialize};

/// The start of an app by the scenario `launch`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct StartFacts {
    /// The state from which it was to be started: `cold`, `warm`, `hot`.
    pub mode: String,
    /// The state that the device found (`LaunchState` of `am start -W`); none before Android 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// Time from the start to the first frame, in seconds (`TotalTime`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}
