//! Cost of each step of each CPU's clock while the CPU executes, as a bound from `time_in_state` needs it.

mod clock_cost_table;
mod navitas;

pub use clock_cost_table::{ClockCosts, ClockReach, ClockStep, ClusterCosts, StepCost};
