//! Power of the rows of a table by a calibrated model.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_fit::Scores;
use wattle_power::{LinearModel, LinearTable};
use wattle_units::Volts;

use crate::{CalibrateError, Table};

/// One row by the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PredictedRow {
    /// Number of the row in the table, the first is 1.
    pub row: usize,
    /// Watts, or joules of the run; `None` where a cell has no number.
    pub predicted: Option<f64>,
    /// 90 % prediction interval in the same unit; `None` where the model promises none.
    pub interval: Option<[f64; 2]>,
    /// Measured, in the same unit; `None` where the table has it not.
    pub measured: Option<f64>,
}

/// Errors of predictions beside what was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PredictionErrors {
    /// Rows with both.
    pub rows: usize,
    /// Mean of |predicted − measured| / measured.
    pub mean_error: f64,
    /// The median of it.
    pub median_error: f64,
    /// Error that 95 % of the rows stay below.
    pub p95_error: f64,
    /// Mean of (predicted − measured) / measured.
    pub bias: f64,
    /// (Sum of the predicted − sum of the measured) / sum of the measured.
    pub total_bias: f64,
    /// Share of rows inside their 90 % prediction interval; `None` where the model promises none.
    pub interval_coverage: Option<f64>,
    /// The same in the group where it is lowest, of those with ten rows or more.
    pub worst_coverage: Option<f64>,
}

/// All rows of a table by a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TablePrediction {
    /// `W`, or `J` for energies of runs.
    pub unit: &'static str,
    /// One a row of the table, in its order.
    pub rows: Vec<PredictedRow>,
    /// Errors, where the table has what was measured.
    pub errors: Option<PredictionErrors>,
    /// Rows whose prediction is by the terms alone, because a parameter of the correction has no value.
    pub uncorrected: usize,
}

/// A group's own coverage is known from so many rows on.
const ROWS_OF_COVERAGE: usize = 10;

impl TablePrediction {
    /// Predicts each row. Columns are those that the model was fitted to, or called as its parameters are.
    ///
    /// # Errors
    /// Columns that are not there.
    pub fn new(
        model: &LinearModel,
        table: &Table,
        voltage: Option<Volts>,
        group: Option<&str>,
    ) -> Result<Self, CalibrateError> {
        let columns = columns(model);
        let parameters = table.parameters(&columns)?;
        let durations =
            columns.duration.as_deref().map(|text| table.values_of(text)).transpose()?;
        let has_target = !columns.target.is_empty() && table.formula(&columns.target).is_ok();
        let measured =
            if has_target { table.measured(&columns, voltage)? } else { vec![None; table.rows()] };
        let mut rows = Vec::new();
        let mut uncorrected = 0;
        for (row, measured) in measured.into_iter().enumerate() {
            let value = |name: &str| {
                let (_, values) = parameters.iter().find(|(of, _)| of == name)?;
                values.get(row).copied().flatten()
            };
            let seconds = match &durations {
                Some(durations) => durations.get(row).copied().flatten(),
                None => Some(1.0),
            };
            let found = model.predict(&value).zip(seconds);
            uncorrected += usize::from(
                model.correction.is_some() && found.is_some_and(|(found, _)| !found.is_corrected),
            );
            rows.push(PredictedRow {
                row: row + 1,
                predicted: found.map(|(found, seconds)| found.power.value() * seconds),
                interval: found.and_then(|(found, seconds)| {
                    found.interval.map(|ends| ends.map(|end| end.value() * seconds))
                }),
                measured,
            });
        }
        let groups = match group {
            Some(column) => table.cells(column)?.map(|(_, cell)| cell.to_owned()).collect(),
            None => Vec::new(),
        };
        let unit = if columns.is_energy() { "J" } else { "W" };
        Ok(Self { unit, errors: errors(&rows, &groups), rows, uncorrected })
    }
}

/// The columns of a model; of one that was not fitted to a table, those called as its parameters are.
pub(crate) fn columns(model: &LinearModel) -> LinearTable {
    if let Some(table) = &model.table {
        return table.clone();
    }
    let mut table = LinearTable::default();
    let inputs = model.correction.iter().flat_map(|correction| &correction.inputs);
    let names = model.terms.iter().map(|term| &term.parameter);
    for name in names.chain(inputs.map(|input| &input.parameter)) {
        if name != "constant" && table.columns.iter().all(|(known, _)| known != name) {
            table.columns.push((name.clone(), name.clone()));
        }
    }
    table
}

fn errors(rows: &[PredictedRow], groups: &[String]) -> Option<PredictionErrors> {
    let both = rows.iter().filter_map(|row| Some((row, row.measured?, row.predicted?)));
    let both: Vec<(&PredictedRow, f64, f64)> = both.collect();
    let measured: Vec<f64> = both.iter().map(|(_, measured, _)| *measured).collect();
    let predicted: Vec<f64> = both.iter().map(|(_, _, predicted)| *predicted).collect();
    let scores = Scores::new(&measured, &predicted)?;
    let mut inside: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (row, measured, _) in &both {
        let Some([low, high]) = row.interval else { continue };
        let group = groups.get(row.row - 1).map_or("", String::as_str);
        let count = inside.entry(group).or_default();
        count.0 += usize::from(low <= *measured && *measured <= high);
        count.1 += 1;
    }
    let total: usize = inside.values().map(|(_, rows)| rows).sum();
    let held: usize = inside.values().map(|(inside, _)| inside).sum();
    let own = inside.values().filter(|(_, rows)| *rows >= ROWS_OF_COVERAGE);
    let own = own.map(|(inside, rows)| *inside as f64 / *rows as f64);
    let sum = measured.iter().sum::<f64>();
    Some(PredictionErrors {
        rows: scores.rows,
        mean_error: scores.mean,
        median_error: scores.median,
        p95_error: scores.p95,
        bias: scores.bias,
        total_bias: predicted.iter().sum::<f64>() / sum - 1.0,
        interval_coverage: (total > 0).then(|| held as f64 / total as f64),
        worst_coverage: own.min_by(f64::total_cmp).filter(|_| inside.len() > 1),
    })
}
