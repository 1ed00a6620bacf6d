//! Linear models: `P = C0 + Σ Ci·Pi`.

mod model;
mod tracks;

pub use model::{CoefficientUnit, Intercept, LinearModel, LinearTerm, ResidualQuantile};
pub(crate) use tracks::{covers, estimate, is_baseline};
