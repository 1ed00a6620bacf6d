//! Records of one length (versions 1 to 3), alone or streamed with what they are about.
//!
//! ```text
//! record     thread u1|u2, method and action u4, time u4 [, wall time u4]     microseconds since the start
//! streamed   thread 0 instead: kOpNewMethod 1 (u2 length, text), kOpNewThread 2 (u2 thread, u2 length, name),
//!            kOpTraceSummary 3 (u4 length, text)
//! ```
//! If two clocks were read, the first is the thread's.

use std::io::Read;

use super::byte_source::{ByteSource, number, number_at};
use super::method_sink::{EventTime, MethodEvent, MethodSink};
use super::trace_action::TraceAction;
use super::trace_keys::{SIGNATURE, TraceKeys, method_number};
use crate::limits::MAX_METHOD_SUMMARY;

/// Bytes of records that are looked at together.
const BLOCK: usize = 64 << 10;

/// Shape of the records.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub size: usize,
    pub thread: usize,
}

/// Outcome of reading the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordsEnd {
    /// There was nothing more.
    Whole,
    /// In the middle of a record.
    Cut,
    /// With a byte that says nothing here.
    Unknown(u8),
}

/// Reads records until the stream ends, or another trace begins.
pub(super) fn read<R: Read>(
    source: &mut ByteSource<R>,
    shape: Shape,
    sink: &mut impl MethodSink,
) -> RecordsEnd {
    loop {
        let ahead = source.ahead(BLOCK);
        if ahead.len() < shape.size {
            return if ahead.is_empty() { RecordsEnd::Whole } else { RecordsEnd::Cut };
        }
        let taken = ahead.len() - ahead.len() % shape.size;
        let records = ahead.get(..taken).unwrap_or_default().chunks_exact(shape.size);
        let records = records.take_while(|bytes| !bytes.starts_with(SIGNATURE));
        let read = records.map(|bytes| record(bytes, shape, sink)).count() * shape.size;
        source.skip(read);
        sink.progress(source.offset());
        if read < taken {
            // Another trace begins here.
            return RecordsEnd::Whole;
        }
    }
}

/// Reads records and what stands among them until the summary, or the stream ends.
pub(super) fn read_streamed<R: Read>(
    source: &mut ByteSource<R>,
    shape: Shape,
    keys: &mut TraceKeys,
    sink: &mut impl MethodSink,
) -> RecordsEnd {
    loop {
        let ahead = source.ahead(BLOCK);
        let mut taken = 0;
        for bytes in ahead.chunks_exact(shape.size) {
            if number(bytes.get(..shape.thread).unwrap_or_default()) == 0 {
                break;
            }
            record(bytes, shape, sink);
            taken += shape.size;
        }
        source.skip(taken);
        sink.progress(source.offset());
        let ahead = source.ahead(shape.size.max(3));
        let Some(thread) = number_at(ahead, 0, shape.thread) else {
            return if ahead.is_empty() { RecordsEnd::Whole } else { RecordsEnd::Cut };
        };
        if thread != 0 {
            if ahead.len() < shape.size {
                return RecordsEnd::Cut;
            }
            continue;
        }
        let Some(code) = ahead.get(shape.thread).copied() else { return RecordsEnd::Cut };
        match special(source, shape.thread + 1, code, keys, sink) {
            Some(true) => {}
            Some(false) => return RecordsEnd::Whole,
            None if (1..=3).contains(&code) => return RecordsEnd::Cut,
            None => return RecordsEnd::Unknown(code),
        }
    }
}

#[inline]
fn record(bytes: &[u8], shape: Shape, sink: &mut impl MethodSink) {
    let word = |at: usize| {
        let bytes = bytes.get(at..at + 4).and_then(|it| it.try_into().ok());
        u32::from_le_bytes(bytes.unwrap_or_default())
    };
    let thread = match (shape.thread, bytes) {
        (1, [thread, ..]) => u32::from(*thread),
        (_, [low, high, ..]) => u32::from(u16::from_le_bytes([*low, *high])),
        _ => 0,
    };
    // Threads are numbered from 1: what is left of a file that was never written to its end is zeros.
    if thread == 0 {
        sink.senseless_record();
        return;
    }
    let at = shape.thread;
    let (time, cpu) = if shape.size >= at + 12 {
        (word(at + 8), Some(word(at + 4)))
    } else {
        (word(at + 4), None)
    };
    let number = u64::from(word(at));
    sink.event(MethodEvent {
        thread,
        method: number & !TraceAction::MASK,
        action: TraceAction::from_word(number),
        time: EventTime::Micros { time, cpu },
    });
}

/// Takes a method, a thread or the summary; the latter is the last: `false`. `None` where it is cut off or not known.
fn special<R: Read>(
    source: &mut ByteSource<R>,
    at: usize,
    code: u8,
    keys: &mut TraceKeys,
    sink: &mut impl MethodSink,
) -> Option<bool> {
    let (lengths, length_at) = match code {
        1 => (2, at),
        2 => (2, at + 2),
        3 => (4, at),
        _ => return None,
    };
    let text_at = length_at + lengths;
    let length = number_at(source.ahead(text_at), length_at, lengths)? as usize;
    let length = length.min(MAX_METHOD_SUMMARY);
    let bytes = source.ahead(text_at + length);
    // Of a summary that is cut off its beginning counts.
    let text = bytes.get(text_at..bytes.len().min(text_at + length))?;
    let is_cut = text.len() < length;
    match code {
        1 if !is_cut => {
            let tab = text.iter().position(|byte| *byte == b'\t').unwrap_or(text.len());
            let line = text.get(tab + 1..).unwrap_or_default();
            match text.get(..tab).and_then(method_number) {
                Some(id) => sink.method(id, line.strip_suffix(b"\n").unwrap_or(line)),
                None => keys.malformed += 1,
            }
        }
        2 if !is_cut => keys.thread(number_at(bytes, at, 2)? as u32, text),
        3 => keys.summary(text, sink),
        _ => {}
    }
    source.skip(text_at + length);
    if is_cut { None } else { Some(code != 3) }
}
