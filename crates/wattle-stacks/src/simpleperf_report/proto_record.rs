//! One record in protobuf (`cmd_report_sample.proto`).

use wattle_timeline::TimelineBuilder;
use wattle_wire::{Fields, WireError};

use super::report_draft::{Draft, DraftSample, Entry, Execution, File, ThreadName};
use crate::limits::MAX_REPORT_SAMPLES;

/// `Record`.
mod record {
    pub const SAMPLE: u32 = 1;
    pub const LOST: u32 = 2;
    pub const FILE: u32 = 3;
    pub const THREAD: u32 = 4;
    pub const META_INFO: u32 = 5;
    pub const CONTEXT_SWITCH: u32 = 6;
}

/// Counts of what was read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub records: u64,
    pub samples: u64,
    pub unwind_errors: u64,
    /// Samples that the kernel lost.
    pub lost: u64,
    /// Samples that the recorder says it wrote.
    pub said: Option<u64>,
    /// Records of a kind that is not known.
    pub unknown: u64,
    /// For which there was no room.
    pub refused: u64,
}

/// Reads a record into the draft.
pub(super) fn record(
    bytes: &[u8],
    draft: &mut Draft,
    counts: &mut Counts,
    stack: &mut Vec<Entry>,
    builder: &mut TimelineBuilder,
) -> Result<(), WireError> {
    counts.records += 1;
    for field in Fields::new(bytes) {
        let field = field?;
        let inside = field.value.bytes();
        match field.number {
            record::SAMPLE => sample(inside, draft, counts, stack)?,
            record::LOST => {
                for field in Fields::new(inside) {
                    let field = field?;
                    match field.number {
                        1 => counts.said = Some(field.value.uint()),
                        2 => counts.lost = counts.lost.saturating_add(field.value.uint()),
                        _ => {}
                    }
                }
            }
            record::FILE => file(inside, draft, builder)?,
            record::THREAD => thread(inside, draft, builder)?,
            record::META_INFO => {
                for field in Fields::new(inside) {
                    let field = field?;
                    match field.number {
                        1 => draft.events.push(field.value.bytes().to_vec()),
                        6 => draft.is_off_cpu_traced = field.value.bool(),
                        _ => {}
                    }
                }
            }
            record::CONTEXT_SWITCH => context_switch(inside, draft, counts)?,
            _ => counts.unknown += 1,
        }
    }
    Ok(())
}

fn sample(
    bytes: &[u8],
    draft: &mut Draft,
    counts: &mut Counts,
    stack: &mut Vec<Entry>,
) -> Result<(), WireError> {
    let mut sample =
        DraftSample { time: 0, tid: 0, event: 0, weight: 0, node: None, is_truncated: false };
    stack.clear();
    for field in Fields::new(bytes) {
        let field = field?;
        match field.number {
            1 => sample.time = i64::try_from(field.value.uint()).unwrap_or(i64::MAX),
            2 => sample.tid = field.value.uint() as u32,
            3 => stack.push(entry(field.value.bytes())?),
            4 => sample.weight = field.value.uint(),
            5 => sample.event = field.value.uint() as u32,
            // UnwindingResult, whose error_code 0 is none.
            6 => {
                let code = Fields::find(field.value.bytes(), 3).map_or(0, wattle_wire::Value::uint);
                sample.is_truncated = code != 0;
                counts.unwind_errors += u64::from(code != 0);
            }
            _ => {}
        }
    }
    counts.samples += 1;
    if draft.samples.len() >= MAX_REPORT_SAMPLES {
        counts.refused += 1;
        return Ok(());
    }
    for entry in stack.iter().rev() {
        sample.node = Some(draft.node(sample.node, *entry));
    }
    draft.samples.push(sample);
    Ok(())
}

/// `CallChainEntry`.
fn entry(bytes: &[u8]) -> Result<Entry, WireError> {
    let mut entry = Entry { symbol: -1, ..Entry::default() };
    for field in Fields::new(bytes) {
        let field = field?;
        let value = field.value.uint();
        match field.number {
            1 => entry.address = value,
            2 => entry.file = value as u32,
            3 => entry.symbol = value as i32,
            4 => entry.execution = Execution::of_number(value),
            _ => {}
        }
    }
    Ok(entry)
}

/// `File`: names are demangled; the mangled ones beside them say nothing more.
fn file(bytes: &[u8], draft: &mut Draft, builder: &mut TimelineBuilder) -> Result<(), WireError> {
    let (mut id, mut path, mut symbols) = (0, &[][..], Vec::new());
    for field in Fields::new(bytes) {
        let field = field?;
        match field.number {
            1 => id = field.value.uint() as u32,
            2 => path = field.value.bytes(),
            3 => symbols.push(builder.names.intern_bytes(field.value.bytes())),
            _ => {}
        }
    }
    let file = File { symbols, ..File::new(path, builder) };
    draft.files.insert(id, file);
    Ok(())
}

fn thread(bytes: &[u8], draft: &mut Draft, builder: &mut TimelineBuilder) -> Result<(), WireError> {
    let mut thread = ThreadName { tid: 0, pid: None, name: None };
    for field in Fields::new(bytes) {
        let field = field?;
        match field.number {
            1 => thread.tid = field.value.uint() as u32,
            2 => thread.pid = Some(field.value.uint() as u32),
            3 => thread.name = Some(builder.names.intern_bytes(field.value.bytes())),
            _ => {}
        }
    }
    draft.threads.push(thread);
    Ok(())
}

fn context_switch(bytes: &[u8], draft: &mut Draft, counts: &mut Counts) -> Result<(), WireError> {
    let (mut is_on, mut time, mut tid) = (false, 0, 0);
    for field in Fields::new(bytes) {
        let field = field?;
        match field.number {
            1 => is_on = field.value.bool(),
            2 => time = i64::try_from(field.value.uint()).unwrap_or(i64::MAX),
            3 => tid = field.value.uint() as u32,
            _ => {}
        }
    }
    if draft.switches.len() < MAX_REPORT_SAMPLES {
        draft.switches.push((time, tid, is_on));
    } else {
        counts.refused += 1;
    }
    Ok(())
}
