//! One call for all formats.

use std::io::Write;

use crate::{
    EnergyUnit, ExportError, Extract, Format, TableKind, chrome, csv_tables, firefox, folded, json,
    parquet_tables, perfetto, pprof, speedscope,
};

/// What can be chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExportOptions {
    /// The unit of formats that count in whole numbers. Default is microjoules for collapsed stacks, nanojoules for others.
    pub unit: Option<EnergyUnit>,
    /// Whether names of collapsed stacks are marked by their kind. Default is `false`.
    pub annotate: bool,
    /// Which table, of formats that are tables. Default is all of them, as an archive, which only CSV can be.
    pub table: Option<TableKind>,
}

/// Writes a ledger as a format.
pub fn write(
    extract: &Extract<'_>,
    format: Format,
    options: ExportOptions,
    to: &mut dyn Write,
) -> Result<(), ExportError> {
    let unit = options.unit.unwrap_or(EnergyUnit::Nanojoules);
    match format {
        Format::Pprof => pprof::write(extract, unit, to),
        Format::Firefox => firefox::write(extract, unit, to),
        Format::Speedscope => speedscope::write(extract, unit, to),
        Format::Folded => {
            let unit = options.unit.unwrap_or(EnergyUnit::Microjoules);
            folded::write(extract, unit, options.annotate, to)
        }
        Format::Perfetto => perfetto::write(extract, unit, to),
        Format::Chrome => chrome::write(extract, unit, to),
        Format::Json => json::write(extract, to),
        Format::Csv | Format::Parquet => match options.table {
            Some(table) => write_table(extract, format, table, to),
            None if format == Format::Csv => csv_tables::write_archive(extract, to),
            None => Err(ExportError::NoTable { format }),
        },
    }
}

/// Writes one table of a format that is tables.
pub fn write_table(
    extract: &Extract<'_>,
    format: Format,
    table: TableKind,
    to: &mut dyn Write,
) -> Result<(), ExportError> {
    match format {
        Format::Parquet => parquet_tables::write(extract, table, to),
        _ => csv_tables::write(extract, table, to),
    }
}
