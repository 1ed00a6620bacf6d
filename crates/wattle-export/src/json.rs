//! The ledger itself, as text: `wattle-ledger/1`, which `wattle report` reads again and `docs/ledger-format.md` describes.

use std::io::Write;

use crate::{ExportError, Extract};

/// Writes it. A part of a ledger does not close and is refused.
pub fn write(extract: &Extract<'_>, to: &mut dyn Write) -> Result<(), ExportError> {
    if extract.is_part() {
        return Err(ExportError::PartOfLedger);
    }
    serde_json::to_writer(&mut *to, extract.ledger())?;
    to.write_all(b"\n")?;
    Ok(())
}
