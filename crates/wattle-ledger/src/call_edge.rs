//! Calls from one method to another.

use serde::{Deserialize, Serialize};
use wattle_units::Estimate;

/// Calls from one method to another, on all threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallEdge {
    /// The caller's steady name.
    pub caller: String,
    /// The callee's.
    pub callee: String,
    /// Number of calls; 0 where only samples know them.
    pub calls: u64,
    /// The energy of the callee, called from there, with all that it called.
    pub energy: Estimate,
}
