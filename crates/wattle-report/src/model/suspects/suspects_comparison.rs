//! Several saved ledgers side by side.

use super::{SuspectsReport, SuspectsSample};
use serde::{Serialize, Serializer};
use wattle_table::{Column, Declared, describe};

/// The name and version of the JSON form.
pub const COMPARISON_SCHEMA: &str = "wattle-suspects/1";

/// The suspects over the tests of several ledgers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SuspectsComparison {
    /// [`COMPARISON_SCHEMA`].
    pub schema: &'static str,
    /// The same as in the report of one ledger.
    pub suspects: SuspectsReport,
}

describe!(
    SuspectsComparison,
    "comparison",
    "the suspects over the tests of several ledgers",
    [
        Column::text("schema", "name and version of the JSON form", |row: &SuspectsComparison| row
            .schema)
        .words(&[COMPARISON_SCHEMA]),
        Column::object::<SuspectsReport>(
            "suspects",
            "the same as in the report of one ledger",
            |row: &SuspectsComparison| &row.suspects
        ),
    ]
);

impl Serialize for SuspectsComparison {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Declared(self).serialize(to)
    }
}

impl SuspectsComparison {
    /// Of samples, in the order in which they were named.
    pub fn new(samples: &[SuspectsSample]) -> Self {
        Self { schema: COMPARISON_SCHEMA, suspects: SuspectsReport::new(samples) }
    }
}
