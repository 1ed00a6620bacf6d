//! The samples of a ledger's call paths.

use serde::{Deserialize, Serialize};
use wattle_units::Nanos;

/// The samples that call paths were made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sampling {
    /// The event that made the samples that are used (`cpu-cycles`, `task-clock:u`).
    pub event: String,
    /// Number of them inside the window.
    pub samples: u64,
    /// Samples of other events, which say nothing of where a thread was when.
    pub others: u64,
    /// Samples whose stack ends before the thread's first function.
    pub truncated: u64,
    /// Samples without any stack.
    pub without_stack: u64,
    /// Whether the time on CPUs comes from the samples, because nothing recorded the scheduler.
    pub is_schedule_inferred: bool,
    /// Time on CPUs of threads that have samples which no sample stands for.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 0)))]
    pub unsampled: Nanos,
}
