//! A source line from which something was called.

use serde::{Deserialize, Serialize};
use wattle_units::Estimate;

/// A line of a method from which something was called. Nothing measures single lines: its energy is that of what is called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalledLine {
    /// The steady name of the method that it is in.
    pub method: String,
    /// The line, from 1.
    pub line: u32,
    /// Names of what is called, without their classes; of constructors those of the classes.
    pub callees: Vec<String>,
    /// Number of calls; 0 where only samples know them.
    pub calls: u64,
    /// The energy of what is called from there, with all that it calls.
    pub energy: Estimate,
}
