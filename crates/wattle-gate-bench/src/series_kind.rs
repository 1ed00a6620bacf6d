//! Kinds of noise of simulated series.

/// Kind of noise of a simulated series. A single run scatters by about 2 % in each of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SeriesKind {
    /// Independent normal noise of runs.
    Gaussian,
    /// Runs fall into one of two modes.
    Bimodal,
    /// Each run resembles the one before it in time.
    Autocorrelated,
    /// Single runs, and all runs of some commits, are disturbed upwards.
    Spiked,
    /// The room's temperature changes over commits, and the device warms up while it is measured.
    HeatDrift,
}

impl SeriesKind {
    /// All kinds.
    pub const ALL: [Self; 5] =
        [Self::Gaussian, Self::Bimodal, Self::Autocorrelated, Self::Spiked, Self::HeatDrift];

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "Gaussian",
            Self::Bimodal => "bimodal",
            Self::Autocorrelated => "AR(1)",
            Self::Spiked => "spiked",
            Self::HeatDrift => "heat drift",
        }
    }
}
