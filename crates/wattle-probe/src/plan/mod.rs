//! Which methods get probes, and with which numbers.

mod body;
mod counts;
mod planner;

pub use counts::{Counts, LeftOutMethod};
pub(crate) use planner::{Exclusions, FilePlan, Plan, PlannedCall, PlannedMethod};
