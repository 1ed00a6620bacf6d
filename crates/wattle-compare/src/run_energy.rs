//! A run as the statistics see it.

use wattle_units::Joules;

/// One of two builds that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Build {
    /// The first.
    Before,
    /// The second.
    After,
}

/// The energy of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The build that ran.
    pub build: Build,
    /// The number of the run in the series, failed runs and warm-up runs included: drift is linear in it.
    pub number: u32,
    /// Its energy.
    pub joules: Joules,
    /// One standard deviation of the error that no other run shares; 0 if unknown. The scatter between runs contains it: it is the least that the scatter can be.
    pub own_error: Joules,
}
