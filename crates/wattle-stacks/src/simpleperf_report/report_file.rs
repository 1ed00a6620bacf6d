//! A report from the file that holds it.

use std::io::{BufReader, Read};

use rustc_hash::FxHashMap;
use wattle_timeline::{ArtifactQuality, EventId, Severity, TimelineBuilder};
use wattle_units::BootNanos;

use super::FORMAT;
use super::proto_record::{self, Counts};
use super::report_draft::Draft;
use super::switches::Switches;
use super::text_report;
use crate::samples::{Sample, SampleClock, SampleSink, ToldClock};
use wattle_import::Notes;
use wattle_import::Session;
use wattle_import::limits::MAX_PACKET;

/// First bytes of a report in protobuf; the version follows.
pub(crate) const SIGNATURE: &[u8] = b"SIMPLEPERF";

/// `PROT_FILE_VERSION`.
const VERSION: u16 = 1;

/// Interval of progress reports, in records.
const PROGRESS_STEP: u64 = 1 << 12;

/// Whether a text begins as `simpleperf report-sample` writes it.
pub(crate) fn looks_like_text(head: &[u8]) -> bool {
    head.starts_with(b"meta_info:\n  trace_offcpu:")
        || head.starts_with(b"meta_info:\n  event_type:")
        || head.starts_with(b"sample:\n  event_type:")
        || head.starts_with(b"meta_info:\r\n  trace_offcpu:")
}

/// Reads a report, in protobuf or as text.
pub(crate) fn read(
    name: &str,
    stream: impl Read,
    session: &mut Session,
    told: &mut dyn FnMut(u64),
) -> ArtifactQuality {
    let mut head = ArtifactQuality { name: name.to_owned(), ..ArtifactQuality::default() };
    let clock = SampleClock::new(ToldClock::UnsaidMonotonic, session, &mut head);
    let mut stream = BufReader::with_capacity(1 << 16, stream);
    let mut start = [0; SIGNATURE.len()];
    let mut length = 0;
    while length < start.len() {
        match stream.read(start.get_mut(length..).unwrap_or_default()) {
            Ok(0) | Err(_) => break,
            Ok(count) => length += count,
        }
    }
    let start = start.get(..length).unwrap_or_default();
    let mut quality = if start == SIGNATURE {
        protobuf(stream, &clock, &mut session.builder, told)
    } else {
        let stream = std::io::Cursor::new(start.to_vec()).chain(stream);
        text_report::read(stream, &clock, &mut session.builder, told)
    };
    name.clone_into(&mut quality.name);
    FORMAT.name.clone_into(&mut quality.format);
    quality.notes.extend(head.notes);
    session.sampled();
    quality
}

/// Outcome of reading.
enum End {
    /// With a length of 0.
    Whole,
    /// Before that.
    Cut,
    /// With an error of the input.
    Failed(std::io::Error),
    /// With a record that is none.
    Broken(String),
}

fn protobuf(
    mut stream: impl Read,
    clock: &SampleClock,
    builder: &mut TimelineBuilder,
    told: &mut dyn FnMut(u64),
) -> ArtifactQuality {
    let mut records = Records { bytes: SIGNATURE.len() as u64, ..Records::default() };
    let end = records.read(&mut stream, builder, told);
    let Records { notes, bytes, .. } = &mut records;
    match end {
        End::Whole => {
            let behind = std::io::copy(&mut stream, &mut std::io::sink()).unwrap_or(0);
            *bytes += behind;
            if behind > 0 {
                notes.add(Severity::Info, "behind-end", None, || {
                    format!("{behind} bytes behind the end of the report: not used")
                });
            }
        }
        End::Cut => notes.add(Severity::Error, "cut", Some(*bytes), || {
            "the report is cut off: what is before that was read; names of functions and threads stand at the end of a report".to_owned()
        }),
        End::Failed(error) => notes.add(Severity::Error, "damaged", Some(*bytes), || {
            format!("the input ends with an error ({error}); what is before that was read")
        }),
        End::Broken(error) => notes.add(Severity::Error, "damaged", Some(*bytes), || {
            format!("a record is damaged ({error}): what follows was not read")
        }),
    }
    records.apply(clock, builder)
}

