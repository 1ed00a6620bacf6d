//! Power over time, coarse enough for a chart.

use serde::{Deserialize, Serialize};
use wattle_power::Component;
use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos, Watts};

/// The time axis of all series of a ledger: equal bins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PowerSeries {
    /// Which component.
    pub component: Component,
    /// One mean power a bin.
    pub power: Vec<Watts>,
}

impl PowerBins {
    /// At most `count` bins that cover the window.
    pub(crate) fn over(window: Window, count: u32) -> Self {
        let length = window.duration().value().unsigned_abs();
        let width = length.div_ceil(u64::from(count.max(1))).max(1);
        let used = length.div_ceil(width).min(u64::from(count));
        Self { start: window.start, width: Nanos::new(width as i64), count: used as u32 }
    }

    /// The stretch of time of one bin, cut at the end of the window.
    pub(crate) fn bin(self, index: u32, window: Window) -> Window {
        let offset = self.width.value().saturating_mul(i64::from(index));
        let start = self.start + Nanos::new(offset);
        Window::new(start, start + self.width).intersect(window)
    }
}
