//! Rails of a recording beside estimates that have not seen them.

use wattle_units::{BootNanos, Estimate, Joules};

/// A power rail, period by period, beside what is estimated of the same time without its measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedRail {
    /// The monitor's own name of the rail.
    pub rail: String,
    /// All that it counted in the periods.
    pub measured: Joules,
    /// The model alone, for the same time.
    pub plain: Estimate,
    /// In order of time. Neighbouring periods below 40 ms are one, as in the fit.
    pub periods: Vec<JudgedStretch>,
    /// Neighbouring periods summed to 250 ms; longer periods are windows of their own.
    pub windows: Vec<JudgedStretch>,
}

/// One or several neighbouring periods of a rail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedStretch {
    /// Its start.
    pub start: BootNanos,
    /// Its length.
    pub seconds: f64,
    /// The block of time that was held out for it.
    pub block: usize,
    /// Energy that the rail counted.
    pub measured: Joules,
    /// Energy by the model alone: clocks, idle states and scheduler, nothing fitted to this recording.
    pub plain: Estimate,
    /// Energy by the fit of all rails outside of the block; `None` where they are too few.
    pub fitted: Option<Estimate>,
}
