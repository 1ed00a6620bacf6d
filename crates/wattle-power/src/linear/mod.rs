//! Linear models: `P = C0 + Σ Ci·Pi`.

mod model;

pub use model::{CoefficientUnit, Intercept, LinearModel, LinearTerm, ResidualQuantile};