/// The records of a report in protobuf, as far as they are read.
#[derive(Default)]
struct Records {
    draft: Draft,
    counts: Counts,
    notes: Notes,
    /// Bytes read so far.
    bytes: u64,
}

/// Context switches of a report, by whether a partner was found.
struct SwitchCounts {
    used: u64,
    unmatched: u64,
}

impl Records {
    /// Reads records up to the end.
    fn read(
        &mut self,
        stream: &mut impl Read,
        builder: &mut TimelineBuilder,
        told: &mut dyn FnMut(u64),
    ) -> End {
        let Self { draft, counts, notes, bytes } = self;
        let mut version = [0; 2];
        match stream.read_exact(&mut version) {
            Ok(()) => *bytes += 2,
            Err(error) => return ended(error),
        }
        let version = u16::from_le_bytes(version);
        if version != VERSION {
            notes.add(Severity::Warning, "version", None, || {
                format!("the report is of version {version}, and read as one of version {VERSION}")
            });
        }
        let (mut record, mut stack) = (Vec::new(), Vec::new());
        loop {
            let mut length = [0; 4];
            if let Err(error) = stream.read_exact(&mut length) {
                return ended(error);
            }
            *bytes += 4;
            let length = u64::from(u32::from_le_bytes(length));
            if length == 0 {
                return End::Whole;
            }
            if length > MAX_PACKET {
                return End::Broken(format!("it would be {length} bytes long"));
            }
            record.clear();
            match stream.by_ref().take(length).read_to_end(&mut record) {
                Ok(_) if (record.len() as u64) < length => return End::Cut,
                Ok(_) => {}
                Err(error) => return ended(error),
            }
            if let Err(error) = proto_record::record(&record, draft, counts, &mut stack, builder) {
                // The lengths hold, so the next record can be found; what is half read is not used.
                notes.add(Severity::Error, "record-damaged", Some(*bytes), || {
                    format!("records that are no protobuf ({error}): not used")
                });
            }
            *bytes += length;
            if counts.records.is_multiple_of(PROGRESS_STEP) {
                told(*bytes);
            }
        }
    }

