//! Tables as Apache Parquet, compressed with Snappy. Each column's unit and description are metadata of its Arrow field, the
//! export's remarks metadata of the file.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::{Cell, Column, ColumnType, ExportError, Extract, TableKind, remarks};

/// Rows that are gathered before they are written as columns.
const ROWS: usize = 1 << 16;

/// A column that is being filled.
enum Values {
    Text(StringBuilder),
    Integer(Int64Builder),
    Float(Float64Builder),
}

impl Values {
    fn new(kind: ColumnType) -> Self {
        match kind {
            ColumnType::Text => Self::Text(StringBuilder::new()),
            ColumnType::Integer => Self::Integer(Int64Builder::new()),
            ColumnType::Float => Self::Float(Float64Builder::new()),
        }
    }

    /// A cell that is not of the column's type counts as none.
    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Text(values), Cell::Text(text)) => values.append_value(text),
            (Self::Text(values), _) => values.append_null(),
            (Self::Integer(values), Cell::Integer(value)) => values.append_value(value),
            (Self::Integer(values), _) => values.append_null(),
            (Self::Float(values), Cell::Float(value)) => values.append_value(value),
            (Self::Float(values), _) => values.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(values) => Arc::new(values.finish()),
            Self::Integer(values) => Arc::new(values.finish()),
            Self::Float(values) => Arc::new(values.finish()),
        }
    }
}

/// The table as Arrow sees it.
fn schema(columns: &[Column]) -> Schema {
    let field = |column: &Column| {
        let kind = match column.kind {
            ColumnType::Text => DataType::Utf8,
            ColumnType::Integer => DataType::Int64,
            ColumnType::Float => DataType::Float64,
        };
        let description = ("description".to_owned(), column.description.to_owned());
        let unit = column.unit.map(|unit| ("unit".to_owned(), unit.to_owned()));
        let facts: HashMap<String, String> = [description].into_iter().chain(unit).collect();
        Field::new(column.name, kind, true).with_metadata(facts)
    };
    Schema::new(columns.iter().map(field).collect::<Vec<_>>())
}

/// Writes one table.
pub fn write(
    extract: &Extract<'_>,
    table: TableKind,
    to: &mut dyn Write,
) -> Result<(), ExportError> {
    let columns = table.columns();
    let schema = Arc::new(schema(&columns));
    let facts = vec![
        KeyValue::new("wattle.table".to_owned(), table.name().to_owned()),
        KeyValue::new("wattle.remarks".to_owned(), remarks::remarks(extract).join("\n")),
    ];
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("wattle {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(facts))
        .build();
    // The writer wants a place that may go to another thread; the file is compressed columns, a fraction of the ledger.
    let mut writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), Some(properties))?;
    let mut values: Vec<Values> = columns.iter().map(|column| Values::new(column.kind)).collect();
    let mut rows = 0;
    table.rows(extract, &mut |row| {
        for (values, cell) in values.iter_mut().zip(row) {
            values.push(*cell);
        }
        rows += 1;
        if rows == ROWS {
            rows = 0;
            let arrays = values.iter_mut().map(Values::finish).collect();
            writer.write(&RecordBatch::try_new(Arc::clone(&schema), arrays)?)?;
        }
        Ok(())
    })?;
    let arrays = values.iter_mut().map(Values::finish).collect();
    writer.write(&RecordBatch::try_new(Arc::clone(&schema), arrays)?)?;
    to.write_all(&writer.into_inner()?)?;
    Ok(())
}
