use std::collections::HashMap;

use crate::AccuracyError;

/// The most rows that are read of one file: far more than any published set has.
const MOST_ROWS: usize = 200_000;

/// A CSV file in memory: columns by name.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    columns: HashMap<String, usize>,
    names: Vec<String>,
    rows: Vec<csv::StringRecord>,
}

impl Sheet {
    /// Reads a file with a header. Rows may be shorter or longer than the header; what is missing is empty.
    pub(crate) fn read(content: &[u8], file: &str) -> Result<Self, AccuracyError> {
        let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
        let broken = |error: csv::Error| AccuracyError::Table {
            file: file.to_owned(),
            reason: error.to_string(),
        };
        let mut reader =
            csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(content);
        let header = reader.byte_headers().map_err(broken)?.clone();
        let names: Vec<String> =
            header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let mut columns = HashMap::new();
        for (index, name) in names.iter().enumerate() {
            columns.entry(name.clone()).or_insert(index);
        }
        let mut rows = Vec::new();
        for record in reader.byte_records() {
            if rows.len() == MOST_ROWS {
                return Err(AccuracyError::Table {
                    file: file.to_owned(),
                    reason: format!("more than {MOST_ROWS} rows"),
                });
            }
            rows.push(csv::StringRecord::from_byte_record_lossy(record.map_err(broken)?));
        }
        Ok(Self { columns, names, rows })
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.columns.contains_key(*name))
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The text of a cell; `None` where the column is missing or the cell is empty.
    pub(crate) fn text(&self, row: usize, column: &str) -> Option<&str> {
        let index = self.columns.get(column)?;
        self.rows.get(row)?.get(*index).filter(|text| !text.is_empty())
    }

    /// The number in a cell; `None` where there is none.
    pub(crate) fn number(&self, row: usize, column: &str) -> Option<f64> {
        self.text(row, column)?.parse().ok().filter(|value: &f64| value.is_finite())
    }
}
