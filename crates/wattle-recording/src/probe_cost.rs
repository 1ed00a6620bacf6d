//! Measured cost of a probe outside of the app.

use serde::{Deserialize, Serialize};

/// The cost of one pair of probes (entry and exit of an empty method), measured on the device at the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProbeCostFacts {
    /// Median over all pairs, in nanoseconds.
    pub median_ns: f64,
    /// 5th percentile.
    pub low_ns: f64,
    /// 95th percentile.
    pub high_ns: f64,
    /// Number of pairs that were timed.
    pub pairs: u32,
}
