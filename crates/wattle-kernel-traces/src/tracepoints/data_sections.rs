//! Parts that both versions have, in the same form.

use super::contents::Contents;
use super::event_format::PageLayout;
use wattle_wire::ByteCursor;

/// Descriptions of page and event (`header_page`, `header_event`).
pub(crate) fn header_info(cursor: &mut ByteCursor<'_>, contents: &mut Contents) -> Option<()> {
    cursor.expect(b"header_page\0")?;
    let size = cursor.size()?;
    let text = cursor.take(size)?;
    if size > 0 {
        contents.page = PageLayout::parse(text);
    }
    cursor.expect(b"header_event\0")?;
    let size = cursor.size()?;
    cursor.take(size)?;
    Some(())
}

/// Descriptions of events: of ftrace's own, or of one system.
pub(crate) fn formats(cursor: &mut ByteCursor<'_>, contents: &mut Contents) -> Option<()> {
    let count = cursor.count()?;
    for _ in 0..count {
        let size = cursor.size()?;
        contents.read_format(cursor.take(size)?);
    }
    Some(())
}

/// Descriptions of events by system.
pub(crate) fn systems(cursor: &mut ByteCursor<'_>, contents: &mut Contents) -> Option<()> {
    let count = cursor.count()?;
    for _ in 0..count {
        cursor.text()?;
        formats(cursor, contents)?;
    }
    Some(())
}

/// A text with its size in four bytes.
pub(crate) fn short_text<'a>(cursor: &mut ByteCursor<'a>) -> Option<&'a [u8]> {
    let size = cursor.count()?;
    cursor.take(size)
}

/// A text with its size in eight bytes.
pub(crate) fn long_text<'a>(cursor: &mut ByteCursor<'a>) -> Option<&'a [u8]> {
    let size = cursor.size()?;
    cursor.take(size)
}
