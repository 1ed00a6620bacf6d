//! One call for all formats.

use std::io::Write;

use crate::format_entry::FormatWriter;
use crate::{EnergyUnit, ExportError, Extract, Format, TableKind};

/// Options of an export.
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
    match (format.entry().write, options.table) {
        (FormatWriter::Whole(write), _) => write(extract, options, to),
        (FormatWriter::Tables { one, .. }, Some(table)) => one(extract, table, to),
        (FormatWriter::Tables { all: Some(all), .. }, None) => all(extract, to),
        (FormatWriter::Tables { all: None, .. }, None) => Err(ExportError::NoTable { format }),
    }
}
