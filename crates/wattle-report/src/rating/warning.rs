//! Why a rating is not to be trusted.

use serde::Serialize;

/// Something that spoils a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatingWarning {
    /// What it is.
    pub code: RatingWarningCode,
    /// In a sentence.
    pub text: String,
}

/// What spoils a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RatingWarningCode {
    /// Too little of the app ran.
    LowCoverage,
    /// Nobody says how much of the app ran.
    CoverageUnknown,
    /// Too few references for quartiles.
    FewReferences,
    /// Some figures are measured, others modelled or assumed.
    MixedProvenance,
    /// Some runs are of another device.
    OtherDevice,
    /// Some sums are of other components.
    OtherComponents,
}
