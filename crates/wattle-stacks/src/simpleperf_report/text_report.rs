//! A report as text: blocks of `key: value`, set off by two blanks a level.

use std::io::Read;

use rustc_hash::FxHashMap;
use wattle_timeline::{
    ArtifactQuality, CallSite, EventId, Frame, FrameAddress, FrameKind, NameId, Severity,
    TimelineBuilder,
};

use super::report_draft::{Execution, File};
use super::switches::Switches;
use crate::samples::{Sample, SampleClock, SampleSink};
use wattle_import::Notes;
use wattle_import::text::Lines;
use wattle_import::text::{hexadecimal, number};

/// Bytes of a line that are kept.
const LONGEST: usize = 1 << 16;

/// Interval of progress reports, in lines.
const PROGRESS_STEP: u64 = 1 << 14;

/// Frames of one stack that are kept; simpleperf unwinds at most 512.
const MAX_DEPTH: usize = 4096;

/// A block of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Block {
    #[default]
    None,
    Sample,
    Switch,
    Lost,
    Meta,
    Other,
}

/// A frame while its lines are read.
#[derive(Clone, Copy, Debug, Default)]
struct Draft {
    address: u64,
    mapping: Option<NameId>,
    mapping_kind: FrameKind,
    function: Option<NameId>,
    execution: Execution,
}

/// Reads the lines.
struct TextReport<'b> {
    builder: &'b mut TimelineBuilder,
    clock: &'b SampleClock,
    sink: SampleSink,
    switches: Switches,
    notes: Notes,
    mappings: FxHashMap<Box<[u8]>, (Option<NameId>, FrameKind)>,
    block: Block,
    comm: Vec<u8>,
    time: Option<i64>,
    tid: Option<u32>,
    weight: Option<u64>,
    event: EventId,
    is_on: bool,
    /// Innermost first.
    stack: Vec<Draft>,
    quality: ArtifactQuality,
}

/// Reads a report as text.
pub(super) fn read(
    stream: impl Read,
    clock: &SampleClock,
    builder: &mut TimelineBuilder,
    told: &mut dyn FnMut(u64),
) -> ArtifactQuality {
    let mut lines = Lines::new(stream, LONGEST);
    let event = SampleSink::event(b"", builder);
    let mut report = TextReport {
        builder,
        clock,
        sink: SampleSink::default(),
        switches: Switches::default(),
        notes: Notes::default(),
        mappings: FxHashMap::default(),
        block: Block::None,
        comm: Vec::new(),
        time: None,
        tid: None,
        weight: None,
        event,
        is_on: false,
        stack: Vec::new(),
        quality: ArtifactQuality::default(),
    };
    let mut count = 0u64;
    while let Some(line) = lines.next_line() {
        report.line(line.offset, line.bytes);
        count += 1;
        if count.is_multiple_of(PROGRESS_STEP) {
            told(lines.offset());
        }
    }
    let is_whole = report.block == Block::Lost;
    let offset = lines.offset();
    if let Some(failure) = lines.failure.take() {
        report.notes.add(Severity::Error, "damaged", Some(offset), || {
            format!("the input ends with an error ({failure}); what is before that was read")
        });
    } else if !is_whole {
        report.notes.add(Severity::Warning, "cut", Some(offset), || {
            "the report does not end with what was lost, as it should: it is cut off".to_owned()
        });
    }
    report.finish(offset)
}

