//! Alignment of an input file's clock with boot time.

use serde::{Deserialize, Serialize};

/// The outcome of aligning one artifact's clock. Shown in every report: a log that is a second off books a second's
/// energy to the wrong methods.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockAlignment {
    /// The artifact.
    pub artifact: String,
    /// Its clock (`realtime`, `monotonic`, `host`, `local time`).
    pub clock: String,
    /// By what (`clock snapshots of the trace`, `/proc/uptime and date`, `clocks of the probes`).
    pub by: String,
    /// Nanoseconds to add to the artifact's time to get boot time, at its beginning.
    pub offset_ns: i64,
    /// Drift of the artifact's clock against boot time in parts per billion, where it can be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift_ppb: Option<i64>,
    /// Largest error of a time after the alignment, in nanoseconds: half of the width that the readings leave open, or
    /// the largest distance of a reading from the fit. `None`: nothing says how far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual_ns: Option<i64>,
    /// Number of readings it rests on.
    pub readings: u32,
}
