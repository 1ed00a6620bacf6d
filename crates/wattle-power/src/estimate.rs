//! What a power model makes of a timeline.

use serde::{Deserialize, Serialize};
use wattle_timeline::Note;
use wattle_units::{Estimate, Joules, Nanos, Provenance};

use crate::{BatteryFacts, ClockCosts, Component, ErrorModel, PowerTrack};

/// Power tracks with everything needed to judge them.
#[derive(Clone, Debug, Default)]
pub struct PowerEstimate {
    /// Disjoint tracks. Empty when no model applies and nothing was measured: then there is no energy
    /// to speak of, and totals are "no data", never 0.
    pub tracks: Vec<PowerTrack>,
    /// How wrong they can be.
    pub errors: ErrorModel,
    /// By CPU: how much earlier than the kernel says a core leaves idle state 1, drawing active power. Empty
    /// where no model says it. Attribution needs it: that energy is already the first task's.
    pub deep_idle_exit: Vec<Nanos>,
    /// The model that was used for the CPU; `None` when none applies.
    pub model: Option<ModelFacts>,
    /// What each rail counted.
    pub rails: Vec<RailSummary>,
    /// What the battery says, or a power meter in its place.
    pub battery: Option<BatterySummary>,
    /// What is known of the battery itself.
    pub battery_facts: BatteryFacts,
    /// What clocks cost, where the timeline has calls of which only the CPUs' clocks are known.
    pub clocks: Option<ClockCosts>,
    /// What the other models that apply would have said.
    pub spread: Vec<ModelSpread>,
    /// What was guessed, detected or left out.
    pub notes: Vec<Note>,
}

/// Which model, and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// Kind: `rails`, `curves`, `profile`, `linear`.
    pub kind: String,
    /// The device model's name (`Tensor`, `Pixel 6a power profile`).
    pub name: String,
    /// How it was chosen (`soc "Tensor" of the trace`, `--device-model FILE`, `nearest by topology`).
    pub chosen: String,
    /// Where its figures come from, with licence.
    pub source: String,
    /// Modelled for this device, or assumed from another.
    pub provenance: Provenance,
    /// Figures of two versions must not be compared.
    pub version: u32,
}

/// One rail over the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RailSummary {
    /// The monitor's own name (`S2M_VDD_CPUCL2`).
    pub name: String,
    /// A readable name (`cpu.big`), if the name is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it supplies.
    pub component: Component,
    /// Energy counted inside the window: last minus first, wraps and resets mended.
    pub joules: Joules,
    /// What the model says of the same stretch of time; `None` where no model covers the rail.
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

/// Whose word it is how much the whole device drew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
pub struct BatterySummary {
    /// Whose word it is.
    #[serde(default)]
    pub by: DrainedBy,
    /// Energy drawn from the battery while it truly discharged; all that the meter measured.
    pub drained: Estimate,
    /// Energy of all top-level tracks over the same stretches.
    pub accounted: Estimate,
    /// How long it discharged; how long the meter measured.
    pub discharging: Nanos,
    /// How long it was polled or measured in all.
    pub covered: Nanos,
    /// What was found out about sign and unit of the current, or which meter it was, in words.
    pub reading: String,
}

/// What one of several applicable models says of the CPU's energy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSpread {
    /// The model.
    pub model: ModelFacts,
    /// CPU energy over the whole window under it.
    pub cpu: Estimate,
}
