//! Packets (versions 4 and 5, `Trace::kFormatV2`).
//!
//! ```text
//! 0   kThreadInfoHeaderV2   u4 thread, u2 length, name
//! 1   kMethodInfoHeaderV2   u8 method, u2 length, class, name, descriptor, file with tabulators between
//! 2   kEntryHeaderV2        u4 thread, u3 records, u4 bytes; each record: method and action sleb128, wall time uleb128,
//!                           thread's time uleb128 (version 5), each as the difference to the record before, nanoseconds
//! 3   kSummaryHeaderV2      u2 length, text
//! ```
//! A block that did not fit the runtime's buffer continues its differences in the next one of the thread; the number of
//! records is then that of both. Before Android 15 was released, the same versions were written with methods of four
//! bytes, a first record in the head of each block, and microseconds.

use std::io::Read;

use super::byte_source::{ByteSource, number_at};
use super::fixed_records::RecordsEnd;
use super::leb128::{signed, unsigned};
use super::method_sink::{EventTime, MethodEvent, MethodSink};
use super::trace_action::TraceAction;
use super::trace_clock::LATEST;
use super::trace_keys::TraceKeys;
use crate::limits::MAX_METHOD_BLOCK;

const MICRO: i64 = 1000;

/// Width of methods' numbers, and unit of their times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// Eight bytes, nanoseconds.
    Eight,
    /// Four bytes, microseconds.
    Four,
}

/// State from which a block's differences continue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Running {
    word: u64,
    wall: u64,
    cpu: u64,
}

impl Running {
    fn event(self, thread: u32, unit: i64) -> MethodEvent {
        let nanos =
            |count: u64| i64::try_from(count).unwrap_or(LATEST).saturating_mul(unit).min(LATEST);
        let time = EventTime::Nanos { time: nanos(self.wall), cpu: nanos(self.cpu) };
        MethodEvent {
            thread,
            method: self.word & !TraceAction::MASK,
            action: TraceAction::from_word(self.word),
            time,
        }
    }
}

/// The last block: its thread, how many records it counted, and where its differences ended.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    thread: u32,
    counted: u64,
    running: Running,
}

/// Reads packets until the summary, or the stream ends.
pub(super) fn read<R: Read>(
    source: &mut ByteSource<R>,
    is_dual: bool,
    keys: &mut TraceKeys,
    sink: &mut impl MethodSink,
) -> RecordsEnd {
    let mut width = None;
    let mut before = Before::default();
    loop {
        let Some(code) = source.ahead(1).first().copied() else { return RecordsEnd::Whole };
        let taken = match code {
            0 => thread(source, keys),
            1 => {
                let known = width.unwrap_or_else(|| width_of(source));
                width = Some(known);
                method(source, known, sink)
            }
            2 => match width.unwrap_or(Width::Eight) {
                Width::Eight => block(source, is_dual, &mut before, sink),
                Width::Four => narrow_block(source, is_dual, sink),
            },
            3 => {
                let taken = summary(source, keys, sink);
                if let Some(taken) = taken {
                    source.skip(taken);
                    return RecordsEnd::Whole;
                }
                taken
            }
            code => return RecordsEnd::Unknown(code),
        };
        let Some(taken) = taken else { return RecordsEnd::Cut };
        source.skip(taken);
        sink.progress(source.offset());
    }
}

fn thread<R: Read>(source: &mut ByteSource<R>, keys: &mut TraceKeys) -> Option<usize> {
    let length = number_at(source.ahead(7), 5, 2)? as usize;
    let bytes = source.ahead(7 + length);
    keys.thread(number_at(bytes, 1, 4)? as u32, bytes.get(7..7 + length)?);
    Some(7 + length)
}

/// By the first method: its line ends where its length says.
fn width_of<R: Read>(source: &mut ByteSource<R>) -> Width {
    let bytes = source.ahead(7 + (1 << 16));
    let ends = |at: usize| {
        let length = number_at(bytes, at, 2)? as usize;
        bytes.get((at + 2 + length).checked_sub(1)?).filter(|byte| **byte == b'\n')
    };
    if ends(9).is_none() && ends(5).is_some() { Width::Four } else { Width::Eight }
}

