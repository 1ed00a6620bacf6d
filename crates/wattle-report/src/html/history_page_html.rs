//! A history as one HTML file.

use super::app_page;
use super::fitted::{HOSTED_DATA_LIMIT, HTML_LIMIT, fitted};
use crate::clean::clean_texts;
use crate::{HistoryPage, ReportError};

/// Versions of a series that a page starts out with.
const VERSIONS: usize = 500;

/// Energy over versions as one HTML file. Where there are more versions than fit, the oldest are left out, and the page says how many.
///
/// # Errors
/// If the page cannot be written, or is too large with a single version of each series.
pub fn history_html(history: &HistoryPage) -> Result<String, ReportError> {
    fitted(VERSIONS, 2, HTML_LIMIT, |versions| {
        Ok(app_page::history(&history.app, &data_of(history, versions)?))
    })
}

/// The data of a [page of a server](crate::hosted_page) about energy over versions, as JSON.
///
/// # Errors
/// As [`history_html`].
pub fn history_data(history: &HistoryPage) -> Result<String, ReportError> {
    fitted(VERSIONS, 2, HOSTED_DATA_LIMIT, |versions| data_of(history, versions))
}

fn data_of(history: &HistoryPage, versions: usize) -> Result<String, ReportError> {
    let mut data = serde_json::to_value(history.shortened(versions))?;
    clean_texts(&mut data);
    Ok(serde_json::to_string(&data)?)
}
