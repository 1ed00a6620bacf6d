//! Energies that a rail counted between its samples, beside the model's of the same time.

use wattle_timeline::Window;
use wattle_units::Joules;

use crate::{MeterId, SourceId};

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
