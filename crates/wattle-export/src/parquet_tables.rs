//! Tables as Apache Parquet, compressed with Snappy. Each column's unit and description are metadata of its Arrow field, the
//! export's remarks metadata of the file.
//!
//! The columns are written by Parquet's own writer. Arrow's crates would do it, too, and cost four times as much to build as the
//! writer alone.

use std::collections::hash_map::Entry;
use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use rustc_hash::FxHashMap;

use crate::arrow_schema::{ARROW_SCHEMA_KEY, encoded_arrow_schema};
use crate::format_entry::{FormatEntry, FormatWriter, Times};
use crate::{Cell, Column, ColumnType, ExportError, Extract, TableKind, remarks};

/// Rows that are gathered before they are written as one group.
const ROWS: usize = 1 << 18;

/// A column that is being filled: the values that are there, and for each row whether one is (its *definition level*).
struct Values {
    levels: Vec<i16>,
    kind: Kind,
}

enum Kind {
    /// Names repeat from row to row, so each text is held once.
    Text(Vec<ByteArray>, FxHashMap<String, ByteArray>),
    Integer(Vec<i64>),
    Float(Vec<f64>),
}

impl Values {
    fn new(kind: ColumnType) -> Self {
        let kind = match kind {
            ColumnType::Text => Kind::Text(Vec::new(), FxHashMap::default()),
            ColumnType::Integer => Kind::Integer(Vec::new()),
            ColumnType::Float => Kind::Float(Vec::new()),
        };
        Self { levels: Vec::new(), kind }
    }

    /// A cell that is not of the column's type counts as none.
    fn push(&mut self, cell: Cell<'_>) {
        let is_defined = match (&mut self.kind, cell) {
            (Kind::Text(values, known), Cell::Text(text)) => {
                let value = match known.entry(text.to_owned()) {
                    Entry::Occupied(entry) => entry.get().clone(),
                    Entry::Vacant(entry) => entry.insert(ByteArray::from(text)).clone(),
                };
                values.push(value);
                true
            }
            (Kind::Integer(values), Cell::Integer(value)) => {
                values.push(value);
                true
            }
            (Kind::Float(values), Cell::Float(value)) => {
                values.push(value);
                true
            }
            _ => false,
        };
        self.levels.push(i16::from(is_defined));
    }

    /// Writes the column of one group of rows and is empty afterwards.
    fn write(&mut self, column: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = Some(self.levels.as_slice());
        match &mut self.kind {
            Kind::Text(values, _) => {
                column.typed::<ByteArrayType>().write_batch(values, levels, None)?;
                values.clear();
            }
            Kind::Integer(values) => {
                column.typed::<Int64Type>().write_batch(values, levels, None)?;
                values.clear();
            }
            Kind::Float(values) => {
                column.typed::<DoubleType>().write_batch(values, levels, None)?;
                values.clear();
            }
        }
        self.levels.clear();
        Ok(())
    }
}

/// The table as Parquet sees it: a group of columns in which any value may be missing.
fn schema(columns: &[Column]) -> Result<Type, ParquetError> {
    let field = |column: &Column| {
        let (physical, logical) = match column.kind {
            ColumnType::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnType::Integer => (Physical::INT64, None),
            ColumnType::Float => (Physical::DOUBLE, None),
        };
        Type::primitive_type_builder(column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("arrow_schema").with_fields(fields).build()
}

/// Its entry in the registry.
pub(crate) const FORMAT: FormatEntry = FormatEntry {
    name: "parquet",
    endings: &[".parquet"],
    endings_note: Some(".parquet, all tables: a folder"),
    description: "",
    content_type: "application/vnd.apache.parquet",
    is_binary: true,
    times: Times::Data,
    unit: None,
    write: FormatWriter::Tables { one: write, all: None },
};

/// Writes one table.
pub fn write(
    extract: &Extract<'_>,
    table: TableKind,
    to: &mut dyn Write,
) -> Result<(), ExportError> {
    let columns = table.columns();
    let facts = vec![
        KeyValue::new("wattle.table".to_owned(), table.name().to_owned()),
        KeyValue::new("wattle.remarks".to_owned(), remarks::remarks(extract).join("\n")),
        KeyValue::new(ARROW_SCHEMA_KEY.to_owned(), encoded_arrow_schema(&columns)),
    ];
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("wattle {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(facts))
        .build();
    // The writer wants a place that may go to another thread; the file is compressed columns, a fraction of the ledger.
    let schema = Arc::new(schema(&columns)?);
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut values: Vec<Values> = columns.iter().map(|column| Values::new(column.kind)).collect();
    let mut rows = 0;
    table.rows(extract, &mut |row| {
        for (values, cell) in values.iter_mut().zip(row) {
            values.push(*cell);
        }
        rows += 1;
        if rows == ROWS {
            rows = 0;
            write_group(&mut writer, &mut values)?;
        }
        Ok(())
    })?;
    if rows > 0 {
        write_group(&mut writer, &mut values)?;
    }
    to.write_all(&writer.into_inner()?)?;
    Ok(())
}

fn write_group(
    writer: &mut SerializedFileWriter<Vec<u8>>,
    values: &mut [Values],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for values in values {
        if let Some(mut column) = group.next_column()? {
            values.write(&mut column)?;
            column.close()?;
        }
    }
    group.close().map(drop)
}
