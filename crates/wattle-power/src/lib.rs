//! Device models, and how each turns a timeline into power tracks.
//!
//! A [`PowerTrack`] is the power of one [`Component`] in one [`Scope`] over time, piecewise constant. The
//! tracks are disjoint: their sum is the power of everything that is metered or modelled. A power model
//! never knows who will pay; the scope only says which hardware the power belongs to, and attribution
//! (`wattle-ledger`) decides from that.
//!
//! Every segment names its [`ErrorSource`]: the number of the model whose error it carries. Energies of
//! one source err together, so the interval of any figure follows from its energy per source, see
//! [`ErrorModel`].
//!
//! ```
//! use wattle_power::{DeviceModel, PowerOptions, estimate};
//! use wattle_timeline::{CpuTimeline, IdleState, Timeline, Window};
//! use wattle_units::{BootNanos, Hertz};
//!
//! // A phone of one core, and what is known of it.
//! let model = "format = 'wattle-device-model/1'
//!     name = 'one core'
//!     version = 1
//!     [[policy]]
//!     id = 0
//!     cpus = [0]
//!     curve = [[1000000, 5, 100, 2, 0]]";
//! let mut options = PowerOptions::default();
//! options.device_models.push(DeviceModel::parse("one.toml", model)?);
//!
//! // It works for a second at 1 GHz.
//! let begin = BootNanos::new(0);
//! let mut cpu = CpuTimeline::default();
//! cpu.frequency.push(begin, Hertz::from_kilohertz(1_000_000));
//! cpu.idle.push(begin, IdleState::ACTIVE);
//! let window = Window::new(begin, BootNanos::new(1_000_000_000));
//! let timeline = Timeline { window, cpus: vec![cpu], ..Timeline::default() };
//!
//! let estimate = estimate(&timeline, &options)?;
//! let millijoules: f64 = estimate.tracks.iter().map(|t| t.energy(window).millijoules()).sum();
//! assert!((millijoules - 105.0).abs() < 1e-9);
//! # Ok::<(), wattle_power::PowerError>(())
//! ```

mod api_costs;
mod battery_facts;
mod battery_gauge;
mod battery_summary;
mod choose;
mod clock_costs;
mod clock_match;
mod clock_unit;
mod component;
mod components;
mod curves;
mod device_model;
mod error;
mod error_basis;
mod error_model;
mod estimate_tracks;
mod estimators;
mod gpu_curves;
mod input_statement;
mod linear_correction;
mod linear_gains;
mod linear_model;
mod linear_table;
mod linear_tracks;
mod measured_power;
mod meter_summary;
mod model_columns;
mod model_facts;
mod model_reason;
mod note;
mod options;
mod parameter_name;
mod parameters;
mod power_coverage;
mod power_estimate;
mod power_track;
mod profile;
mod rail_periods;
mod rails;
mod recorded_model;
mod residual_quantile;
mod spread;
mod stated_energies;
mod student;
mod track_columns;
mod voltage;
mod work;

pub use api_costs::{
    API_COSTS_FORMAT, ApiCost, ApiCosts, ApiMatch, ApiName, ApiRow, ApiSignature, ApiTable,
};
pub use battery_facts::{BatteryCapacity, BatteryFacts, BatteryVoltage};
pub use clock_costs::{ClockCosts, ClockReach, ClockStep, ClusterCosts, StepCost};
pub use component::{Component, Scope};
pub use components::{ComponentCharge, component_charges, cpu_figures};
pub use device_model::{
    BasePower, DEVICE_MODEL_FORMAT, DependsOn, DeviceModel, DsuClock, ErrorSizes, Figure,
    FigureUnit, Figures, GpuCurve, GpuPoint, Measure, MergeError, Merged, ModelDefect, ModelMatch,
    Policy, PolicyId, RAIL_NUMBERS, RailCorrection, RailCurve, RailNumber, RailRecording,
    RefitPoint, Residual, ResidualKind, StatePower, TpuPoint, VoteBy, library,
};
pub use error::PowerError;
pub use error_basis::{ComparedRun, EnergyDifference, ErrorBasis, SourceEnergies};
pub use error_model::{
    ErrorGroup, ErrorGroupId, ErrorModel, ErrorSource, Meter, MeterId, SourceId, SourceTotals,
};
pub use estimate_tracks::estimate;
pub use input_statement::{InputStatement, StatementSource};
pub use linear_correction::{CorrectionInput, LinearCorrection, SupportPoint};
pub use linear_model::{CoefficientUnit, Intercept, LinearModel, LinearPrediction, LinearTerm};
pub use linear_table::LinearTable;
pub use measured_power::{Measured, MeasuredBy, measured};
pub use model_facts::ModelFacts;
pub use model_reason::{ModelReason, ModelRung, SocProperty};
pub use options::{ModelChoice, ModelFile, PowerOptions};
pub use parameter_name::ParameterName;
pub use parameters::{Parameter, ParameterOwner, ParameterPart, parameter, parameter_names};
pub use power_coverage::{ComponentCoverage, Coverage, CoveredPart, EstimatedFrom, WindowSet};
pub use power_estimate::{BatterySummary, DrainedBy, ModelSpread, PowerEstimate, RailSummary};
pub use power_track::{PowerSegment, PowerTrack};
pub use profile::{ClusterProfile, CpuProfile, Placeholder, PowerProfile};
pub use rail_periods::{EVEN_POWER_ERROR, RailPeriod, RailPeriods};
pub use rails::metered_window;
pub use recorded_model::recorded_model;
pub use residual_quantile::ResidualQuantile;
pub use student::quantile as student_quantile;
