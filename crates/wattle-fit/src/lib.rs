//! Fitting numbers: regression that stays positive, robust and ordinary least squares, monotone power curves, boosted trees,
//! regression whose coefficients are held near those of their class,
//! cross-validation that holds out whole groups, prediction intervals from residuals, scores.
//!
//! Knows numbers only: no phone, no trace, no unit. Everything is deterministic: what looks random comes from a seed.

mod boost;
mod cholesky;
mod collinearity;
mod conformal;
mod curve;
mod design;
mod distribution;
mod effective_rows;
mod error;
mod folds;
mod gaussian;
mod kneed;
mod linear_fit;
mod nnls;
pub mod order;
mod point_scatter;
mod pooled;
mod row_sample;
mod sandwich;
mod scores;
mod shape_prior;
mod shrinkage;
mod slope;
mod tree;
mod triangle;
mod weighted_conformal;

pub use boost::{BoostOptions, Boosted, Loss};
pub use collinearity::{Collinearity, VarianceInflation};
pub use conformal::{Conformal, cross_conformal, cv_plus};
pub use curve::PowerCurve;
pub use design::{Design, pick};
pub use distribution::{normal_above, normal_cdf, normal_quantile, student_cdf, student_quantile};
pub use effective_rows::effective_rows;
pub use error::FitError;
pub use folds::{Folds, Split};
pub use gaussian::{GaussianOptions, GaussianProcess, GaussianSupport};
pub use kneed::{Kneed, KneedOptions, Stretch, relative_weights};
pub use linear_fit::{Coefficient, Intercept, LinearFit, LinearOptions, Robustness};
pub use nnls::nnls;
pub use point_scatter::PointScatter;
pub use pooled::{Pooled, Told};
pub use scores::{Scores, coverage};
pub use shape_prior::ShapePrior;
pub use shrinkage::{Shrinkage, ShrinkageClass, ShrinkageRow};
pub use slope::{Slope, SlopeOptions};
pub use weighted_conformal::{ScoreInterval, WeightedConformal};
