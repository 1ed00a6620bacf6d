//! The rated measure.

use serde::{Deserialize, Serialize};
use wattle_units::Nanos;

/// A figure that can be compared: only what has the same measure is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatedMeasure {
    /// Whose energy.
    #[serde(rename = "of")]
    pub energy: RatedEnergy,
    /// Of how much.
    pub per: RatedPer,
}

/// Whose energy is rated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RatedEnergy {
    /// The app's own.
    App,
    /// That of the whole device.
    #[default]
    Device,
}

/// Of how much it is the energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RatedPer {
    /// Of the run, however long it took: whoever needs longer for the same work spends more (Aeon).
    #[default]
    Run,
    /// Of a minute: for runs that last as long as one likes.
    Minute,
}

impl RatedMeasure {
    /// In a sentence.
    pub fn words(self) -> &'static str {
        match (self.energy, self.per) {
            (RatedEnergy::App, RatedPer::Run) => "energy of the app over the run",
            (RatedEnergy::App, RatedPer::Minute) => "energy of the app per minute",
            (RatedEnergy::Device, RatedPer::Run) => "energy of the device over the run",
            (RatedEnergy::Device, RatedPer::Minute) => "energy of the device per minute",
        }
    }

    /// Returns the factor for joules of a run; `None` for a run that took no time.
    pub(crate) fn factor(self, duration: Nanos) -> Option<f64> {
        match self.per {
            RatedPer::Run => Some(1.0),
            RatedPer::Minute => (duration > Nanos::ZERO).then(|| 60.0 / duration.seconds()),
        }
    }
}
