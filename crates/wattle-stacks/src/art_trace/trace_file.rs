//! One file of a method trace.

use std::io::Read;
use std::path::Path;

use wattle_timeline::{ArtifactQuality, Severity};

use super::FORMAT;
use super::call_log::{CallLog, CallSink};
use crate::art_events::{DataHeader, RecordLayout, TraceDefect, TraceKeys, read_method_trace};
use wattle_import::Notes;

/// Which part of a trace a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// The text alone.
    Keys,
    /// The records alone.
    Data,
}

/// Contents of one file.
#[derive(Debug)]
pub(super) struct MethodTrace {
    /// Index of its quality.
    pub artifact: usize,
    pub name: String,
    pub keys: TraceKeys,
    /// `None` where no records follow.
    pub header: Option<DataHeader>,
    pub log: CallLog,
}

impl MethodTrace {
    /// Whether the thread's clock was read beside another one.
    pub fn is_dual(&self) -> bool {
        self.header.is_some_and(|header| header.is_dual())
    }

    /// Which part of a pair of files it is.
    pub fn part(&self) -> Part {
        match self.header {
            None => Part::Keys,
            Some(DataHeader {
                layout: RecordLayout::Records { is_streaming: false, .. }, ..
            }) if !self.keys.is_there => Part::Data,
            Some(_) => Part::Whole,
        }
    }
}

/// A file's name without what tells the two apart.
pub(super) fn stem(name: &str) -> String {
    let path = Path::new(name);
    path.file_stem().map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Reads a file. Its calls wait until it is known how its clock goes.
pub(crate) fn read(
    name: &str,
    stream: impl Read,
    artifact: usize,
    progress: &mut dyn FnMut(u64),
) -> (MethodTrace, ArtifactQuality) {
    let mut sink = CallSink { log: CallLog::new(), progress };
    let summary = read_method_trace(stream, &mut sink);
    let mut log = sink.log;
    log.finish();
    let mut notes = Notes::default();
    for (offset, defect) in summary.defects {
        note_defect(offset, defect, &mut notes);
    }
    let trace =
        MethodTrace { artifact, name: stem(name), keys: summary.keys, header: summary.header, log };
    note_keys(&trace, &mut notes);
    let quality = ArtifactQuality {
        bytes: summary.bytes,
        records: trace.log.counts.records(),
        events: trace.log.counts.events(),
        notes: notes.into_notes().collect(),
        ..FORMAT.quality(name)
    };
    (trace, quality)
}

fn note_defect(offset: u64, defect: TraceDefect, notes: &mut Notes) {
    let (severity, code, text) = match defect {
        TraceDefect::KeysCut => (
            Severity::Error,
            "truncated",
            "the file ends in the list of threads and methods, before its records".to_owned(),
        ),
        TraceDefect::Header(text) => (Severity::Error, "header", text),
        TraceDefect::NoHeader => (
            Severity::Error,
            "header",
            "expected SLOW behind *end, found something else: the file has no records that can be read".to_owned(),
        ),
        TraceDefect::RecordCut => (
            Severity::Error,
            "truncated",
            "the file ends in the middle of a record: what is before that was read".to_owned(),
        ),
        TraceDefect::UnknownKind(code) => (
            Severity::Error,
            "damaged",
            format!("expected a packet or record 0 to 3, found {code}: what is before that was read"),
        ),
        TraceDefect::NoSummary => (
            Severity::Warning,
            "no-summary",
            "the trace was not stopped (the phone or the app died): what was written until then was read".to_owned(),
        ),
        TraceDefect::AnotherTrace => (
            Severity::Error,
            "another-recording",
            "another trace begins behind the end of the first one: it was not read; give each as a file of its own"
                .to_owned(),
        ),
        TraceDefect::Input(failure) => (
            Severity::Error,
            "damaged",
            format!("the input ends with an error ({failure}); what is before that was read"),
        ),
    };
    notes.add(severity, code, Some(offset), || text);
}

/// Says what the text says of how the trace went.
fn note_keys(trace: &MethodTrace, notes: &mut Notes) {
    let (keys, counts) = (&trace.keys, trace.log.counts);
    if keys.has_overflown {
        notes.add(Severity::Warning, "trace-overflow", None, || {
            "the runtime's buffer was full before the trace was stopped: calls after that are missing; record with a larger buffer, or \
             streaming"
                .to_owned()
        });
    }
    if let Some(expected) = keys.records
        && trace.part() == Part::Whole
        && counts.records() < expected
    {
        let found = counts.records();
        notes.add(Severity::Warning, "records-missing", None, || {
            format!("the trace says that it has {expected} records, and {found} are there")
        });
    }
    if keys.malformed > 0 {
        let count = keys.malformed;
        notes.add(Severity::Warning, "malformed-keys", None, || {
            format!("{count} lines on clocks, threads or methods are not understood: not used")
        });
    }
    if counts.senseless > 0 {
        let count = counts.senseless;
        notes.add(Severity::Warning, "malformed-records", None, || {
            format!("{count} records name no thread, or neither entry nor exit: not used")
        });
    }
    if let Some(overhead) = keys.overhead.filter(|overhead| *overhead > 0) {
        notes.add(Severity::Info, "trace-overhead", None, || {
            format!(
                "reading the clocks took {overhead} ns at each entry and exit, by the runtime's own measure: calls look longer than they \
                 are, short ones most"
            )
        });
    }
}
