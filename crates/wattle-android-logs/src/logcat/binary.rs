//! `logcat -B`: the records of `logd` as they are (`struct logger_entry`, `log/log_read.h`, versions 1 to 4), little-endian: length of
//! the text, length of the header, pid, tid, seconds, nanoseconds, then by version the uid, or the log's number, or both. The
//! text is a priority, a tag and a message, both ended by a zero; event logs have no text.

use std::io::Read;

use wattle_wire::ByteOrder;

use super::log_entry::{LogClock, LogEntry, LogTime};
use super::text_log::{Each, Tally};
use wattle_import::text::SECOND;

/// `LOGGER_ENTRY_MAX_LEN`.
const LONGEST: usize = 5 * 1024;
/// Version 1 has no length of its header: the field is padding.
const HEADER_1: usize = 20;
const HEADER_4: usize = 28;
/// Logs whose records are no text: events, statistics, security.
const EVENT_LOGS: [u32; 3] = [2, 5, 6];
/// Log numbers are lower than this; the field of a 24-byte header is a uid if it is not.
const LOGS: u32 = 8;

/// A record's header.
#[derive(Clone, Copy, Debug)]
struct Header {
    text: usize,
    /// Bytes of the header.
    size: usize,
    pid: u32,
    tid: u32,
    seconds: u32,
    nanos: u32,
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    ByteOrder::LITTLE.word(bytes, at)
}

impl Header {
    /// From the first 20 bytes of a record; `None` if it can be none.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let half = |at: usize| ByteOrder::LITTLE.half(bytes, at);
        let (text, header) = (usize::from(half(0)?), usize::from(half(2)?));
        let header = if header == 0 { HEADER_1 } else { header };
        let (pid, tid) = (word(bytes, 4)?, word(bytes, 8)?);
        let (seconds, nanos) = (word(bytes, 12)?, word(bytes, 16)?);
        let is_record = matches!(header, HEADER_1 | 24 | HEADER_4)
            && (1..=LONGEST).contains(&text)
            && pid <= 1 << 22
            && tid <= 1 << 22
            && i64::from(nanos) < SECOND;
        is_record.then_some(Self { text, size: header, pid, tid, seconds, nanos })
    }
}

/// Whether a file begins with a record whose text is a line.
pub(crate) fn looks_binary(head: &[u8]) -> bool {
    let Some(header) = Header::parse(head) else { return false };
    let text = head.get(header.size..).unwrap_or_default();
    let text = text.get(..header.text).unwrap_or(text);
    matches!(text, [2..=7, rest @ ..] if rest.iter().take(64).all(|b| matches!(b, 0 | b'\t' | 0x20..=0x7e)))
        && memchr::memchr(0, text).is_some()
}

/// Reads as many bytes as there are.
fn fill(input: &mut impl Read, into: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = into.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Reads a binary log to its end, or to the first bytes that are no record.
pub(crate) fn read(mut input: impl Read, tally: &mut Tally, each: Each<'_>) {
    tally.format("binary");
    let mut record = [0; HEADER_4 + LONGEST];
    loop {
        let mut take = |from: usize, to: usize, tally: &mut Tally| {
            let room = record.get_mut(from..to).unwrap_or_default();
            let wanted = room.len();
            match fill(&mut input, room) {
                Ok(filled) => {
                    tally.summary.bytes += filled as u64;
                    (filled == wanted, from + filled)
                }
                Err(error) => {
                    tally.summary.failure = Some(error.to_string());
                    (false, 0)
                }
            }
        };
        let (is_whole, filled) = take(0, HEADER_1, tally);
        if !is_whole {
            tally.summary.is_truncated |= filled > 0;
            return;
        }
        let Some(header) = Header::parse(&record) else {
            tally.summary.unparsed += 1;
            let offset = tally.summary.bytes.saturating_sub(HEADER_1 as u64);
            tally.summary.first_unparsed.get_or_insert(offset);
            return;
        };
        let mut take = |from: usize, to: usize, tally: &mut Tally| {
            let room = record.get_mut(from..to).unwrap_or_default();
            let wanted = room.len();
            let filled = fill(&mut input, room).unwrap_or(0);
            tally.summary.bytes += filled as u64;
            filled == wanted
        };
        if !take(HEADER_1, header.size + header.text, tally) {
            tally.summary.is_truncated = true;
            return;
        }
        one(&record, header, tally, each);
    }
}

fn one(record: &[u8], header: Header, tally: &mut Tally, each: Each<'_>) {
    let field = word(record, HEADER_1);
    let (log, uid) = match header.size {
        HEADER_4 => (field, word(record, HEADER_1 + 4)),
        HEADER_1 => (None, None),
        _ if field.is_some_and(|field| field < LOGS) => (field, None),
        _ => (None, field),
    };
    let text = record.get(header.size..header.size + header.text).unwrap_or_default();
    let parts = || {
        let (priority, rest) = text.split_first()?;
        let end = memchr::memchr(0, rest)?;
        let (tag, message) = (rest.get(..end)?, rest.get(end + 1..)?);
        let message = message.strip_suffix(b"\0").unwrap_or(message);
        // `android_LogPriority`.
        let priority = *b"??VDIWEFS".get(usize::from(*priority))?;
        Some((priority, tag, message))
    };
    let is_event = log.is_some_and(|log| EVENT_LOGS.contains(&log));
    let Some((priority, tag, message)) = parts().filter(|_| !is_event) else {
        tally.summary.binary_events += 1;
        return;
    };
    let nanos = i64::from(header.seconds) * SECOND + i64::from(header.nanos);
    let time = LogTime { clock: LogClock::Real, nanos, step: 1 };
    let uid = uid.map(|uid| uid.to_string());
    let (pid, tid) = (Some(header.pid), Some(header.tid));
    tally.time(Some(time));
    let number = tally.summary.entries + tally.summary.binary_events + 1;
    tally.entry(priority);
    for line in message.split(|byte| *byte == b'\n') {
        tally.chatty(Some(tag), line);
        let uid = uid.as_deref().map(str::as_bytes);
        let tag = Some(tag);
        each(&LogEntry {
            time: Some(time),
            uid,
            pid,
            tid,
            priority,
            tag,
            message: line,
            line: number,
        });
    }
}
