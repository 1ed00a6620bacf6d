//! Result of a power model for a timeline.

use serde::{Deserialize, Serialize};
use wattle_timeline::Note;
use wattle_units::{Estimate, Joules, Nanos};

use crate::{
    BatteryFacts, ClockCosts, Component, Coverage, ErrorModel, InputStatement, ModelFacts,
    PowerTrack, RailPeriods,
};

/// Power tracks with everything needed to judge them.
#[derive(Clone, Debug, Default)]
pub struct PowerEstimate {
    /// Disjoint tracks. Empty when no model applies and nothing was measured: then there is no energy
    /// to speak of, and totals are "no data", never 0.
    pub tracks: Vec<PowerTrack>,
    /// The errors of their power.
    pub errors: ErrorModel,
    /// The components and the time that the tracks cover: what a sum of them is a total of.
    pub coverage: Coverage,
    /// By CPU: how much earlier than the kernel says a core leaves idle state 1, drawing active power. Empty
    /// where no model says it. Attribution needs it: that energy is already the first task's.
    pub deep_idle_exit: Vec<Nanos>,
    /// The model that was used for the CPU; `None` when none applies.
    pub model: Option<ModelFacts>,
    /// Energy counted by each rail.
    pub rails: Vec<RailSummary>,
    /// Energies that rails counted between their samples, of those that scaled modelled tracks.
    pub rail_periods: Vec<RailPeriods>,
    /// Energy by the battery's readings, or by a power meter in its place.
    pub battery: Option<BatterySummary>,
    /// Energies that the input itself states, at most one of each source.
    pub statements: Vec<InputStatement>,
    /// Facts about the battery itself.
    pub battery_facts: BatteryFacts,
    /// Costs of clocks, if the timeline has calls of which only the CPUs' clocks are known.
    pub clocks: Option<ClockCosts>,
    /// Totals according to the other applicable models.
    pub spread: Vec<ModelSpread>,
    /// Notes on guesses, detections and omissions.
    pub notes: Vec<Note>,
}

/// One rail over the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RailSummary {
    /// The monitor's own name (`S2M_VDD_CPUCL2`).
    pub name: String,
    /// A readable name (`cpu.big`), if the name is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Component that it supplies.
    pub component: Component,
    /// Energy counted inside the window: last minus first, wraps and resets mended.
    pub joules: Joules,
    /// Estimate of the model for the same stretch of time; `None` if no model covers the rail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modelled: Option<Estimate>,
    /// From first to last sample.
    pub covered_s: f64,
    /// Number of samples.
    pub samples: u64,
    /// Wraps, resets and bad samples mended.
    pub mended: u64,
    /// Whether its energy is in the tracks; a rail behind another metered one is a split, not an addition.
    pub booked: bool,
}

/// The instrument that measured the energy of the whole device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DrainedBy {
    /// The battery's own gauge.
    #[default]
    Battery,
    /// A power meter beside the device, which is trusted more.
    Meter,
}

impl DrainedBy {
    /// In the middle of a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Battery => "battery",
            Self::Meter => "power meter",
        }
    }
}

/// The battery over the window, or the power meter in its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(transform = allow_without_by)
)]
pub struct BatterySummary {
    /// The instrument; the battery's gauge where it is left out.
    #[serde(default)]
    pub by: DrainedBy,
    /// Energy drawn from the battery while it truly discharged; all that the meter measured.
    pub drained: Estimate,
    /// Energy of all top-level tracks over the same stretches.
    pub accounted: Estimate,
    /// Time that it discharged; time that the meter measured.
    pub discharging: Nanos,
    /// Time that it was polled or measured in all.
    pub covered: Nanos,
    /// Findings on sign and unit of the current, or which meter it was, in words.
    pub reading: String,
}

/// Files of earlier versions have no `by`: it was always the battery.
#[cfg(feature = "schema")]
fn allow_without_by(schema: &mut schemars::Schema) {
    if let Some(required) = schema.get_mut("required").and_then(|keys| keys.as_array_mut()) {
        required.retain(|key| key != "by");
    }
}

/// CPU energy according to one of several applicable models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelSpread {
    /// The model.
    pub model: ModelFacts,
    /// CPU energy over the whole window under it.
    pub cpu: Estimate,
}
