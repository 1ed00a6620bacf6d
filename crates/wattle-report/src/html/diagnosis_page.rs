//! A diagnosis as one HTML file.

use wattle_diagnose::Diagnosis;

use super::diagnosis_data::DiagnosisData;
use super::fitted::{HTML_LIMIT, fitted};
use super::page;
use crate::ReportError;

/// Rows of each list that a page starts out with.
const ROWS: usize = 6000;

/// The diagnosis as one HTML file: CPU use over time with regions, findings and idle time, and the lists behind it. Where regions or disk
/// operations are too many, those of lowest use and the shortest are left out, and the page says how many.
pub fn diagnosis_html(diagnosis: &Diagnosis) -> Result<String, ReportError> {
    fitted(ROWS, 10, HTML_LIMIT, |rows| {
        Ok(page::diagnosis(&serde_json::to_string(&DiagnosisData::new(diagnosis, rows)?)?))
    })
}
