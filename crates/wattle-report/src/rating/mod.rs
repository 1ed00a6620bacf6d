//! Rating of an energy among others of its kind: a letter A to E and a percentile.

mod category;
mod category_file;
mod category_reference;
mod letter;
mod letter_limits;
mod measure;
mod quartiles;
mod rated;
mod rated_coverage;
mod rating_report;
mod warning;

pub use category::{Category, Rule};
pub use category_file::CATEGORY_FORMAT;
pub use category_reference::{CategoryReference, LeftOut};
pub use letter::Letter;
pub use letter_limits::Limits;
pub use measure::{RatedEnergy, RatedMeasure, RatedPer};
pub use quartiles::quartiles;
pub use rated_coverage::RatedCoverage;
pub use rating_report::RatingReport;
pub use warning::{RatingWarning, RatingWarningCode};

pub(crate) use rated::Rated;
