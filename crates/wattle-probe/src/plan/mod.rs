//! Which methods get probes, and with which numbers.

mod body;
mod counts;
mod exclusions;
mod lines;
mod method_name;
mod parameters;
mod planner;

pub use counts::{Counts, LeftOutMethod};
pub(crate) use exclusions::{Exclusions, Untouchable};
pub(crate) use lines::Lines;
pub(crate) use planner::{FilePlan, Plan, PlannedCall, PlannedMethod};
