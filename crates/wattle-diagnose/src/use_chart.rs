//! CPU use over time, for a picture.

use serde::{Deserialize, Serialize};
use wattle_timeline::Window;

/// CPU use of the processes and of their busiest threads in equal bins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UseChart {
    /// The window that the bins cover.
    pub window: Window,
    /// Number of bins of each line.
    pub bins: u32,
    /// First all threads together, then the busiest ones, in descending order of their use.
    pub lines: Vec<UseLine>,
}

/// One line of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UseLine {
    /// Whose: index into [`crate::Diagnosis::threads`]; `None` for all of them together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// By bin, 1 is one core all the time.
    pub cpu_use: Vec<f32>,
}
