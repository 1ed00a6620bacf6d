//! The tables at the head of a trace, on their own: what `perf` and simpleperf put into a `perf.data` as its tracing data
//! (`tools/perf/util/trace-event-info.c`). Numbered 0.5 and 0.6 there; the parts are those of version 6.

use super::bytes::{Cursor, Order};
use super::contents::Contents;
use super::read::SIGNATURE;
use super::sections::{formats, header_info, long_text, short_text, systems};

/// What the tables say, and whether they were there as a whole.
pub(crate) fn descriptions(bytes: &[u8]) -> (Contents, bool) {
    let mut contents = Contents::default();
    let mut cursor = Cursor::new(bytes, SIGNATURE.len(), Order::default());
    let is_whole = bytes.starts_with(SIGNATURE) && read(&mut cursor, &mut contents).is_some();
    (contents, is_whole)
}

fn read(cursor: &mut Cursor<'_>, contents: &mut Contents) -> Option<()> {
    let version = cursor.text()?;
    contents.order = Order { is_big: *cursor.take(1)?.first()? == 1 };
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
