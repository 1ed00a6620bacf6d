//! Sources of a recording.

use serde::{Deserialize, Serialize};

/// One source that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SourceFacts {
    /// Its name (`perfetto`, `logcat`, `batterystats`, `counters` …).
    pub name: String,
    /// Whether it was recorded.
    pub recorded: bool,
    /// Why it was not, or what of it was left out.
    pub reason: Option<String>,
    /// Setup, for sources that repeat a run (`period 500 ms`).
    pub setup: Option<String>,
}
