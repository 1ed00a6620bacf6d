//! Sources of a simulated trace that an estimator has.

use clap::ValueEnum;

/// Sources of a simulated trace that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SourcesMode {
    /// Power rails and hardware counters
    Counters,
    /// Power rails, no hardware counters
    Rails,
    /// Neither power rails nor hardware counters: curves alone
    NoRails,
    /// Curves alone, corrected by two earlier recordings of the same phone with power rails and other apps
    Updated,
}

impl SourcesMode {
    /// The name of the value, also in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counters => "counters",
            Self::Rails => "rails",
            Self::NoRails => "no-rails",
            Self::Updated => "updated",
        }
    }
}
