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

mod choose;
mod component;
mod curves;
mod device_model;
mod error;
mod error_model;
mod estimate;
mod options;
mod profile;
mod rails;
mod run;
mod student;
mod track;
mod voltage;

pub use component::{Component, Scope};
pub use device_model::{
    BasePower, DEVICE_MODEL_FORMAT, DependsOn, DeviceModel, DsuClock, ErrorSizes, FigureUnit,
    GpuCurve, GpuPoint, Policy, PolicyId, Residual, ResidualKind, StatePower, TpuPoint, VoteBy,
    library,
};
pub use error::PowerError;
pub use error_model::{
    ErrorGroup, ErrorGroupId, ErrorModel, ErrorSource, Meter, MeterId, SourceId, SourceTotals,
};
pub use estimate::{BatterySummary, ModelFacts, ModelSpread, PowerEstimate, RailSummary};
pub use options::{ModelChoice, ModelFile, PowerOptions};
pub use profile::{ClusterProfile, CpuProfile, PowerProfile};
pub use run::estimate;
pub use track::{PowerSegment, PowerTrack};
