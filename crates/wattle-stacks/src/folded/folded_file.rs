//! Collapsed stacks from the file that holds them.

use std::io::Read;

use rustc_hash::FxHashMap;
use wattle_timeline::{ArtifactQuality, CallSite, Frame, Severity, TimelineBuilder};

use super::FORMAT;
use super::folded_line::{self, FoldedLine};
use super::stack_root::{self, Root};
use crate::samples::{Sample, SampleSink};
use wattle_import::Notes;
use wattle_import::Session;
use wattle_import::limits::MAX_INTERNED;
use wattle_import::text::Lines;

/// Bytes of a line that are kept.
const LONGEST: usize = 1 << 20;

/// Interval of progress reports, in lines.
const PROGRESS_STEP: u64 = 1 << 12;

/// Kind of a text, by its first lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Collapsed stacks.
    Folded,
    /// With two counts a line.
    Differential,
}

/// Whether a text begins with collapsed stacks: all its lines end with a count, and those with several frames have names.
pub(crate) fn shape(head: &[u8]) -> Option<Shape> {
    let whole = head.iter().rposition(|byte| *byte == b'\n');
    let Some(whole) = whole else { return first_line(head) };
    let (mut lines, mut deep, mut doubled) = (0, 0, 0);
    for text in head.get(..whole)?.split(|byte| *byte == b'\n') {
        let text = text.trim_ascii_end();
        if text.is_empty() || text.first() == Some(&b'#') {
            continue;
        }
        let FoldedLine { stack, .. } = folded_line::parse(text)?;
        // A stack begins with a name; numbers, times and keys with values do not make one.
        if !is_stack(stack) {
            return None;
        }
        lines += 1;
        deep += usize::from(memchr::memchr(b';', stack).is_some());
        doubled += usize::from(is_doubled(stack));
    }
    if lines == 0 || deep * 2 < lines {
        return None;
    }
    Some(if doubled == lines { Shape::Differential } else { Shape::Folded })
}

/// A first line that does not end in the head: many frames, and nothing that other texts have between semicolons.
fn first_line(head: &[u8]) -> Option<Shape> {
    let frames = head.split(|byte| *byte == b';');
    let is_long = head.len() >= wattle_import::HEAD && frames.clone().count() >= 16;
    let is_short =
        || folded_line::parse(head).is_some_and(|line| memchr::memchr(b';', line.stack).is_some());
    let mut kept = frames.take(15);
    let is_named = kept.all(|frame| frame.iter().any(u8::is_ascii_alphabetic));
    (is_stack(head) && ((is_long && is_named) || is_short())).then_some(Shape::Folded)
}

fn is_stack(stack: &[u8]) -> bool {
    let mut entries = stack.split(|byte| *byte == b';');
    let is_name = |entry: &[u8]| {
        !entry.is_empty() && entry.iter().any(|b| b.is_ascii_alphabetic() || *b >= 0x80)
    };
    let first = entries.next().unwrap_or_default();
    let starts = first
        .first()
        .is_some_and(|b| !b.is_ascii_digit() && !matches!(b, b'"' | b'{' | b'-' | b'+' | b'/'));
    let is_plain = first.first() == Some(&b'[') || !first.iter().any(|b| matches!(b, b'=' | b','));
    let has_bare_name = starts && is_name(first) && is_plain;
    has_bare_name && entries.all(|entry| !entry.is_empty() && entry.first() != Some(&b' '))
}

/// Whether another count stands before the last one.
fn is_doubled(stack: &[u8]) -> bool {
    folded_line::parse(stack).is_some_and(|line| is_stack(line.stack))
}

/// The name of whoever ran stacks that say nothing of it.
const NO_THREAD: &[u8] = b"thread not named";

/// State kept from one line to the next.
#[derive(Default)]
struct Reader {
    sink: SampleSink,
    /// Frames by their texts.
    frames: FxHashMap<Box<[u8]>, u32>,
    notes: Notes,
    records: u64,
    total: u64,
    unread: u64,
}

