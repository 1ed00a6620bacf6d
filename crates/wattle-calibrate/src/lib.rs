//! Device models from recordings and measured power.
//!
//! Five ways, each for what is at hand:
//!
//! - [`LinearCalibration`]: runs with measured power → a linear model over parameters, non-negative, cross-validated over
//!   whole groups of runs;
//! - [`AnchorCalibration`]: a few runs of another phone or population → such a model, moved there;
//! - [`CurveCalibration`]: three to five measured clocks of a cluster → its whole power curve;
//! - [`SlopeCalibration`]: a counter of charge or energy over time → one figure, such as `bluetooth.on`;
//! - [`ApiCalibration`]: calls into the framework beside measured power → joules a call.
//!
//! The latter gives an [`ApiTable`](wattle_power::ApiTable), the others a [`DeviceModel`](wattle_power::DeviceModel) that can be
//! merged into an existing one.
//!
//! ```
//! use wattle_calibrate::{CounterSeries, CounterUnit, SlopeCalibration, SlopeRequest};
//!
//! // A counter that had counted 0.0244 mAh before, and then rises by 0.36 mA: a ten-thousandth of a mAh a second.
//! let time: Vec<f64> = (0..60).map(f64::from).collect();
//! let value = time.iter().map(|second| 0.0244 + second * 1e-4).collect();
//! let series = CounterSeries { name: "only".to_owned(), time, value };
//! let request = SlopeRequest::new("bluetooth.on", CounterUnit::MilliampereHours);
//! let found = SlopeCalibration::new(&[series], &request)?;
//! assert!((found.value - 0.36).abs() < 1e-9);
//! # Ok::<(), wattle_calibrate::CalibrateError>(())
//! ```

mod anchor_calibration;
mod api_calibration;
mod api_calls;
mod api_groups;
mod column_choice;
mod counter_series;
mod cross_validation;
mod curve_calibration;
mod curve_points;
mod error;
mod formula;
mod linear_calibration;
mod model_kind;
mod observation_table;
mod observations;
mod observe;
mod rail_update;
mod slope_calibration;
mod table_prediction;
mod warnings;

pub use anchor_calibration::AnchorCalibration;
pub use api_calibration::{ApiCalibration, CalibratedApi, UncalibratedApi};
pub use api_calls::ApiCalls;
pub use column_choice::ColumnChoice;
pub use counter_series::{CounterSeries, CounterUnit, TimeUnit};
pub use cross_validation::{CrossValidation, FoldKind, IntervalScope};
pub use curve_calibration::{ClusterCurve, CurveCalibration};
pub use curve_points::{ClusterPoints, curve_points};
pub use error::CalibrateError;
pub use formula::Formula;
pub use linear_calibration::{CalibratedTerm, KindScore, LinearCalibration, LinearRequest};
pub use model_kind::ModelKind;
pub use observation_table::{Table, TableRequest};
pub use observations::{Observations, ObservedParameter};
pub use observe::{ObserveRequest, observe};
pub use rail_update::{RailUpdate, UpdatedNumber, UpdatedRail};
pub use slope_calibration::{SeriesSlope, SlopeCalibration, SlopeRequest};
pub use table_prediction::{PredictedRow, PredictionErrors, TablePrediction};
