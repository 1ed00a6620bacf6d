//! The tables at the head of a trace, on their own: what `perf` and simpleperf put into a `perf.data` as its tracing data
//! (`tools/perf/util/trace-event-info.c`). Numbered 0.5 and 0.6 there; the parts are those of version 6.

use super::SIGNATURE;
use super::contents::Contents;
use super::data_sections::{formats, header_info, long_text, short_text, systems};
use wattle_wire::{ByteCursor, ByteOrder};

/// Reads the tables. Returns their contents, and true if they were complete.
pub fn descriptions(bytes: &[u8]) -> (Contents, bool) {
    let mut contents = Contents::default();
    let mut cursor = ByteCursor::new(bytes, SIGNATURE.len(), ByteOrder::default());
    let is_whole = bytes.starts_with(SIGNATURE) && read(&mut cursor, &mut contents).is_some();
    (contents, is_whole)
}

fn read(cursor: &mut ByteCursor<'_>, contents: &mut Contents) -> Option<()> {
    let version = cursor.text()?;
    contents.order = ByteOrder { is_big: *cursor.take(1)?.first()? == 1 };
    cursor.order = contents.order;
    cursor.take(1)?;
    contents.page_size = cursor.count()?;
    header_info(cursor, contents)?;
    formats(cursor, contents)?;
    systems(cursor, contents)?;
    // Addresses of functions.
    short_text(cursor)?;
    contents.read_constants(short_text(cursor)?);
    if version != b"0.5" {
        contents.read_comms(long_text(cursor)?);
    }
    Some(())
}