impl Reader {
    fn line(&mut self, offset: u64, bytes: &[u8], builder: &mut TimelineBuilder) {
        if bytes.trim_ascii().is_empty() || bytes.first() == Some(&b'#') {
            return;
        }
        let Some(FoldedLine { stack, count }) = folded_line::parse(bytes) else {
            self.unread += 1;
            self.notes.add(Severity::Warning, "lines-unread", Some(offset), || {
                "lines without a count at their end: not used".to_owned()
            });
            return;
        };
        self.records += 1;
        if count.fract() != 0.0 {
            self.notes.add(Severity::Info, "count-rounded", Some(offset), || {
                "counts with a fraction were rounded".to_owned()
            });
        }
        // A count past all numbers is the largest one.
        let weight = count.round() as u64;
        self.total = self.total.saturating_add(weight);
        let first = stack.split(|byte| *byte == b';').next().unwrap_or_default();
        let root = stack_root::parse(first);
        let mut sample = Sample { weight: Some(weight), ..Sample::default() };
        sample.event = SampleSink::event(b"", builder);
        let mut skipped = 0;
        match root {
            Root::Task { comm, pid, tid } => {
                (sample.comm, sample.pid, sample.tid, skipped) = (comm, pid, tid, 1);
                if tid.is_none() {
                    self.notes.add(Severity::Info, "root-is-process", Some(offset), || {
                        "the first entry of a line is taken for the name of a process, as stackcollapse-perf.pl writes it".to_owned()
                    });
                }
            }
            Root::Frame => sample.comm = NO_THREAD,
        }
        for entry in stack.split(|byte| *byte == b';').skip(skipped) {
            if entry.is_empty() {
                continue;
            }
            let frame = self.frame(entry, builder);
            sample.site =
                Some(builder.samples().call_site(CallSite { caller: sample.site, frame }));
        }
        // The idle task is nobody.
        if sample.comm == b"swapper" && sample.tid.is_none() {
            (sample.tid, sample.pid) = (Some(0), None);
        }
        self.sink.take(&sample, builder);
    }

    fn frame(&mut self, entry: &[u8], builder: &mut TimelineBuilder) -> u32 {
        if let Some(known) = self.frames.get(entry) {
            return *known;
        }
        let read = folded_line::frame(entry);
        let mut name =
            |text: Option<std::borrow::Cow<'_, str>>| text.map(|t| builder.names.intern(&t));
        let (function, mapping) = (name(read.function), name(read.mapping));
        let frame =
            Frame { function, mapping, kind: read.kind, inlined: read.inlined, ..Frame::default() };
        let frame = builder.samples().frame(frame);
        if self.frames.len() < MAX_INTERNED {
            self.frames.insert(entry.into(), frame);
        }
        frame
    }
}

/// Reads collapsed stacks.
pub(crate) fn read(
    name: &str,
    stream: impl Read,
    session: &mut Session,
    told: &mut dyn FnMut(u64),
) -> ArtifactQuality {
    let builder = &mut session.builder;
    let mut lines = Lines::new(stream, LONGEST);
    let mut reader = Reader::default();
    while let Some(line) = lines.next_line() {
        if line.is_cut {
            reader.notes.add(Severity::Warning, "line-too-long", Some(line.offset), || {
                "stacks longer than a megabyte: not used".to_owned()
            });
            continue;
        }
        reader.line(line.offset, line.bytes, builder);
        if reader.records.is_multiple_of(PROGRESS_STEP) {
            told(lines.offset());
        }
    }
    let offset = lines.offset();
    if let Some(failure) = lines.failure.take() {
        reader.notes.add(Severity::Error, "damaged", Some(offset), || {
            format!("the input ends with an error ({failure}); what is before that was read")
        });
    }
    reader.sink.finish(builder);
    if reader.sink.refused > 0 {
        reader.notes.add(Severity::Error, "stack-limit", None, || {
            "more different stacks than are kept: the rest was not used".to_owned()
        });
    }
    reader.notes.add(Severity::Warning, "samples-without-times", None, || {
        "collapsed stacks have no times: how much there is of each is known, not when, and no energy follows from them".to_owned()
    });
    let mut quality =
        ArtifactQuality { bytes: offset, records: reader.records, ..FORMAT.quality(name) };
    quality.events.insert("samples".to_owned(), reader.total);
    if reader.unread > 0 {
        quality.unread.insert("lines without a count".to_owned(), reader.unread);
    }
    quality.notes.extend(reader.notes.into_notes());
    quality
}
