//! Observations from a table of comma-separated values.

use std::collections::{BTreeMap, BTreeSet};

use wattle_power::{Component, LinearTable, ParameterName};
use wattle_units::{Volts, Watts};

use crate::{CalibrateError, ColumnChoice, Formula, Observations, ObservedParameter};

/// Request for observations from a table.
#[derive(Clone, Debug)]
pub struct TableRequest<'a> {
    /// The column or formula of measured power, or of the energy of a run.
    pub target: &'a str,
    /// Its unit: `W`, `mW`, `uW`, `A`, `mA`, `uA`; of an energy `J`, `mJ`.
    pub unit: &'a str,
    /// The battery's voltage, for currents.
    pub voltage: Option<Volts>,
    /// Column or formula of the length of a run in seconds, for energies: the constant is a power then, and parameters are totals.
    pub duration: Option<&'a str>,
    /// The parameters.
    pub parameters: &'a [ColumnChoice],
    /// The column by which rows are held out together.
    pub group: Option<&'a str>,
    /// The column or formula by which rows are sorted, so that neighbours are neighbours in time.
    pub order: Option<&'a str>,
}

/// A table of text cells under named columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    name: String,
    columns: Vec<String>,
    rows: Vec<Row>,
    /// Remarks on how it was put together.
    notes: Vec<String>,
}

/// A row, and where it is from.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    file: std::sync::Arc<str>,
    line: u64,
    cells: Vec<String>,
}

/// Numbers of a formula, one a row, and the cells that are none.
struct Numbers {
    values: Vec<Option<f64>>,
    /// File, line, column and text of the first cell that is no number, and the number of such cells.
    wrong: Option<(String, usize)>,
}

/// A parameter and its values, one a row.
pub(crate) type NamedValues = (String, Vec<Option<f64>>);

/// Cells that say that nothing is known.
const UNKNOWN: [&str; 6] = ["", "NA", "NaN", "nan", "null", "-"];
/// A parameter of which at least this many rows have no value, and at most half of all, is told apart by `missing(PARAMETER)`; rows
/// with fewer such cells are left out.
const MANY_MISSING: usize = 10;

/// More rows than any calibration has; a file cannot ask for more memory.
const MOST_ROWS: usize = 10_000_000;

