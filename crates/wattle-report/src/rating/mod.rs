//! Rating of an energy among others of its kind: a letter A to E and a percentile.

mod category;
mod category_file;
mod coverage;
mod letter;
mod limits;
mod measure;
mod quartiles;
mod rated;
mod reference;
mod report;
mod warning;

pub use category::{Category, Rule};
pub use category_file::CATEGORY_FORMAT;
pub use coverage::RatedCoverage;
pub use letter::Letter;
pub use limits::Limits;
pub use measure::{RatedEnergy, RatedMeasure, RatedPer};
pub use quartiles::quartiles;
pub use reference::{CategoryReference, LeftOut};
pub use report::RatingReport;
pub use warning::{RatingWarning, RatingWarningCode};

pub(crate) use rated::Rated;