impl TextReport<'_> {
    fn line(&mut self, offset: u64, line: &[u8]) {
        let text = line.trim_ascii();
        let Some(colon) = memchr::memchr(b':', text) else {
            if !text.is_empty() {
                self.unread(offset);
            }
            return;
        };
        let key = text.get(..colon).unwrap_or_default();
        let value = text.get(colon + 1..).unwrap_or_default().trim_ascii();
        if line.first() != Some(&b' ') {
            self.end_block();
            self.quality.records += 1;
            self.block = match key {
                b"sample" => Block::Sample,
                b"context_switch" => Block::Switch,
                b"lost_situation" => Block::Lost,
                b"meta_info" => Block::Meta,
                _ => Block::Other,
            };
            if self.block == Block::Other {
                self.unread(offset);
            }
            return;
        }
        match (self.block, key) {
            (Block::Sample | Block::Switch, b"time") => {
                self.time = number(value).and_then(|time| i64::try_from(time).ok());
            }
            (Block::Sample | Block::Switch, b"thread_id") => {
                self.tid = number(value).and_then(|tid| u32::try_from(tid).ok());
            }
            (Block::Switch, b"switch_on") => self.is_on = value == b"true",
            (Block::Lost, b"lost_count") => {
                self.quality.lost_events = number(value).unwrap_or(0);
            }
            (Block::Sample, _) => self.of_sample(key, value),
            _ => {}
        }
    }

    fn of_sample(&mut self, key: &[u8], value: &[u8]) {
        match key {
            b"event_type" => self.event = SampleSink::event(value, self.builder),
            b"event_count" => self.weight = number(value),
            b"thread_name" => self.comm = value.to_vec(),
            b"vaddr_in_file" => {
                let address = hexadecimal(value).unwrap_or(0);
                if self.stack.len() < MAX_DEPTH {
                    self.stack.push(Draft { address, ..Draft::default() });
                }
            }
            b"file" => {
                let mapping = self.mapping(value);
                if let Some(frame) = self.stack.last_mut() {
                    (frame.mapping, frame.mapping_kind) = mapping;
                }
            }
            b"symbol" => {
                let name = symbol(value).map(|name| self.builder.names.intern_bytes(name));
                if let Some(frame) = self.stack.last_mut() {
                    frame.function = name;
                }
            }
            b"execution_type" => {
                if let Some(frame) = self.stack.last_mut() {
                    frame.execution = Execution::of_name(value);
                }
            }
            _ => {}
        }
    }

    fn mapping(&mut self, path: &[u8]) -> (Option<NameId>, FrameKind) {
        if let Some(known) = self.mappings.get(path) {
            return *known;
        }
        let file = File::new(path, self.builder);
        let found = (file.path, file.kind);
        if self.mappings.len() < wattle_import::limits::MAX_INTERNED {
            self.mappings.insert(path.into(), found);
        }
        found
    }

    fn end_block(&mut self) {
        match std::mem::take(&mut self.block) {
            Block::Sample => self.sample(),
            Block::Switch => {
                let time = self.time.and_then(|time| self.clock.to_boot(time));
                if let (Some(time), Some(tid)) = (time, self.tid) {
                    self.switches.switch(tid, time, self.is_on, self.builder);
                }
            }
            _ => {}
        }
        (self.time, self.tid, self.weight, self.is_on) = (None, None, None, false);
        self.comm.clear();
        self.stack.clear();
    }

    fn sample(&mut self) {
        let mut site = None;
        for frame in self.stack.iter().rev() {
            let Draft { address, mapping, mapping_kind, function, execution } = *frame;
            let kind = execution.kind(mapping_kind);
            let address = FrameAddress::InElf(address);
            let frame = Frame { function, mapping, address, kind, ..Frame::default() };
            let frame = self.builder.samples().frame(frame);
            site = Some(self.builder.samples().call_site(CallSite { caller: site, frame }));
        }
        let time = self.time.and_then(|time| self.clock.to_boot(time));
        if let (Some(time), Some(tid)) = (time, self.tid) {
            self.switches.sample(tid, time);
        }
        *self.quality.events.entry("sample".to_owned()).or_default() += 1;
        let sample = Sample {
            time,
            tid: self.tid,
            comm: &self.comm,
            event: self.event,
            weight: self.weight,
            site,
            ..Sample::default()
        };
        self.sink.take(&sample, self.builder);
    }

    fn unread(&mut self, offset: u64) {
        *self.quality.unread.entry("lines of no known block".to_owned()).or_default() += 1;
        self.notes.add(Severity::Info, "lines-unread", Some(offset), || {
            "lines that belong to nothing that is known: not used".to_owned()
        });
    }

    fn finish(mut self, bytes: u64) -> ArtifactQuality {
        self.end_block();
        self.sink.finish(self.builder);
        let (switched, unmatched) = (self.switches.count, self.switches.unmatched);
        self.switches.finish(self.builder);
        if switched > 0 {
            self.quality.events.insert("context_switch".to_owned(), switched);
        }
        if unmatched > 0 {
            self.notes.add(Severity::Warning, "switches-unmatched", None, || {
                format!("{unmatched} switches of threads that others are missing before: the time between is not known")
            });
        }
        if self.quality.lost_events > 0 {
            let lost = self.quality.lost_events;
            self.notes.add(Severity::Warning, "perf-lost", None, || {
                format!("{lost} samples were lost by the kernel")
            });
        }
        self.quality.bytes = bytes;
        self.quality.notes.extend(self.notes.into_notes());
        self.quality
    }
}

/// The function; what is not known is its file and a place in it: `elf[+51c]`, `unknown`, and in a file's first letters a mark.
fn symbol(value: &[u8]) -> Option<&[u8]> {
    let is_place = || {
        let open = memchr::memmem::rfind(value, b"[+")?;
        let digits = value.get(open + 2..)?.strip_suffix(b"]")?;
        (!digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)).then_some(())
    };
    let is_known = !value.is_empty()
        && value != b"unknown"
        && !value.starts_with(b"*")
        && is_place().is_none();
    is_known.then_some(value)
}
