//! A history as one HTML file.

use super::fitted::fitted;
use super::page;
use crate::clean::clean_texts;
use crate::{HistoryPage, ReportError};

/// Versions of a series that a page starts out with.
const VERSIONS: usize = 500;

/// Energy over versions as one HTML file. Where there are more versions than fit, the oldest are left out, and the page says how many.
///
/// # Errors
/// If the page cannot be written, or is too large with a single version of each series.
pub fn history_html(history: &HistoryPage) -> Result<String, ReportError> {
    fitted(VERSIONS, 2, |versions| {
        let mut data = serde_json::to_value(history.shortened(versions))?;
        clean_texts(&mut data);
        Ok(page::history(&history.app, &serde_json::to_string(&data)?))
    })
}
