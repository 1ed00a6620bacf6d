//! The report as one HTML file.

use wattle_ledger::Ledger;

use crate::{ReportError, ReportOptions};

/// No HTML report is larger.
pub const HTML_LIMIT: usize = 2_000_000;

/// x
pub fn html(_: &Ledger, _: &ReportOptions) -> Result<String, ReportError> {
    Ok(String::new())
}
