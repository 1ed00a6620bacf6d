//! One file of a method trace, read as it comes.

use std::io::Read;

use wattle_timeline::{ArtifactQuality, Severity};

use super::call_log::CallLog;
use super::data_header::{DataHeader, LENGTH, Layout, MAGIC};
use super::keys::{self, Keys, LONGEST};
use super::pairs::Part;
use super::records::{self, Ending, Shape};
use super::source::Source;
use super::tell::MethodTraces;
use super::{packets, pairs};
use crate::notes::Notes;

/// What files of method traces begin with.
pub(crate) const SIGNATURES: [&[u8]; 2] = [MAGIC, keys::SIGNATURE];

/// What one file holds.
#[derive(Debug)]
pub(super) struct MethodTrace {
    /// Index of its quality.
    pub artifact: usize,
    pub name: String,
    pub keys: Keys,
    /// `None` where no records follow.
    pub header: Option<DataHeader>,
    pub log: CallLog,
}

impl MethodTrace {
    /// Whether the thread's clock was read beside another one.
    pub fn is_dual(&self) -> bool {
        self.header.is_some_and(|header| match header.layout {
            Layout::Records { size, thread, .. } => size >= thread + 12,
            Layout::Packets => header.version == 5,
        })
    }

    /// Which part of a pair of files it is.
    pub fn part(&self) -> Part {
        match self.header {
            None => Part::Keys,
            Some(DataHeader { layout: Layout::Records { is_streaming: false, .. }, .. })
                if !self.keys.is_there =>
            {
                Part::Data
            }
            Some(_) => Part::Whole,
        }
    }
}

/// Reads a file. Its calls wait until it is known how its clock goes.
pub(crate) fn read(
    name: &str,
    stream: impl Read,
    artifact: usize,
    traces: &mut MethodTraces,
    told: &mut dyn FnMut(u64),
) -> ArtifactQuality {
    let mut source = Source::new(stream);
    let mut notes = Notes::default();
    let mut trace = MethodTrace {
        artifact,
        name: pairs::stem(name),
        keys: Keys::default(),
        header: None,
        log: CallLog::new(),
    };
    if source.ahead(keys::SIGNATURE.len()).starts_with(keys::SIGNATURE) {
        let MethodTrace { keys, log, .. } = &mut trace;
        while let Some(line) = source.line(LONGEST) {
            if !keys.line(&line, &mut log.methods) {
                break;
            }
        }
        if !keys.is_whole() {
            notes.add(Severity::Error, "truncated", Some(source.offset()), || {
                "the file ends in the list of threads and methods, before its records".to_owned()
            });
        }
    }
    if source.ahead(MAGIC.len()).starts_with(MAGIC) {
        match DataHeader::parse(source.ahead(LENGTH)) {
            Ok(header) => {
                trace.header = Some(header);
                events(&mut source, header, &mut trace, &mut notes, told);
            }
            Err(text) => notes.add(Severity::Error, "header", Some(source.offset()), || text),
        }
    } else if trace.keys.is_whole() && !source.ahead(1).is_empty() {
        notes.add(Severity::Error, "header", Some(source.offset()), || {
            "expected SLOW behind *end, found something else: no record was read".to_owned()
        });
    }
    if let Some(failure) = &source.failure {
        let text = format!("the input ends with an error ({failure}); everything before was read");
        notes.add(Severity::Error, "damaged", Some(source.offset()), || text);
    }
    trace.log.finish();
    note_keys(&trace, &mut notes);
    let quality = ArtifactQuality {
        name: name.to_owned(),
        format: "art-trace".to_owned(),
        bytes: source.offset(),
        records: trace.log.counts.records(),
        events: trace.log.counts.events(),
        notes: notes.into_notes().collect(),
        ..ArtifactQuality::default()
    };
    traces.0.push(trace);
    quality
}

fn events<R: Read>(
    source: &mut Source<R>,
    header: DataHeader,
    trace: &mut MethodTrace,
    notes: &mut Notes,
    told: &mut dyn FnMut(u64),
) {
    source.ahead(header.offset);
    source.skip(header.offset);
    let is_dual = trace.is_dual();
    let MethodTrace { keys, log, .. } = trace;
    let ending = match header.layout {
        Layout::Packets => packets::read(source, is_dual, keys, log, told),
        Layout::Records { size, thread, is_streaming } => {
            let shape = Shape { size, thread };
            if is_streaming {
                records::read_streamed(source, shape, keys, log, told)
            } else {
                records::read(source, shape, log, told)
            }
        }
    };
    let at = Some(source.offset());
    match ending {
        Ending::Whole => {}
        Ending::Cut => notes.add(Severity::Error, "truncated", at, || {
            "the file ends in the middle of a record: everything before was read".to_owned()
        }),
        Ending::Unknown(code) => notes.add(Severity::Error, "damaged", at, || {
            format!("expected a packet or record 0 to 3, found {code}: everything before was read")
        }),
    }
    let is_streamed = !matches!(header.layout, Layout::Records { is_streaming: false, .. });
    if is_streamed && ending == Ending::Whole && !keys.is_whole() {
        notes.add(Severity::Warning, "no-summary", at, || {
            "the trace was not stopped (the phone or the app died): what was written until then was read".to_owned()
        });
    }
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
