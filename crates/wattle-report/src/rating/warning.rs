//! Why a rating is not to be trusted.

use serde::Serialize;
use wattle_table::{Column, describe};

/// Something that spoils a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingWarning {
    /// Its kind.
    pub code: RatingWarningCode,
    /// In a sentence.
    pub text: String,
}

describe!(
    RatingWarning,
    "rating_warning",
    "something that spoils a comparison",
    [
        Column::word(
            "code",
            "what it is",
            &[
                "low-coverage",
                "coverage-unknown",
                "few-references",
                "mixed-provenance",
                "other-device",
                "other-components"
            ],
            |row: &RatingWarning| Some(&row.code)
        ),
        Column::text("text", "in a sentence", |row: &RatingWarning| &row.text),
    ]
);

/// Kind of a fact that spoils a comparison.
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
