//! Which reader reads a meter's file.

use std::io::{Cursor, Read};

use super::draft::Draft;
use super::meter_options::MeterOptions;
use super::{battor, jls, meter_table, pt4};
use crate::limits::MAX_METER_FILE;
use wattle_import::HEAD;

/// Whether a file is a meter's by its first bytes.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let is_text = !head.iter().any(|byte| matches!(byte, 0..=8 | 14..=31));
    is_binary(head)
        || is_text && (head.starts_with(battor::SIGNATURE) || meter_table::looks_like_table(head))
}

fn is_binary(head: &[u8]) -> bool {
    head.starts_with(jls::SIGNATURE) || pt4::looks_like(head)
}

/// Reads one.
///
/// # Errors
/// The expected and the actual content.
pub(crate) fn read(
    mut input: impl Read,
    options: &MeterOptions,
    told: &mut dyn FnMut(u64),
) -> Result<Draft, String> {
    let broken = |error: std::io::Error| format!("cannot be read: {error}");
    let mut head = Vec::new();
    input.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(broken)?;
    if is_binary(&head) {
        let mut all = head;
        input.take(MAX_METER_FILE).read_to_end(&mut all).map_err(broken)?;
        return if all.starts_with(jls::SIGNATURE) { jls::read(&all) } else { pt4::read(&all) };
    }
    let is_battor = head.starts_with(battor::SIGNATURE);
    // A device has no end, and no line.
    let is_wide = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    if !is_battor && !is_wide && head.contains(&0) {
        return Err("expected a table of a meter, found bytes that are no text".to_owned());
    }
    let whole = Cursor::new(head).chain(input);
    if is_battor { battor::read(whole, told) } else { meter_table::read(whole, options, told) }
}
