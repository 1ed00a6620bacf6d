//! Features: sections behind the records of a file, or records of a stream (`HEADER_*` of `tools/perf/util/header.h`, `FEAT_*` of
//! simpleperf's `record_file_format.h`).

use super::event_attr::EventAttr;
use wattle_wire::{ByteCursor, ByteOrder};

pub(super) const TRACING_DATA: u32 = 1;
pub(super) const BUILD_ID: u32 = 2;
pub(super) const OSRELEASE: u32 = 4;
pub(super) const ARCH: u32 = 6;
pub(super) const CMDLINE: u32 = 11;
pub(super) const EVENT_DESC: u32 = 12;
pub(super) const CLOCK_DATA: u32 = 29;
pub(super) const FILE: u32 = 128;
pub(super) const META_INFO: u32 = 129;
pub(super) const FILE2: u32 = 132;
pub(super) const INIT_MAP: u32 = 134;

/// Arguments of the command and bytes of a build id that are believed.
const MAX_ARGUMENTS: usize = 4096;

/// One reading of two clocks (`HEADER_CLOCK_DATA`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The clock of the recording (`clockid_t`).
    pub clockid: i32,
    /// The wall clock, nanoseconds.
    pub wall: u64,
    /// The clock of the recording, nanoseconds.
    pub clock: u64,
}

/// An event as the recorder describes it (`HEADER_EVENT_DESC`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EventDescription<'a> {
    pub attr: EventAttr,
    pub name: &'a [u8],
    pub ids: Vec<u64>,
}

/// A mapped file's build id (`struct perf_record_header_build_id`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BuildId<'a> {
    pub file: &'a [u8],
    pub id: &'a [u8],
}

/// Characters up to the first 0.
pub(super) fn text(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// A text with its size before it.
pub(super) fn sized_text<'a>(cursor: &mut ByteCursor<'a>) -> Option<&'a [u8]> {
    let size = cursor.count()?;
    cursor.take(size).map(text)
}

/// The command's words.
pub(super) fn command_line(bytes: &[u8], order: ByteOrder) -> Vec<String> {
    let mut cursor = ByteCursor::new(bytes, 0, order);
    let count = cursor.count().unwrap_or(0).min(MAX_ARGUMENTS);
    let words = (0..count).map_while(|_| sized_text(&mut cursor));
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Descriptions of events, as many as there are whole ones.
pub(super) fn event_descriptions(bytes: &[u8], order: ByteOrder) -> Vec<EventDescription<'_>> {
    let mut cursor = ByteCursor::new(bytes, 0, order);
    let (Some(count), Some(size)) = (cursor.count(), cursor.count()) else { return Vec::new() };
    let mut one = || {
        let attr = EventAttr::parse(cursor.take(size)?, order)?;
        let ids = cursor.count()?;
        let name = sized_text(&mut cursor)?;
        let ids = cursor.take(ids.checked_mul(8)?)?;
        let ids = ids.chunks_exact(8).filter_map(|id| order.long(id, 0)).collect();
        Some(EventDescription { attr, name, ids })
    };
    (0..count).map_while(|_| one()).collect()
}

/// The reading of clocks.
pub(super) fn clock_data(bytes: &[u8], order: ByteOrder) -> Option<ClockReading> {
    let mut cursor = ByteCursor::new(bytes, 0, order);
    cursor.u32()?;
    Some(ClockReading {
        clockid: cursor.u32()?.cast_signed(),
        wall: cursor.u64()?,
        clock: cursor.u64()?,
    })
}

/// One build id: process, 20 bytes (or fewer, with their number behind them), 4 bytes, the path.
pub(super) fn build_id(body: &[u8], misc: u16, order: ByteOrder) -> Option<BuildId<'_>> {
    /// `PERF_RECORD_MISC_BUILD_ID_SIZE`.
    const HAS_SIZE: u16 = 1 << 15;
    let mut cursor = ByteCursor::new(body, 4, order);
    let id = cursor.take(20)?;
    let size = usize::from(*cursor.take(4)?.first()?);
    let size = if misc & HAS_SIZE != 0 { size.min(20) } else { 20 };
    let file = text(body.get(cursor.at..)?);
    Some(BuildId { file, id: id.get(..size)? })
}

/// Bytes in hexadecimal, as build ids are written.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(u32::from(half), 16));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_end_where_their_bytes_do() {
        let order = ByteOrder::default();
        let words = [
            &2_u32.to_le_bytes()[..],
            &4_u32.to_le_bytes(),
            b"perf",
            &8_u32.to_le_bytes(),
            b"rec\0\0\0\0\0",
        ];
        let bytes = words.concat();
        assert_eq!(command_line(&bytes, order), ["perf", "rec"]);
        assert_eq!(command_line(&bytes[..14], order), ["perf"]);
        assert_eq!(event_descriptions(&u32::MAX.to_le_bytes().repeat(40), order), []);
        assert_eq!(clock_data(&[1; 20], order), None);
        let body = [&[0; 4][..], &[0xab; 20], &[16, 0, 0, 0], b"/lib/x.so\0\0"].concat();
        let short = build_id(&body, 1 << 15, order).expect("a build id");
        assert_eq!((short.file, hexadecimal(short.id)), (&b"/lib/x.so"[..], "ab".repeat(16)));
        assert_eq!(build_id(&body, 0, order).map(|it| it.id.len()), Some(20));
    }
}
