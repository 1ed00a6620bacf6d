//! The report for scripts.

use wattle_ledger::Ledger;

use crate::{Report, ReportError, ReportOptions};

/// The report as JSON, schema [`crate::SCHEMA`]. Write [`Report`] itself through `serde` where key order or
/// memory matters.
pub fn json(ledger: &Ledger, options: &ReportOptions) -> Result<serde_json::Value, ReportError> {
    Ok(serde_json::to_value(Report::new(ledger, options))?)
}