    /// Gives what was read to the timeline.
    fn apply(mut self, clock: &SampleClock, builder: &mut TimelineBuilder) -> ArtifactQuality {
        let draft = &mut self.draft;
        let events = draft.event_ids(builder);
        let (sites, nameless) = draft.sites(builder);
        let (mut sink, mut switches) = (SampleSink::default(), Switches::default());
        let by_tid: FxHashMap<u32, Option<u32>> =
            draft.threads.iter().map(|thread| (thread.tid, thread.pid)).collect();
        let mut used: FxHashMap<EventId, u64> = FxHashMap::default();
        // Switches are told where samples are: both in order of time.
        draft.switches.sort_by_key(|(time, ..)| *time);
        let mut samples = std::mem::take(&mut draft.samples);
        samples.sort_by_key(|sample| sample.time);
        let mut next = 0;
        let first = samples.first().and_then(|sample| clock.to_boot(sample.time));
        for sample in samples {
            while let Some((time, tid, is_on)) = draft.switches.get(next).copied()
                && time <= sample.time
            {
                next += 1;
                switch(&mut switches, clock, (time, tid, is_on), builder);
            }
            let time = clock.to_boot(sample.time);
            let event = events.get(sample.event as usize).copied();
            let event = event.unwrap_or_else(|| SampleSink::event(b"", builder));
            *used.entry(event).or_default() += 1;
            if let Some(time) = time {
                switches.sample(sample.tid, time);
            }
            let site = sample.node.and_then(|node| sites.get(node as usize).copied());
            let (tid, pid) = (Some(sample.tid), by_tid.get(&sample.tid).copied().flatten());
            let weight = Some(sample.weight);
            let is_truncated = sample.is_truncated;
            sink.take(
                &Sample { time, pid, tid, comm: &[], cpu: None, event, weight, site, is_truncated },
                builder,
            );
        }
        for told in draft.switches.iter().skip(next).copied() {
            switch(&mut switches, clock, told, builder);
        }
        sink.finish(builder);
        let at = BootNanos::new(first.or_else(|| Some(builder.span()?.0.value())).unwrap_or(0));
        for thread in &draft.threads {
            if let Some(pid) = thread.pid {
                builder.tasks().thread_of(at, thread.tid, pid);
            }
            if let Some(name) = thread.name {
                builder.tasks().thread_name(at, thread.tid, name, wattle_timeline::NameRank::Proc);
            }
        }
        let switched = SwitchCounts { used: switches.count, unmatched: switches.unmatched };
        switches.finish(builder);
        let mut quality = ArtifactQuality {
            bytes: self.bytes,
            records: self.counts.records,
            lost_events: self.counts.lost,
            ..ArtifactQuality::default()
        };
        for (index, name) in draft.events.iter().enumerate() {
            let count = events.get(index).and_then(|event| used.get(event)).copied().unwrap_or(0);
            if count > 0 {
                quality.events.insert(String::from_utf8_lossy(name).into_owned(), count);
            }
        }
        if switched.used > 0 {
            quality.events.insert("context_switch".to_owned(), switched.used);
        }
        if self.counts.unknown > 0 {
            quality.unread.insert("records of another kind".to_owned(), self.counts.unknown);
        }
        self.note_counts(nameless, &switched, &sink);
        quality.notes.extend(self.notes.into_notes());
        quality
    }

    fn note_counts(&mut self, nameless: u64, switched: &SwitchCounts, sink: &SampleSink) {
        let Self { draft, counts, notes, .. } = self;
        let mut note = |severity, code, count: u64, text: &str| {
            if count > 0 {
                notes.add(severity, code, None, || format!("{count} {text}"));
            }
        };
        if let Some(said) = counts.said {
            note(
                Severity::Warning,
                "samples-missing",
                said.saturating_sub(counts.samples),
                "samples that simpleperf says it wrote are not in the report",
            );
        }
        note(Severity::Warning, "perf-lost", counts.lost, "samples were lost by the kernel");
        note(
            Severity::Info,
            "unwind-errors",
            counts.unwind_errors,
            "samples whose stack could not be unwound to its root: marked as cut off",
        );
        note(
            Severity::Warning,
            "files-missing",
            nameless,
            "places in code name a file that the report does not list: their functions are not known",
        );
        note(
            Severity::Info,
            "cpu-not-recorded",
            u64::from(switched.used > 0),
            "report without CPUs: when threads ran is recorded, on which CPU is not; stretches are laid on the first CPU that is free",
        );
        note(
            Severity::Warning,
            "switches-unmatched",
            switched.unmatched,
            "switches of threads that others are missing before: the time between is not known",
        );
        note(
            Severity::Error,
            "report-limit",
            counts.refused,
            "records past what is kept were not used",
        );
        note(Severity::Error, "stack-limit", sink.refused, "different stacks past what is kept");
        if draft.is_off_cpu_traced && switched.used == 0 {
            note(
                Severity::Info,
                "off-cpu-samples",
                1,
                "report of --trace-offcpu without switches: samples of sched:sched_switch count as what they are, and not as time on a CPU",
            );
        }
    }
}

fn ended(error: std::io::Error) -> End {
    if error.kind() == std::io::ErrorKind::UnexpectedEof { End::Cut } else { End::Failed(error) }
}

fn switch(
    switches: &mut Switches,
    clock: &SampleClock,
    (time, tid, is_on): (i64, u32, bool),
    builder: &mut TimelineBuilder,
) {
    if let Some(time) = clock.to_boot(time) {
        switches.switch(tid, time, is_on, builder);
    }
}
