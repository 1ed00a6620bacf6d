//! A log into the timeline.

use std::io::Read;

use wattle_timeline::{ArtifactQuality, Note, OperatingSystem, Severity};
use wattle_units::BootNanos;

use super::buffers::Buffers;
use super::etl_format::FORMAT;
use super::event_clock::{EventClock, unix_nanos};
use super::log_header::LogHeader;
use super::log_source::Source;
use super::merge::merge;
use super::reader::Reader;
use crate::limits::MAX_ETL;
use wattle_import::Session;
use wattle_import::{Clock, Reading, ReadingSource};

/// Uncertainty of a log's start against its clock, nanoseconds: system time goes in steps of a timer tick.
const SLACK: i64 = 16_000_000;

/// Reads a log that comes as a stream: it is held in memory.
pub(crate) fn read(
    name: &str,
    stream: impl Read,
    session: &mut Session,
    progress: &mut dyn FnMut(u64),
) -> ArtifactQuality {
    let mut bytes = Vec::new();
    let failure = stream.take(MAX_ETL).read_to_end(&mut bytes).err();
    let mut quality = read_source(name, Source::Memory(&bytes), session, progress);
    if let Some(failure) = failure {
        let text =
            format!("the input ends with an error ({failure}); what is before that was read");
        let note = Note::new(Severity::Error, "damaged", text);
        quality.notes.push(note.at(bytes.len() as u64));
    }
    quality
}

/// Reads a log.
pub(crate) fn read_source(
    name: &str,
    mut source: Source<'_>,
    session: &mut Session,
    progress: &mut dyn FnMut(u64),
) -> ArtifactQuality {
    let mut quality = FORMAT.quality(name);
    let mut buffers = Buffers::find(&mut source, &session.unpacking);
    quality.bytes = buffers.size;
    let log = buffers.log.clone();
    let clock = log.as_ref().and_then(EventClock::from_header);
    if let (Some(log), Some(clock)) = (log, clock) {
        quality.lost_events = u64::from(log.events_lost);
        quality.notes.extend(losses(&log, &buffers));
        describe(&log, session);
        let start = clock.time(log.time);
        if let Some(reading) = wall_reading(&log, start) {
            session.clocks.add(Clock::Real, reading);
        }
        let mut reader = Reader::new(&mut session.builder, &log, clock, progress);
        merge(&mut buffers, &mut source, &mut reader);
        reader.finish(&mut quality);
        session.sampled();
    } else if buffers.log.is_some() {
        let text = "the log's header does not say how fast its clock goes: nothing was read";
        quality.notes.push(Note::new(Severity::Error, "clock-unknown", text));
    }
    quality.notes.append(&mut buffers.notes);
    quality
}

/// Returns notes on the losses that the recorder reports.
fn losses(log: &LogHeader, buffers: &Buffers) -> Vec<Note> {
    let mut notes = Vec::new();
    if log.events_lost > 0 {
        let text = "the recorder's buffers were full: events were lost in some places";
        let note = Note::new(Severity::Warning, "etl-lost-events", text);
        notes.push(note.times(u64::from(log.events_lost)));
    }
    if log.buffers_lost > 0 {
        let text = "the recorder lost whole buffers, and with them events that it did not count";
        let note = Note::new(Severity::Warning, "etl-lost-buffers", text);
        notes.push(note.times(u64::from(log.buffers_lost)));
    }
    if buffers.lossy > 0 {
        let text =
            "buffers before which their CPU lost events: who ran there meanwhile is not known";
        let note = Note::new(Severity::Warning, "etl-lossy-buffers", text);
        notes.push(note.times(buffers.lossy));
    }
    let found = buffers.list.len() as u64;
    let written = u64::from(log.buffers);
    if written > found && written - found > buffers.empty {
        let text =
            format!("the log's header counts {written} buffers, {found} with events are there");
        notes.push(Note::new(Severity::Warning, "etl-buffers-missing", text));
    }
    notes
}

/// Adds the log's facts about the machine.
fn describe(log: &LogHeader, session: &mut Session) {
    let device = &mut session.builder.device;
    device.system = Some(OperatingSystem::Windows);
    let (major, minor) = log.version;
    device.kernel = Some(format!("Windows {major}.{minor}.{}", log.build));
    let cpus = (log.cpus as usize).min(wattle_timeline::MAX_CPUS as usize);
    if device.cpus.len() < cpus {
        device.cpus.resize_with(cpus, Default::default);
    }
}

/// When the log began by the wall clock.
fn wall_reading(log: &LogHeader, start: BootNanos) -> Option<Reading> {
    let wall = unix_nanos(log.start)?;
    let boot = (start.value().saturating_sub(SLACK), start.value().saturating_add(SLACK));
    Some(Reading::new((wall, wall), boot, ReadingSource::TRACE))
}
