//! Cost of each step of each CPU's clock while the CPU executes, as a bound from `time_in_state` needs it.

mod costs;
mod navitas;

pub use costs::{ClockCosts, ClockReach, ClockStep, ClusterCosts, StepCost};
