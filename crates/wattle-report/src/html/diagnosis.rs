//! A diagnosis as one HTML file.

use wattle_diagnose::Diagnosis;

use crate::ReportError;

/// The diagnosis as one HTML file.
pub fn diagnosis_html(diagnosis: &Diagnosis) -> Result<String, ReportError> {
    let mut data = serde_json::to_value(diagnosis)?;
    crate::clean::clean_texts(&mut data);
    Ok(super::page::diagnosis(&serde_json::to_string(&data)?))
}
