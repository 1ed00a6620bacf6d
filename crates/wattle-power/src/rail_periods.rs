//! Energies that a rail counted between its samples, beside the model's of the same time.

use wattle_timeline::Window;
use wattle_units::Joules;

use crate::{MeterId, SourceId};

/// Relative standard deviation of a rail's energy in a part of an interval, its power taken as even. An
/// assumption on the wide side: rails do not say what happens between two samples.
pub const EVEN_POWER_ERROR: f64 = 0.3;

/// The stretches of time between the samples of one rail that scaled modelled tracks.
///
/// Inside of each, the tracks whose error sources name the meter add up to what was measured; how they share it is the model's word.
/// More than one stretch with different code in it can tell how much each piece of code draws.
#[derive(Clone, Debug, PartialEq)]
pub struct RailPeriods {
    /// The meter that the sources of scaled segments name.
    pub meter: MeterId,
    /// The source of what the rail itself counted.
    pub source: SourceId,
    /// In order of time, apart from each other.
    pub periods: Vec<RailPeriod>,
}

/// One stretch between two samples of a rail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RailPeriod {
    /// The stretch of time.
    pub window: Window,
    /// Energy that the rail counted.
    pub measured: Joules,
    /// Energy of the same stretch by the model alone, above 0.
    pub modelled: Joules,
}