fn method<R: Read>(
    source: &mut ByteSource<R>,
    width: Width,
    sink: &mut impl MethodSink,
) -> Option<usize> {
    let bytes = if width == Width::Eight { 8 } else { 4 };
    let at = 1 + bytes;
    let length = number_at(source.ahead(at + 2), at, 2)? as usize;
    let all = source.ahead(at + 2 + length);
    let id = number_at(all, 1, bytes)?;
    let id = if width == Width::Eight { id } else { id << 2 };
    let line = all.get(at + 2..at + 2 + length)?;
    sink.method(id, line.strip_suffix(b"\n").unwrap_or(line));
    Some(at + 2 + length)
}

fn summary<R: Read>(
    source: &mut ByteSource<R>,
    keys: &mut TraceKeys,
    sink: &mut impl MethodSink,
) -> Option<usize> {
    let length = number_at(source.ahead(3), 1, 2)? as usize;
    let bytes = source.ahead(3 + length);
    let text = bytes.get(3..bytes.len().min(3 + length))?;
    keys.summary(text, sink);
    (text.len() == length).then_some(3 + length)
}

/// Of a block that is cut off the records that are there are read.
fn block<R: Read>(
    source: &mut ByteSource<R>,
    is_dual: bool,
    before: &mut Before,
    sink: &mut impl MethodSink,
) -> Option<usize> {
    const HEADER: usize = 12;
    let header = source.ahead(HEADER);
    let thread = number_at(header, 1, 4)? as u32;
    let counted = number_at(header, 5, 3)?;
    let size = number_at(header, 8, 4)? as usize;
    let kept = size.min(MAX_METHOD_BLOCK);
    let bytes = source.ahead(HEADER + kept);
    let whole = bytes.len() >= HEADER + size;
    let mut rest = bytes.get(HEADER..bytes.len().min(HEADER + kept))?;
    let numbers = rest.iter().filter(|byte| **byte & 0x80 == 0).count() as u64;
    let records = numbers / if is_dual { 3 } else { 2 };
    let goes_on =
        before.thread == thread && before.counted > 0 && counted == before.counted + records;
    let mut running = if goes_on { before.running } else { Running::default() };
    for _ in 0..records {
        let Some(word) = signed(&mut rest) else { break };
        running.word = running.word.wrapping_add_signed(word);
        let Some(wall) = unsigned(&mut rest) else { break };
        running.wall = running.wall.wrapping_add(wall);
        if is_dual {
            let Some(cpu) = unsigned(&mut rest) else { break };
            running.cpu = running.cpu.wrapping_add(cpu);
        }
        sink.event(running.event(thread, 1));
    }
    *before = Before { thread, counted, running };
    whole.then_some(HEADER + size)
}

/// The first record stands in the head; methods are differences to that one, times to the record before.
fn narrow_block<R: Read>(
    source: &mut ByteSource<R>,
    is_dual: bool,
    sink: &mut impl MethodSink,
) -> Option<usize> {
    let header = if is_dual { 21 } else { 17 };
    let head = source.ahead(header);
    let thread = number_at(head, 1, 4)? as u32;
    let first = number_at(head, 5, 4)?;
    let (cpu, wall) = if is_dual {
        (number_at(head, 9, 4)?, number_at(head, 13, 4)?)
    } else {
        (0, number_at(head, 9, 4)?)
    };
    let more = number_at(head, header - 4, 2)?;
    let size = number_at(head, header - 2, 2)? as usize;
    let bytes = source.ahead(header + size);
    let whole = bytes.len() >= header + size;
    let mut rest = bytes.get(header..bytes.len().min(header + size))?;
    let mut running = Running { word: first, wall, cpu };
    sink.event(running.event(thread, MICRO));
    for _ in 0..more {
        let Some(word) = signed(&mut rest) else { break };
        running.word = first.wrapping_add_signed(word);
        let Some(wall) = unsigned(&mut rest) else { break };
        running.wall = running.wall.wrapping_add(wall);
        if is_dual {
            let Some(cpu) = unsigned(&mut rest) else { break };
            running.cpu = running.cpu.wrapping_add(cpu);
        }
        sink.event(running.event(thread, MICRO));
    }
    whole.then_some(header + size)
}
