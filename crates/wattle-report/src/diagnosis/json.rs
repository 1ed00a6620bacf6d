//! A diagnosis for scripts.

use wattle_diagnose::Diagnosis;

use crate::ReportError;

/// The diagnosis as JSON, schema [`wattle_diagnose::SCHEMA`]. Write the [`Diagnosis`] itself through `serde` where key order or memory
/// matters.
pub fn json(diagnosis: &Diagnosis) -> Result<serde_json::Value, ReportError> {
    Ok(serde_json::to_value(diagnosis)?)
}
