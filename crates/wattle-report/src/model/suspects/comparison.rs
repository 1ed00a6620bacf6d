//! Several saved ledgers side by side.

use serde::Serialize;

use super::{SuspectsReport, SuspectsSample};

/// The name and version of the JSON form.
pub const COMPARISON_SCHEMA: &str = "wattle-suspects/1";

/// The suspects over the tests of several ledgers.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SuspectsComparison {
    /// [`COMPARISON_SCHEMA`].
    pub schema: &'static str,
    /// The same as in the report of one ledger.
    pub suspects: SuspectsReport,
}

impl SuspectsComparison {
    /// Of samples, in the order in which they were named.
    pub fn new(samples: &[SuspectsSample]) -> Self {
        Self { schema: COMPARISON_SCHEMA, suspects: SuspectsReport::new(samples) }
    }
}