impl Table {
    /// From a file's bytes; `name` is for messages. Columns are separated by commas, semicolons or tabs, whichever the
    /// first line has most of; with semicolons or tabs, numbers may have decimal commas.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, CalibrateError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let count = |separator: u8| first.split(|byte| *byte == separator).count();
        let separator = *b",;\t".iter().max_by_key(|s| (count(**s), **s == b',')).unwrap_or(&b',');
        let wrong = |reason: String| CalibrateError::Csv { name: name.to_owned(), reason };
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(bytes);
        let header = reader.headers().map_err(|error| wrong(error.to_string()))?;
        let columns: Vec<String> = header.iter().map(str::to_owned).collect();
        let file: std::sync::Arc<str> = name.into();
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| wrong(error.to_string()))?;
            if rows.len() >= MOST_ROWS {
                return Err(wrong(format!("more than {MOST_ROWS} rows")));
            }
            let line = record.position().map_or(0, csv::Position::line);
            let cell = |cell: &str| {
                if separator == b',' { cell.to_owned() } else { cell.replace(',', ".") }
            };
            rows.push(Row { file: file.clone(), line, cells: record.iter().map(cell).collect() });
        }
        if rows.is_empty() {
            return Err(wrong("it has no rows".to_owned()));
        }
        Ok(Self { name: name.to_owned(), columns, rows, notes: Vec::new() })
    }

    /// The columns' names.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Appends the rows of another table, which must have the same columns.
    ///
    /// # Errors
    /// When a column of this table is missing there.
    pub fn append(&mut self, other: Self) -> Result<(), CalibrateError> {
        let places: Vec<usize> =
            self.columns.iter().map(|column| other.index(column)).collect::<Result<_, _>>()?;
        for row in other.rows {
            let cells = places.iter().map(|at| row.cells.get(*at).cloned().unwrap_or_default());
            self.rows.push(Row { cells: cells.collect(), ..row });
        }
        self.name = format!("{}, {}", self.name, other.name);
        Ok(())
    }

    /// Adds the columns of another table to the rows of the same key; rows whose key the other has not are kept with empty cells, and
    /// rows of the other without a partner are left out. Returns the number of either.
    ///
    /// # Errors
    /// When the key is missing, or is in two rows of the other table.
    pub fn join(&mut self, other: &Self, key: &str) -> Result<(usize, usize), CalibrateError> {
        let (mine, theirs) = (self.index(key)?, other.index(key)?);
        let mut by_key: BTreeMap<&str, &Row> = BTreeMap::new();
        for row in &other.rows {
            let value = row.cells.get(theirs).map_or("", String::as_str);
            if by_key.insert(value, row).is_some() {
                return Err(CalibrateError::Cell {
                    name: other.name.clone(),
                    line: row.line,
                    column: key.to_owned(),
                    expected: "a key that no other row has",
                    found: value.to_owned(),
                });
            }
        }
        let new: Vec<usize> = (0..other.columns.len())
            .filter(|at| other.columns.get(*at).is_some_and(|name| !self.columns.contains(name)))
            .collect();
        let width = self.columns.len();
        self.columns.extend(new.iter().filter_map(|at| other.columns.get(*at).cloned()));
        let mut alone = 0;
        let mut used = BTreeSet::new();
        for row in &mut self.rows {
            row.cells.resize(width, String::new());
            let value = row.cells.get(mine).cloned().unwrap_or_default();
            let partner = by_key.get(value.as_str());
            alone += usize::from(partner.is_none());
            let cell = |at: &usize| Some(partner?.cells.get(*at)?.clone());
            row.cells.extend(new.iter().map(|at| cell(at).unwrap_or_default()));
            used.insert(value);
        }
        let unused = by_key.keys().filter(|value| !used.contains(**value)).count();
        if alone + unused > 0 {
            self.notes.push(format!(
                "{}: {alone} rows have no partner there by {key}, {unused} rows of it are unused",
                other.name
            ));
        }
        Ok((alone, unused))
    }

    fn index(&self, column: &str) -> Result<usize, CalibrateError> {
        self.columns.iter().position(|name| name == column).ok_or_else(|| {
            let (name, column) = (self.name.clone(), column.to_owned());
            CalibrateError::NoColumn { name, column, found: self.columns.clone() }
        })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The cells of a column with their lines; an empty one where a row is short.
    pub fn cells(&self, column: &str) -> Result<impl Iterator<Item = (u64, &str)>, CalibrateError> {
        let index = self.index(column)?;
        Ok(self
            .rows
            .iter()
            .map(move |row| (row.line, row.cells.get(index).map_or("", String::as_str))))
    }

    /// The numbers of a column; `None` where a cell is empty or says that nothing is known.
    pub fn numbers(&self, column: &str) -> Result<Vec<Option<f64>>, CalibrateError> {
        let number = |(line, cell): (u64, &str)| {
            if UNKNOWN.contains(&cell) {
                return Ok(None);
            }
            let value = cell.parse::<f64>().ok().filter(|value| value.is_finite());
            value.map(Some).ok_or_else(|| CalibrateError::Cell {
                name: self.name.clone(),
                line,
                column: column.to_owned(),
                expected: "a number",
                found: cell.to_owned(),
            })
        };
        self.cells(column)?.map(number).collect()
    }

    /// The formula of a text: a column of just this name, whatever characters it has, or an expression over columns.
    ///
    /// # Errors
    /// When it is neither, or names a column that is not there.
    pub fn formula(&self, text: &str) -> Result<Formula, CalibrateError> {
        if self.columns.iter().any(|column| column == text) {
            return Ok(Formula::column(text));
        }
        // `GPU load (%)*0.01`: a name that is no formula, times a factor.
        let formula = match text.rsplit_once('*') {
            Some((column, factor))
                if self.columns.iter().any(|name| name == column.trim())
                    && factor.trim().parse::<f64>().is_ok() =>
            {
                format!("`{}`*{}", column.trim(), factor.trim()).parse::<Formula>()
            }
            _ => text.parse::<Formula>(),
        };
        let formula = match formula {
            Ok(formula) => formula,
            // A plain name: say which columns there are. Anything else: say what is wrong with it.
            Err(_) if !text.contains(['*', '+', '(', '^', '/', '`']) => {
                return self.index(text).map(|_| Formula::column(text));
            }
            Err(error) => return Err(error),
        };
        for column in formula.columns(&self.columns) {
            self.index(column)?;
        }
        Ok(formula)
    }

    fn evaluate(&self, text: &str) -> Result<Numbers, CalibrateError> {
        let formula = self.formula(text)?;
        let used: Vec<(&str, usize)> = formula
            .columns(&self.columns)
            .into_iter()
            .map(|column| Ok((column, self.index(column)?)))
            .collect::<Result<_, CalibrateError>>()?;
        let mut wrong: Option<(String, usize)> = None;
        let mut values = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let mut place = None;
            let cell = |name: &str| {
                let (_, at) = used.iter().find(|(column, _)| *column == name)?;
                let text = row.cells.get(*at).map_or("", String::as_str);
                text.parse::<f64>().ok().filter(|value| value.is_finite())
            };
            let value = formula.value(&self.columns, &cell);
            if value.is_none() {
                let texts = used
                    .iter()
                    .map(|(column, at)| (*column, row.cells.get(*at).map_or("", String::as_str)));
                let not_empty = texts
                    .clone()
                    .find(|(_, text)| !UNKNOWN.contains(text) && text.parse::<f64>().is_err());
                let is_empty = texts.clone().any(|(_, text)| UNKNOWN.contains(&text));
                place = match not_empty {
                    Some((column, text)) => {
                        Some(format!("{}, line {}, column {column}: {text:?}", row.file, row.line))
                    }
                    None if is_empty => None,
                    None => Some(format!("{}, line {}: {text} has no value", row.file, row.line)),
                };
            }
            if let Some(place) = place {
                wrong.get_or_insert((place, 0)).1 += 1;
            }
            values.push(value);
        }
        Ok(Numbers { values, wrong })
    }

    /// The values of parameters, one list a parameter, for a model that was fitted to a table; `None` where a cell has no number and
    /// the model has no value that stands in.
    pub(crate) fn parameters(
        &self,
        table: &LinearTable,
    ) -> Result<Vec<NamedValues>, CalibrateError> {
        let durations = table.duration.as_deref().map(|text| self.evaluate(text)).transpose()?;
        let mut all = Vec::new();
        for (name, text) in &table.columns {
            let is_there = self.columns.iter().any(|column| column == name);
            let found = match self.evaluate(text) {
                // Columns that are called as the parameter is, instead of as they were in the other table.
                Err(_) if is_there => self.evaluate(name)?,
                other => other?,
            };
            let mut values = found.values;
            if let Some(durations) = &durations {
                for (value, seconds) in values.iter_mut().zip(&durations.values) {
                    *value = value.zip(*seconds).map(|(v, s)| v / s).filter(|v| v.is_finite());
                }
            }
            if let Some((_, fill)) = table.fills.iter().find(|(of, _)| of == name) {
                let missing = values.iter().map(|v| Some(if v.is_none() { 1.0 } else { 0.0 }));
                all.push((missing_name(name), missing.collect()));
                for value in &mut values {
                    *value = value.or(Some(*fill));
                }
            }
            all.push((name.clone(), values));
        }
        Ok(all)
    }

    /// Measured power (energy, of runs), one a row; `None` where it has no number or is not above 0 where it must be.
    pub(crate) fn measured(
        &self,
        table: &LinearTable,
        voltage: Option<Volts>,
    ) -> Result<Vec<Option<f64>>, CalibrateError> {
        let unit = watts(&table.unit, voltage)?.value();
        let found = self.evaluate(&table.target)?.values;
        Ok(found.into_iter().map(|value| value.map(|value| value * unit)).collect())
    }

    /// Numbers of a column or formula.
    pub(crate) fn values_of(&self, text: &str) -> Result<Vec<Option<f64>>, CalibrateError> {
        Ok(self.evaluate(text)?.values)
    }

    /// Rows to be fitted.
    ///
    /// # Errors
    /// Columns that are not there, formulas that are none, units that do not exist. A cell that is no number is no error: it is said.
    pub fn observations(&self, request: &TableRequest<'_>) -> Result<Observations, CalibrateError> {
        let unit = watts(request.unit, request.voltage)?;
        let is_energy = request.unit == "J" || request.unit == "mJ";
        if request.duration.is_some() && !is_energy {
            return Err(CalibrateError::Request {
                what: "--duration",
                expected: "a target in J or mJ".to_owned(),
                found: request.unit.to_owned(),
            });
        }
        let mut notes = self.notes.clone();
        let mut evaluated = |text: &str| -> Result<Vec<Option<f64>>, CalibrateError> {
            let found = self.evaluate(text)?;
            if let Some((place, count)) = found.wrong {
                let cells = if count == 1 { "cell is" } else { "cells are" };
                notes.push(format!("{count} {cells} not a number: {place}"));
            }
            Ok(found.values)
        };
        let target = evaluated(request.target)?;
        let durations = request.duration.map(&mut evaluated).transpose()?;
        let mut columns: Vec<Vec<Option<f64>>> = request
            .parameters
            .iter()
            .map(|choice| evaluated(&choice.formula))
            .collect::<Result<_, _>>()?;
        let keys = request.order.map(&mut evaluated).transpose()?;
        let groups: Vec<String> = match request.group {
            Some(column) => self.cells(column)?.map(|(_, cell)| cell.to_owned()).collect(),
            None => self.rows.iter().map(|row| row.file.to_string()).collect(),
        };
        let mut table = LinearTable {
            target: request.target.to_owned(),
            unit: request.unit.to_owned(),
            duration: request.duration.map(str::to_owned),
            columns: Vec::new(),
            fills: Vec::new(),
        };
        if let Some(durations) = &durations {
            for column in &mut columns {
                for (value, seconds) in column.iter_mut().zip(durations) {
                    *value = value.zip(*seconds).map(|(v, s)| v / s).filter(|v| v.is_finite());
                }
            }
        }
        let mut parameters: Vec<ObservedParameter> = Vec::new();
        let mut filled: Vec<Vec<Option<f64>>> = Vec::new();
        for (choice, mut column) in request.parameters.iter().zip(columns) {
            table.columns.push((choice.parameter.clone(), choice.formula.clone()));
            let missing = column.iter().filter(|value| value.is_none()).count();
            if missing >= MANY_MISSING && missing * 2 <= column.len() {
                let known: Vec<f64> = column.iter().copied().flatten().collect();
                let fill = wattle_fit::order::median(&known).unwrap_or_default();
                table.fills.push((choice.parameter.clone(), fill));
                let name = missing_name(&choice.parameter);
                parameters.push(ObservedParameter {
                    name,
                    unit: String::new(),
                    ..observed(choice)
                });
                filled.push(
                    column.iter().map(|v| Some(if v.is_none() { 1.0 } else { 0.0 })).collect(),
                );
                for value in &mut column {
                    *value = value.or(Some(fill));
                }
            }
            parameters.push(observed(choice));
            filled.push(column);
        }
        let mut order: Vec<usize> = (0..target.len()).collect();
        if let Some(keys) = keys {
            let key = |row: &usize| keys.get(*row).copied().flatten().unwrap_or(f64::INFINITY);
            order.sort_by(|a, b| key(a).total_cmp(&key(b)));
        }
        let mut observations = Observations {
            parameters,
            what: format!("{} of {}", request.target, self.name),
            durations: durations.is_some().then(Vec::new),
            notes,
            ..Observations::default()
        };
        let mut left_out = 0;
        for row in order {
            let at = |column: &Vec<Option<f64>>| column.get(row).copied().flatten();
            let values: Option<Vec<f64>> = filled.iter().map(at).collect();
            let seconds = match &durations {
                Some(durations) => at(durations).filter(|seconds| *seconds > 0.0),
                None => Some(1.0),
            };
            let (Some(power), Some(values), Some(seconds)) = (at(&target), values, seconds) else {
                left_out += 1;
                continue;
            };
            observations.power.push(unit * (power / seconds));
            observations.groups.push(groups.get(row).cloned().unwrap_or_default());
            if let Some(durations) = &mut observations.durations {
                durations.push(seconds);
            }
            for (parameter, value) in observations.parameters.iter_mut().zip(values) {
                parameter.values.push(value);
            }
        }
        observations.every = observations.durations.as_deref().and_then(wattle_fit::order::median);
        observations.table = Some(table);
        observations.leave_out("a cell is empty or not a number", left_out);
        Ok(observations)
    }
}

