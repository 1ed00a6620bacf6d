//! Energies that the input itself states: counted by the phone's rails, drawn from its battery, estimated by Android, measured by a
//! meter. They stand beside an estimate and are never part of it as such.

use serde::{Deserialize, Serialize};
use wattle_units::{Estimate, Interval, Joules, Nanos, Provenance};

/// The origin of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StatementSource {
    /// The phone's own power rails: only the components that they supply.
    Rails,
    /// The battery's discharge, by its gauge or by Android's statistics: the whole device.
    Discharge,
    /// The sum in `Estimated power use` of Android's battery statistics: the whole device, by Android's own model.
    AndroidEstimate,
    /// A power meter that supplied the device: the whole device.
    PowerMeter,
}

impl StatementSource {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rails => "rails",
            Self::Discharge => "discharge",
            Self::AndroidEstimate => "android-estimate",
            Self::PowerMeter => "power-meter",
        }
    }

    /// The name in a sentence.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Rails => "power rails",
            Self::Discharge => "battery discharge",
            Self::AndroidEstimate => "Android's own estimate",
            Self::PowerMeter => "power meter",
        }
    }

    /// Whether it is about the whole device, whatever components were estimated.
    pub const fn is_whole_device(self) -> bool {
        !matches!(self, Self::Rails)
    }
}

/// An energy that the input states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputStatement {
    /// Its origin.
    pub source: StatementSource,
    /// The stated energy.
    pub joules: Joules,
    /// Its 90 % interval; `None` where neither the input nor a data sheet states an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// Measured, or assumed where charge was stated and the voltage is not known.
    pub provenance: Provenance,
    /// The time that it is about.
    pub time: Nanos,
    /// The estimate for the same time; `None` where nothing was estimated in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
}

impl InputStatement {
    /// The estimate as a multiple of the stated energy; `None` without an estimate, or if the statement is not positive.
    pub fn ratio(&self) -> Option<f64> {
        let estimate = self.estimate.filter(|_| self.joules > Joules::ZERO)?;
        Some(estimate.joules / self.joules)
    }

    /// Whether the 90 % interval of the estimate contains the stated energy.
    pub fn is_inside_interval(&self) -> Option<bool> {
        let Interval { low, high } = self.estimate?.interval;
        Some(low <= self.joules && self.joules <= high)
    }
}
