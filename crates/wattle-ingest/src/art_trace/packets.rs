//! Packets (versions 4 and 5, `Trace::kFormatV2`).
//!
//! ```text
//! 0   kThreadInfoHeaderV2   u4 thread, u2 length, name
//! 1   kMethodInfoHeaderV2   u8 method, u2 length, class, name, descriptor, file with tabulators between
//! 2   kEntryHeaderV2        u4 thread, u3 records, u4 bytes; each record: method and action sleb128, wall time uleb128,
//!                           thread's time uleb128 (version 5), each as the difference to the record before, nanoseconds
//! 3   kSummaryHeaderV2      u2 length, text
//! ```
//! Where a block did not fit the runtime's buffer, its differences go on in the next one of the thread; the number of records is then
//! that of both. Before Android 15 was released, the same versions were written with methods of four bytes, a first record in
//! the head of each block, and microseconds.

use std::io::Read;

use super::call_log::CallLog;
use super::clock::LATEST;
use super::keys::Keys;
use super::leb128::{signed, unsigned};
use super::records::Ending;
use super::source::{Source, number_at};
use super::thread_log::Moment;
use crate::limits::MAX_METHOD_BLOCK;

const MICRO: i64 = 1000;

/// How wide methods' numbers are, and what their times count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// Eight bytes, nanoseconds.
    Eight,
    /// Four bytes, microseconds.
    Four,
}

/// What a block's differences go on from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Running {
    word: u64,
    wall: u64,
    cpu: u64,
}

impl Running {
    fn moment(self, unit: i64) -> Moment {
        let nanos =
            |count: u64| i64::try_from(count).unwrap_or(LATEST).saturating_mul(unit).min(LATEST);
        Moment { time: nanos(self.wall), cpu: nanos(self.cpu) }
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
    source: &mut Source<R>,
    is_dual: bool,
    keys: &mut Keys,
    log: &mut CallLog,
    told: &mut dyn FnMut(u64),
) -> Ending {
    let mut width = None;
    let mut before = Before::default();
    loop {
        let Some(code) = source.ahead(1).first().copied() else { return Ending::Whole };
        let taken = match code {
            0 => thread(source, keys),
            1 => {
                let known = width.unwrap_or_else(|| width_of(source));
                width = Some(known);
                method(source, known, log)
            }
            2 => match width.unwrap_or(Width::Eight) {
                Width::Eight => block(source, is_dual, &mut before, log),
                Width::Four => narrow_block(source, is_dual, log),
            },
            3 => {
                let taken = summary(source, keys, log);
                if taken.is_some() {
                    return Ending::Whole;
                }
                taken
            }
            code => return Ending::Unknown(code),
        };
        let Some(taken) = taken else { return Ending::Cut };
        source.skip(taken);
        told(source.offset());
    }
}

fn thread<R: Read>(source: &mut Source<R>, keys: &mut Keys) -> Option<usize> {
    let length = number_at(source.ahead(7), 5, 2)? as usize;
    let bytes = source.ahead(7 + length);
    keys.thread(number_at(bytes, 1, 4)? as u32, bytes.get(7..7 + length)?);
    Some(7 + length)
}

/// By the first method: its line ends where its length says.
fn width_of<R: Read>(source: &mut Source<R>) -> Width {
    let bytes = source.ahead(7 + (1 << 16));
    let ends = |at: usize| {
        let length = number_at(bytes, at, 2)? as usize;
        bytes.get((at + 2 + length).checked_sub(1)?).filter(|byte| **byte == b'\n')
    };
    if ends(9).is_none() && ends(5).is_some() { Width::Four } else { Width::Eight }
}

fn method<R: Read>(source: &mut Source<R>, width: Width, log: &mut CallLog) -> Option<usize> {
    let bytes = if width == Width::Eight { 8 } else { 4 };
    let at = 1 + bytes;
    let length = number_at(source.ahead(at + 2), at, 2)? as usize;
    let all = source.ahead(at + 2 + length);
    let id = number_at(all, 1, bytes)?;
    let id = if width == Width::Eight { id } else { id << 2 };
    let line = all.get(at + 2..at + 2 + length)?;
    log.methods.describe(id, line.strip_suffix(b"\n").unwrap_or(line));
    Some(at + 2 + length)
}

fn summary<R: Read>(source: &mut Source<R>, keys: &mut Keys, log: &mut CallLog) -> Option<usize> {
    let length = number_at(source.ahead(3), 1, 2)? as usize;
    let bytes = source.ahead(3 + length);
    let text = bytes.get(3..bytes.len().min(3 + length))?;
    keys.summary(text, &mut log.methods);
    (text.len() == length).then_some(3 + length)
}

/// Of a block that is cut off the records that are there are read.
fn block<R: Read>(
    source: &mut Source<R>,
    is_dual: bool,
    before: &mut Before,
    log: &mut CallLog,
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
    let index = log.thread(thread);
    for _ in 0..records {
        let Some(word) = signed(&mut rest) else { break };
        running.word = running.word.wrapping_add_signed(word);
        let Some(wall) = unsigned(&mut rest) else { break };
        running.wall = running.wall.wrapping_add(wall);
        if is_dual {
            let Some(cpu) = unsigned(&mut rest) else { break };
            running.cpu = running.cpu.wrapping_add(cpu);
        }
        log.event(index, running.word, running.moment(1));
    }
    *before = Before { thread, counted, running };
    whole.then_some(HEADER + size)
}

/// The first record stands in the head; methods are differences to that one, times to the record before.
fn narrow_block<R: Read>(
    source: &mut Source<R>,
    is_dual: bool,
    log: &mut CallLog,
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
    let index = log.thread(thread);
    log.event(index, running.word, running.moment(MICRO));
    for _ in 0..more {
        let Some(word) = signed(&mut rest) else { break };
        running.word = first.wrapping_add_signed(word);
        let Some(wall) = unsigned(&mut rest) else { break };
        running.wall = running.wall.wrapping_add(wall);
        if is_dual {
            let Some(cpu) = unsigned(&mut rest) else { break };
            running.cpu = running.cpu.wrapping_add(cpu);
        }
        log.event(index, running.word, running.moment(MICRO));
    }
    whole.then_some(header + size)
}
