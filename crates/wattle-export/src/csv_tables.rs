//! Tables as comma-separated values (RFC 4180): names of columns in the first line, nothing where there is no data. Numbers are
//! written with as many digits as give them back to the bit.

use std::borrow::Cow;
use std::io::Write;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::format_entry::{FormatEntry, FormatWriter, Times};
use crate::{Cell, ExportError, Extract, TableKind};

/// Its entry in the registry.
pub(crate) const FORMAT: FormatEntry = FormatEntry {
    name: "csv",
    endings: &[".csv", ".csv.zip", ".zip"],
    endings_note: Some(".csv, all tables: .zip or a folder"),
    description: "",
    content_type: "text/csv",
    is_binary: false,
    times: Times::Data,
    unit: None,
    write: FormatWriter::Tables { one: write, all: Some(write_archive) },
};

/// Writes one table.
pub fn write(
    extract: &Extract<'_>,
    table: TableKind,
    to: &mut dyn Write,
) -> Result<(), ExportError> {
    let mut lines = csv::Writer::from_writer(to);
    lines.write_record(table.columns().iter().map(|column| column.name))?;
    let mut number = String::new();
    table.rows(extract, &mut |row| {
        for cell in row {
            match cell {
                Cell::Nothing => lines.write_field("")?,
                Cell::Text(text) => lines.write_field(harmless(text).as_ref())?,
                Cell::Integer(value) => lines.write_field(plain(&mut number, value))?,
                Cell::Float(value) => lines.write_field(plain(&mut number, value))?,
            }
        }
        lines.write_record(None::<&[u8]>)?;
        Ok(())
    })?;
    lines.flush()?;
    Ok(())
}

/// A text that spreadsheets would take for a formula begins with an apostrophe: names come from whoever wrote the app or the trace.
fn harmless(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// A number's text, in a buffer that is used again.
fn plain<'a>(buffer: &'a mut String, value: &impl ToString) -> &'a str {
    buffer.clear();
    buffer.push_str(&value.to_string());
    buffer
}

/// Writes all tables as a ZIP archive, a file each.
pub fn write_archive(extract: &Extract<'_>, to: &mut dyn Write) -> Result<(), ExportError> {
    let mut archive = ZipWriter::new_stream(to);
    for table in TableKind::ALL {
        let options = SimpleFileOptions::default().large_file(true);
        archive.start_file(format!("{table}.csv"), options)?;
        write(extract, table, &mut archive)?;
    }
    archive.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_formula() {
        let check = |text: &str, expected: &str| assert_eq!(harmless(text), expected);
        check("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0");
        check("+1+1", "'+1+1");
        check("-2+3", "'-2+3");
        check("@SUM(1)", "'@SUM(1)");
        check("\t=1", "'\t=1");
        check("com.example", "com.example");
        check("", "");
    }
}
