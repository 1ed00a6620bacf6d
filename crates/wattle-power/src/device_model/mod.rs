//! Device models: the numbers that turn states into watts for one SoC.
//!
//! A device model is a TOML file of format `wattle-device-model/1`, documented in `docs/device-model.md`.
//! The figures of the built-in [`library`] are carried over from published tables, with source and
//! licence in each file; a user's own file has the same form.

mod cluster_clocks;
mod component_figure;
mod device_model_file;
mod device_socs;
mod file_linear;
mod file_rail;
mod file_values;
mod library;
mod made_for;
mod model_defects;
mod model_match;
mod model_merge;
mod policy;
mod rail_correction;
mod recorded_soc;
mod residual;
mod rising_refit;
mod writer;

pub(crate) use cluster_clocks::Cluster;
pub use component_figure::{Figure, Figures, Measure};
pub use device_model_file::DEVICE_MODEL_FORMAT;
pub(crate) use device_socs::soc_of_device;
pub use library::library;
pub(crate) use library::{Entry, entries};
pub(crate) use made_for::{Closeness, is_for};
pub use model_defects::ModelDefect;
pub use model_match::ModelMatch;
pub use model_merge::{MergeError, Merged};
pub(crate) use policy::{Cell, Row, TableMatch};
pub use policy::{DependsOn, Policy, PolicyId, StatePower, VoteBy};
pub(crate) use rail_correction::RailErrors;
pub use rail_correction::{RAIL_NUMBERS, RailCorrection, RailCurve, RailNumber, RailRecording};
pub(crate) use recorded_soc::from_recording;
pub use residual::{ErrorSizes, Residual, ResidualKind};
pub use rising_refit::RefitPoint;

use wattle_timeline::CpuId;
use wattle_units::{Hertz, Nanos, Watts};

use crate::LinearModel;

/// One device model.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceModel {
    /// Its name (`Tensor`).
    pub name: String,
    /// Figures of two versions must not be compared.
    pub version: u32,
    /// Origin of its figures.
    pub source: String,
    /// Under which licence they are.
    pub licence: String,
    /// The devices it is for.
    pub matching: ModelMatch,
    /// Remarks on its figures that a reader should know: points that were left out, how they were measured.
    pub remarks: Vec<String>,
    /// Unit of its figures.
    pub unit: FigureUnit,
    /// Drawn by the CPU as a whole.
    pub base: Option<BasePower>,
    /// Driver's idle state → column of the tables, by number. States past the end are the last.
    pub idle_states: Vec<u8>,
    /// The clock on which policies with [`DependsOn::DSU`] depend.
    pub dsu: Option<DsuClock>,
    /// Policies, by id.
    pub policies: Vec<Policy>,
    /// Graphics.
    pub gpu: Option<GpuCurve>,
    /// Tensor processing, by cluster, clock and requests.
    pub tpu: Vec<TpuPoint>,
    /// Figures of other components.
    pub figures: Figures,
    /// Power as a sum over parameters of a recording.
    pub linear: Option<LinearModel>,
    /// Residuals of the calibration.
    pub residuals: Vec<Residual>,
    /// Corrections of the curves by power rails of recordings.
    pub rails: Vec<RailCorrection>,
    /// Sizes of errors where there are no residuals.
    pub error: Option<ErrorSizes>,
}

/// Unit of the figures of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FigureUnit {
    /// Power.
    #[default]
    Power,
    /// Current: its [`Watts`] hold at one volt and are multiplied by the battery's voltage.
    Current,
}

/// Power of the CPU as a whole. Additive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BasePower {
    /// Always, also in suspend.
    pub suspend: Watts,
    /// While not suspended.
    pub awake: Watts,
    /// While any core executes.
    pub active: Watts,
    /// While not suspended, by nobody who executes: idle floor.
    pub floor: Watts,
}

/// The clock of the DynamIQ shared unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DsuClock {
    /// Ends of the names of devfreq devices that are this clock.
    pub devfreq: Vec<String>,
    /// Clock that is assumed where a guest cannot see it.
    pub guest: Option<Hertz>,
}

/// Power of a GPU by clock and power state.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuCurve {
    /// The driver's number of the GPU.
    pub id: u32,
    /// Points, ascending by clock.
    pub points: Vec<GpuPoint>,
}

/// One clock of a GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuPoint {
    /// The clock.
    pub frequency: Hertz,
    /// Power by state: 0 off, 1 power-gated, 2 on.
    pub by_state: [Watts; 3],
}

/// Power of a TPU in one state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TpuPoint {
    /// Cluster; 2 is both together.
    pub cluster: u32,
    /// The clock, in the unit of the driver's events.
    pub clock: u64,
    /// Requests in flight.
    pub requests: u32,
    /// Power.
    pub power: Watts,
}

impl DeviceModel {
    /// A model that says nothing yet. Not a model that can be read from a file: that says something.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: 1,
            source: String::new(),
            licence: String::new(),
            matching: ModelMatch::default(),
            remarks: Vec::new(),
            unit: FigureUnit::Power,
            base: None,
            idle_states: vec![0, 1],
            dsu: None,
            policies: Vec::new(),
            gpu: None,
            tpu: Vec::new(),
            figures: Figures::default(),
            linear: None,
            residuals: Vec::new(),
            rails: Vec::new(),
            error: None,
        }
    }

    /// From the text of a `wattle-device-model/1` file; `name` is for messages.
    pub fn parse(name: &str, text: &str) -> Result<Self, crate::PowerError> {
        device_model_file::parse(name, text)
    }

    /// Whether it has nothing but figures and is for no device: a preset, which goes with any other model.
    pub fn is_preset(&self) -> bool {
        let for_none = self.matching.is_empty();
        let parts = self.policies.is_empty() && self.gpu.is_none() && self.tpu.is_empty();
        for_none && parts && self.base.is_none() && self.linear.is_none()
    }

    /// The same with its policy spread over so many CPUs; of a model of one device the same as it is. One policy, because what it
    /// errs by it errs by on all of them.
    #[must_use]
    pub(crate) fn spread_over(&self, cpus: usize) -> Self {
        let mut model = self.clone();
        if let ([policy], false) = (model.policies.as_mut_slice(), self.matching.systems.is_empty())
        {
            policy.cpus = (0..cpus as u32).map(CpuId).collect();
            policy.deep_idle_exit = vec![Nanos::ZERO; cpus];
        }
        model
    }

    /// The policy that a CPU belongs to, as an index into [`Self::policies`].
    pub fn policy_of(&self, cpu: CpuId) -> Option<usize> {
        self.policies.iter().position(|policy| policy.cpus.contains(&cpu))
    }

    /// The deepest column of the tables: a CPU there keeps nothing of its cluster awake.
    pub fn deepest_idle(&self) -> u8 {
        self.idle_states.iter().copied().max().unwrap_or(1)
    }

    /// The column of a driver's idle state.
    pub fn idle_column(&self, state: u8) -> u8 {
        let last = self.idle_states.last().copied().unwrap_or(1);
        self.idle_states.get(usize::from(state)).copied().unwrap_or(last)
    }
}
