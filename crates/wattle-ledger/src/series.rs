//! Power over time, coarse enough for a chart.

use serde::{Deserialize, Serialize};
use wattle_power::Component;
use wattle_units::{BootNanos, Nanos, Watts};

/// The time axis of all series of a ledger: equal bins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerBins {
    /// Start of the first bin.
    pub start: BootNanos,
    /// Width of a bin.
    pub width: Nanos,
    /// Number of bins.
    pub count: u32,
}

/// Mean power of one component in each bin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerSeries {
    /// Which component.
    pub component: Component,
    /// One mean power a bin.
    pub power: Vec<Watts>,
}
