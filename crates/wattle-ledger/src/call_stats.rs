//! Energy of single calls: quantiles over the calls of a method.

use serde::{Deserialize, Serialize};
use wattle_units::Joules;

/// Energy of the calls of one method, each with all that it called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallStats {
    /// The method, an index into [`crate::LedgerRows::sites`]; `None` for slices of which only the name is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<u32>,
    /// The name of the slices.
    pub name: String,
    /// Calls that began and ended inside the window: those that the quantiles are of. Of a method that calls itself the outermost.
    pub calls: u64,
    /// Energy of cores for one call while its thread was on them (core, shared, wake transitions), probes taken out; `None` without a
    /// scheduler or a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joules: Option<CallQuantiles>,
    /// Cost of the framework calls in one by tables; `None` where none of them has a known cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_joules: Option<CallQuantiles>,
}

/// Quantiles over calls, by nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallQuantiles {
    /// The median.
    pub p50: Joules,
    /// The 95th percentile.
    pub p95: Joules,
    /// The most.
    pub max: Joules,
}
