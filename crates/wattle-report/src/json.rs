//! The report for scripts.

use std::io::Write;

use wattle_table::Json;

use crate::{Report, ReportError};

/// Writes a report as JSON, schema [`crate::SCHEMA`]: indented, keys in alphabetical order, a newline at the end. Nothing
/// but the report itself is held in memory.
pub fn write_json(report: &Report, mut to: impl Write) -> Result<(), ReportError> {
    wattle_table::print(report, &mut to).map_err(|error| match error.downcast() {
        Ok(error) => ReportError::Json(error),
        Err(error) => ReportError::Output(error),
    })?;
    writeln!(to)?;
    Ok(())
}

/// The report as a JSON value.
pub fn json(report: &Report) -> Result<serde_json::Value, ReportError> {
    Ok(serde_json::to_value(Json(report))?)
}
