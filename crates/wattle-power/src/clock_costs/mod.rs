//! What each step of each CPU's clock costs while the CPU executes: what a bound from `time_in_state` needs.

mod costs;
mod navitas;

pub use costs::{ClockCosts, ClockReach, ClockStep, ClusterCosts, StepCost};
