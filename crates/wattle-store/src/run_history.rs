//! Figures over many runs.

use std::collections::HashMap;

use wattle_units::Estimate;

use crate::RunId;

/// The quantity that a history is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// The run's app; of a run without one the total.
    #[default]
    App,
    /// The whole run.
    Total,
}

/// Energies of a method in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MethodPoint {
    /// Calls; 0 where it is known by samples only.
    pub calls: u64,
    /// Energy while it was innermost.
    pub own: Estimate,
    /// Energy with all that it called.
    pub total: Estimate,
}

/// The energies of a method over runs.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodHistory {
    /// Its name.
    pub name: String,
    /// Its energies, by run. In runs that are absent it did not occur.
    pub points: HashMap<RunId, MethodPoint>,
}
