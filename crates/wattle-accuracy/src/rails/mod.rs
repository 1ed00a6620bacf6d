//! Recordings with power rails and a scheduler: what a report's models and fits say of rail periods that they have not seen.

mod rail_models;
mod rail_traces;

pub(crate) use rail_models::{SET, judge};
pub(crate) use rail_traces::{RailTrace, RailTraces};
