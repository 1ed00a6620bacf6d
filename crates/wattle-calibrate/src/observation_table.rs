//! Observations from a table of comma-separated values.

use wattle_power::{Component, ParameterName};
use wattle_units::{Volts, Watts};

use crate::{CalibrateError, ColumnChoice, Observations, ObservedParameter};

/// Request for observations from a table.
#[derive(Clone, Debug)]
pub struct TableRequest<'a> {
    /// The column of measured power.
    pub target: &'a str,
    /// Its unit: `W`, `mW`, `uW`, `A`, `mA`, `uA`.
    pub unit: &'a str,
    /// The battery's voltage, for currents.
    pub voltage: Option<Volts>,
    /// The parameters.
    pub parameters: &'a [ColumnChoice],
    /// The column by which rows are held out together.
    pub group: Option<&'a str>,
}

/// A table of text cells under named columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    name: String,
    columns: Vec<String>,
    rows: Vec<(u64, Vec<String>)>,
}

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
            rows.push((line, record.iter().map(cell).collect()));
        }
        if rows.is_empty() {
            return Err(wrong("it has no rows".to_owned()));
        }
        Ok(Self { name: name.to_owned(), columns, rows })
    }

    /// The columns' names.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The cells of a column with their lines; an empty one where a row is short.
    pub fn cells(&self, column: &str) -> Result<impl Iterator<Item = (u64, &str)>, CalibrateError> {
        let index = self.columns.iter().position(|name| name == column).ok_or_else(|| {
            let (name, column) = (self.name.clone(), column.to_owned());
            CalibrateError::NoColumn { name, column, found: self.columns.clone() }
        })?;
        let cell = move |(line, row): &'_ (u64, Vec<String>)| -> (u64, usize) {
            (*line, if index < row.len() { index } else { usize::MAX })
        };
        Ok(self.rows.iter().map(move |row| {
            let (line, index) = cell(row);
            (line, row.1.get(index).map_or("", String::as_str))
        }))
    }

    /// The numbers of a column; `None` where a cell is empty or says that nothing is known.
    pub fn numbers(&self, column: &str) -> Result<Vec<Option<f64>>, CalibrateError> {
        let number = |(line, cell): (u64, &str)| {
            if ["", "NA", "NaN", "nan", "null", "-"].contains(&cell) {
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

    /// Rows to be fitted.
    pub fn observations(&self, request: &TableRequest<'_>) -> Result<Observations, CalibrateError> {
        let watts = watts(request.unit, request.voltage)?;
        let power = self.numbers(request.target)?;
        let groups: Vec<String> = match request.group {
            Some(column) => self.cells(column)?.map(|(_, cell)| cell.to_owned()).collect(),
            None => vec![self.name.clone(); power.len()],
        };
        let columns: Vec<Vec<Option<f64>>> = request
            .parameters
            .iter()
            .map(|choice| self.numbers(&choice.column))
            .collect::<Result<_, _>>()?;
        let mut observations = Observations {
            parameters: request.parameters.iter().map(observed).collect(),
            what: format!("{} of {}", request.target, self.name),
            ..Observations::default()
        };
        let mut left_out = 0;
        for (row, (power, group)) in power.iter().zip(groups).enumerate() {
            let cells = columns.iter().map(|column| column.get(row).copied().flatten());
            let values: Option<Vec<f64>> = cells.collect();
            let (Some(power), Some(values)) = (power, values) else {
                left_out += 1;
                continue;
            };
            observations.power.push(watts * *power);
            observations.groups.push(group);
            let parameters = observations.parameters.iter_mut().zip(request.parameters);
            for ((parameter, choice), value) in parameters.zip(values) {
                parameter.values.push(value * choice.factor);
            }
        }
        observations.leave_out("a cell is empty", left_out);
        Ok(observations)
    }
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

/// Power of one of the unit.
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
        "W" => Ok(Watts::new(1.0)),
        "mW" => Ok(Watts::new(1e-3)),
        "uW" => Ok(Watts::new(1e-6)),
        "A" => current(1.0),
        "mA" => current(1e-3),
        "uA" => current(1e-6),
        other => Err(CalibrateError::Request {
            what: "--target-unit",
            expected: "W, mW, uW, A, mA or uA".to_owned(),
            found: format!("{other:?}"),
        }),
    }
}
