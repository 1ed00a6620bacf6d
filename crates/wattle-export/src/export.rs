//! One call for all formats.

use std::io::Write;

use crate::format_entry::FormatWriter;
use crate::{ExportError, ExportOptions, Extract, Format, TableKind};

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
        (FormatWriter::Tables { all: None, .. }, None) => {
            Err(ExportError::NoTable { format: format.name(), tables: TableKind::names() })
        }
    }
}
