//! Which methods get probes, and with which numbers.

mod body;
mod exclusions;
mod method_lines;
mod parameters;
mod plan_counts;
mod planner;
mod short_method_name;

pub(crate) use exclusions::{Exclusions, Untouchable};
pub(crate) use method_lines::Lines;
pub use plan_counts::{Counts, LeftOutMethod};
pub(crate) use planner::{FilePlan, Plan, PlannedCall, PlannedMethod};
