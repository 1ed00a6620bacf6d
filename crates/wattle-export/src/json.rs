//! The ledger itself, as text: `wattle-ledger/1`, which `wattle report` reads again and `docs/ledger-format.md` describes.

use std::io::Write;

use crate::format_entry::{FormatEntry, FormatWriter, Times};
use crate::{ExportError, Extract};

/// Its entry in the registry.
pub(crate) const FORMAT: FormatEntry = FormatEntry {
    name: "json",
    endings: &[".ledger.json", ".json"],
    endings_note: None,
    description: "wattle, jq: the ledger itself",
    content_type: "application/json",
    is_binary: false,
    times: Times::Data,
    unit: None,
    write: FormatWriter::Whole(|extract, _, to| write(extract, to)),
};

/// Writes it. A part of a ledger does not close and is refused.
pub fn write(extract: &Extract<'_>, to: &mut dyn Write) -> Result<(), ExportError> {
    if extract.is_part() {
        return Err(ExportError::PartOfLedger);
    }
    serde_json::to_writer(&mut *to, extract.ledger())?;
    to.write_all(b"\n")?;
    Ok(())
}