/// The parameter that is 1 where another has no value.
fn missing_name(parameter: &str) -> String {
    format!("missing({parameter})")
}

fn observed(choice: &ColumnChoice) -> ObservedParameter {
    let component = ParameterName::from(choice.parameter.as_str()).component();
    ObservedParameter {
        name: choice.parameter.clone(),
        unit: choice.unit().to_owned(),
        component: component.unwrap_or_else(|| Component::Other(choice.parameter.clone())),
        values: Vec::new(),
    }
}

/// Power of one of the unit; of energies, watts stand for the joules of a run.
fn watts(unit: &str, voltage: Option<Volts>) -> Result<Watts, CalibrateError> {
    let current = |amperes: f64| {
        let voltage = voltage.ok_or_else(|| CalibrateError::Request {
            what: "--voltage",
            expected: format!("the battery's voltage, because the target is in {unit}"),
            found: "none".to_owned(),
        })?;
        Ok(Watts::new(amperes * voltage.value()))
    };
    match unit {
        "W" | "J" => Ok(Watts::new(1.0)),
        "mW" | "mJ" => Ok(Watts::new(1e-3)),
        "uW" => Ok(Watts::new(1e-6)),
        "A" => current(1.0),
        "mA" => current(1e-3),
        "uA" => current(1e-6),
        other => Err(CalibrateError::Request {
            what: "--target-unit",
            expected: "W, mW, uW, A, mA, uA, J or mJ".to_owned(),
            found: format!("{other:?}"),
        }),
    }
}
