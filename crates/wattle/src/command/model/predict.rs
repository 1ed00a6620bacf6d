//! Rows of a table by a calibrated model.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use wattle_calibrate::{CalibrateError, Table, TablePrediction};
use wattle_units::Volts;

use crate::bounded_file;
use crate::command::calibrate::test_errors;
use crate::command::inputs;
use crate::exit::Failure;

/// Predicts each row.
pub fn run(
    model: &Path,
    path: &Path,
    group: Option<&str>,
    voltage: Option<f64>,
) -> Result<TablePrediction, Failure> {
    let found = inputs::device_model(model).map_err(Failure::Input)?;
    let Some(linear) = &found.linear else {
        return Err(Failure::Usage(anyhow::anyhow!(
            "{}: expected a model with a [linear] section, as `wattle calibrate` writes it",
            model.display()
        )));
    };
    let bytes = bounded_file::bytes(path, bounded_file::MOST).context("table");
    let bytes = bytes.map_err(Failure::Input)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let table = Table::parse(&name, &bytes).map_err(|error| Failure::Input(error.into()))?;
    TablePrediction::new(linear, &table, voltage.map(Volts::new), group).map_err(
        |error| match error {
            CalibrateError::NoColumn { .. } | CalibrateError::Request { .. } => {
                Failure::Usage(error.into())
            }
            other => Failure::Input(other.into()),
        },
    )
}

/// One row a row of the table.
pub fn csv(found: &TablePrediction) -> String {
    let unit = found.unit;
    let mut text = format!("row,predicted_{unit},low_{unit},high_{unit},measured_{unit}\n");
    let cell = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6e}"));
    for row in &found.rows {
        let [low, high] = row.interval.map_or([None; 2], |ends| ends.map(Some));
        let _ = writeln!(
            text,
            "{},{},{},{},{}",
            row.row,
            cell(row.predicted),
            cell(low),
            cell(high),
            cell(row.measured)
        );
    }
    text
}

/// A summary.
pub fn text(found: &TablePrediction) -> String {
    let predicted = found.rows.iter().filter_map(|row| row.predicted);
    let (count, sum) = (predicted.clone().count(), predicted.sum::<f64>());
    let mut text = format!("{count} of {} rows predicted", found.rows.len());
    if count > 0 {
        let _ = write!(text, ", mean {:.4} {}", sum / count as f64, found.unit);
    }
    text.push('\n');
    if found.uncorrected > 0 {
        let _ = writeln!(
            text,
            "{} rows by the terms alone: a parameter of the correction has no value there",
            found.uncorrected
        );
    }
    match &found.errors {
        Some(errors) => text.push_str(&test_errors(errors)),
        None => {
            text.push_str("the table does not have the measured column: errors are not known\n");
        }
    }
    text
}
