//! The result of a calibration of any kind.

use serde::Serialize;
use wattle_calibrate::{
    AnchorCalibration, ApiCalibration, CurveCalibration, LinearCalibration, PredictionErrors,
    RailUpdate, SlopeCalibration,
};

/// The schema's name in JSON.
pub const SCHEMA: &str = "wattle-calibration/1";

/// The outcome, as JSON has it.
#[derive(Serialize)]
pub struct Outcome {
    pub schema: &'static str,
    #[serde(flatten)]
    pub found: Found,
    /// Errors on the table of `--test`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tested: Option<PredictionErrors>,
    /// The result of merging it into a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged: Option<MergedInto>,
    /// The file that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// By kind.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Found {
    Linear(Box<LinearCalibration>),
    Curves(CurveCalibration),
    Slope(SlopeCalibration),
    Anchor(Box<AnchorCalibration>),
    Rails(Box<RailUpdate>),
    #[serde(rename = "api_costs")]
    ApiCosts(Box<ApiCalibration>),
}

/// The result of merging.
#[derive(Serialize)]
pub struct MergedInto {
    pub into: String,
    pub replaced: Vec<String>,
    pub added: Vec<String>,
    pub removed: Vec<String>,
}

impl Found {
    pub fn warnings(&self) -> &[String] {
        match self {
            Self::Linear(found) => &found.warnings,
            Self::Curves(found) => &found.warnings,
            Self::Slope(found) => &found.warnings,
            Self::Anchor(found) => &found.warnings,
            Self::Rails(found) => &found.warnings,
            Self::ApiCosts(found) => &found.warnings,
        }
    }
}
