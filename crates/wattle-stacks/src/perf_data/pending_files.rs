//! A file, from its bytes to the end: it waits until everything else was read, because its clock may need what others know.

use std::io::Read;

use wattle_timeline::{ArtifactQuality, OperatingSystem, Severity, Window};

use super::FORMAT;
use super::event_use::{EventUses, tracing};
use super::perf_clock::{FileClock, ToBoot, wall_reading};
use super::record_reader::{ReadPlan, Reader};
use super::recorded_device;
use super::scheduler_source::SchedulerSource;
use crate::limits::MAX_PERF_DATA;
use crate::perf_file::{Damage, Metadata, PerfFile, hexadecimal, record_kind};
use wattle_import::{Pending, Session, Stage};
use wattle_kernel_traces::kernel::Tally;

/// A file that was read into memory.
#[derive(Debug)]
struct PerfDataFile {
    /// Its number among the artifacts.
    artifact: usize,
    bytes: Vec<u8>,
    /// Why the input ended early.
    failure: Option<String>,
}

/// Reads a file; what it says comes when the session applies it.
pub(crate) fn read(name: &str, stream: impl Read, session: &mut Session) -> ArtifactQuality {
    let mut bytes = Vec::new();
    let failure = stream.take(MAX_PERF_DATA).read_to_end(&mut bytes).err();
    let quality = ArtifactQuality { bytes: bytes.len() as u64, ..FORMAT.quality(name) };
    let failure = failure.map(|failure| failure.to_string());
    let artifact = session.qualities.len();
    session.pending::<PerfDataFiles>().0.push(PerfDataFile { artifact, bytes, failure });
    quality
}

/// Files that wait for what other artifacts know of clocks.
#[derive(Debug, Default)]
struct PerfDataFiles(Vec<PerfDataFile>);

impl Pending for PerfDataFiles {
    fn stage(&self) -> Stage {
        Stage::Traces
    }

    fn apply(self: Box<Self>, session: &mut Session) {
        for file in self.0 {
            let Some(quality) = session.qualities.get(file.artifact) else { continue };
            let name = quality.name.clone();
            let is_alone = session.qualities.len() == 1;
            // The file describes its own device, by which others are noticed.
            let known = std::mem::take(&mut session.builder.device);
            let read = apply_file(&file, &name, is_alone, session);
            let mut device = std::mem::replace(&mut session.builder.device, known);
            let span = session.builder.take_span();
            if is_alone || span.is_some() {
                session.builder.device.fill(device.clone());
            }
            session.runs.place(file.artifact, span);
            // It is taken to be a computer's where it does not say that it is Android's.
            device.system = device.system.filter(|system| *system != OperatingSystem::Linux);
            session.runs.of_device(file.artifact, device);
            if let Some(quality) = session.qualities.get_mut(file.artifact) {
                let (format, bytes) = (quality.format.clone(), quality.bytes);
                *quality = ArtifactQuality { name, format, bytes, ..read };
            }
        }
    }
}

fn apply_file(
    file: &PerfDataFile,
    name: &str,
    is_alone: bool,
    session: &mut Session,
) -> ArtifactQuality {
    let mut tally = Tally::default();
    if let Some(failure) = &file.failure {
        tally.note(Severity::Error, "damaged", Some(file.bytes.len() as u64), || {
            format!("the input ends with an error ({failure}); what is before that was read")
        });
    }
    let bytes = file.bytes.as_slice();
    let Ok(perf) = PerfFile::parse_within(bytes, &session.unpacking) else {
        tally.note(Severity::Error, "truncated", Some(bytes.len() as u64), || {
            "the file ends in its head: nothing was read".to_owned()
        });
        return tally.into_quality();
    };
    let metadata = perf.metadata();
    for (kind, count) in perf.unused() {
        (0..*count).for_each(|_| tally.unread(record_kind::name(*kind)));
    }
    if perf.unused().keys().any(|kind| !record_kind::is_possible(*kind)) {
        tally.note(Severity::Warning, "record-unknown", None, || {
            "records of kinds that no recorder writes: they are damaged, and not used".to_owned()
        });
    }
    let is_cut = is_cut(&perf);
    for damage in perf.damage() {
        // Its last record is cut because the file is.
        if !(is_cut && matches!(damage, Damage::RecordCut { .. })) {
            note_damage(*damage, &mut tally);
        }
    }
    let (tracing, is_whole) = tracing(metadata);
    note_metadata(&perf, u64::from(!is_whole), &mut tally);
    let uses = EventUses::new(metadata, tracing, &mut tally, &mut session.builder);
    recorded_device::apply(metadata, &mut session.builder.device);
    for (path, id) in &metadata.build_ids {
        let (path, id) = (session.builder.names.intern_bytes(path), hexadecimal(id));
        let id = session.builder.names.intern(&id);
        session.builder.samples().build_id(path, id);
    }
    if let Some(package) = metadata.meta.get("app_package_name") {
        let package = session.builder.names.intern(package);
        session.builder.tasks().app(package);
    }
    let clock = FileClock::new(metadata);
    let Some(to_boot) = to_boot(metadata, clock, is_alone, session, &mut tally) else {
        tally.records = perf.len() as u64;
        return tally.into_quality();
    };
    if let Some(alignment) = to_boot.alignment(name, clock, perf.first_time()) {
        session.builder.alignment(alignment);
    }
    let scheduler = SchedulerSource::find(&perf, &uses);
    let is_first = !session.builder.has_scheduler();
    note_scheduler(scheduler, is_first, &mut tally);
    let plan = ReadPlan { to_boot, uses, scheduler, reads_kernel_events: is_first };
    let mut reader = Reader::new(&mut session.builder, &perf, &plan, tally);
    reader.read();
    let tally = reader.finish();
    if let Some((clock, reading)) = wall_reading(metadata, clock) {
        session.clocks.add(clock, reading);
    }
    if is_first && session.builder.has_scheduler() {
        session.traced = session.builder.span().map(|(first, last)| Window::new(first, last));
    }
    tally.into_quality()
}

/// Whether the file ends before what its head says.
fn is_cut(perf: &PerfFile<'_>) -> bool {
    perf.damage().iter().any(|damage| matches!(damage, Damage::FileCut { .. }))
}

fn note_damage(damage: Damage, tally: &mut Tally) {
    let (code, at, text) = match damage {
        Damage::FileCut { at } => (
            "truncated",
            Some(at),
            "the file ends before its records do: what is there was read, names of functions and other things that stand at its end \
             are missing"
                .to_owned(),
        ),
        Damage::NotRecords { at, bytes } => {
            ("damaged", Some(at), format!("{bytes} bytes that are no records were stepped over"))
        }
        Damage::RecordCut { at } => (
            "truncated",
            Some(at),
            "the records end inside one, or in something that is none: what came before was read"
                .to_owned(),
        ),
        Damage::Packed => (
            "damaged-packed",
            None,
            "the packed records cannot be unpacked from some place on: what came before was read"
                .to_owned(),
        ),
        Damage::FarTimes { records } => (
            "time-outlier",
            None,
            format!("{records} records whose time is more than a day from that of all others: not used"),
        ),
        Damage::DisplacedTimes { records } => (
            "time-outlier",
            None,
            format!(
                "{records} samples whose time lies apart from all others, while the samples of their thread and CPU around them do not: \
                 not used"
            ),
        ),
    };
    let is_whole = matches!(damage, Damage::FarTimes { .. } | Damage::DisplacedTimes { .. });
    let severity = if is_whole { Severity::Warning } else { Severity::Error };
    tally.note(severity, code, at.map(|at| at as u64), || text);
}

/// Notes what is missing or damaged beside the records.
fn note_metadata(perf: &PerfFile<'_>, damaged_descriptions: u64, tally: &mut Tally) {
    let metadata = perf.metadata();
    if perf.header().is_unfinished() {
        tally.note(Severity::Warning, "unfinished", None, || {
            "recording was broken off: names of functions, build ids and other things that the recorder adds at its end are missing"
                .to_owned()
        });
    }
    if let Some(at) = perf.other_file() {
        tally.note(Severity::Error, "another-recording", Some(at as u64), || {
            "another recording begins behind the end of the first one: it was not read; give each as a file of its own".to_owned()
        });
    }
    let damaged = metadata.damaged + damaged_descriptions;
    // They stand at the end, so that a file that is cut has none.
    if damaged > 0 && !is_cut(perf) {
        tally.note(Severity::Error, "damaged-parts", None, || {
            format!("{damaged} parts beside the records are cut off or damaged: what is whole of them was used")
        });
    }
    if metadata.events.list.is_empty() {
        tally.note(Severity::Error, "no-events", None, || {
            "no event is described: samples cannot be read".to_owned()
        });
    }
    let refused = metadata.code_files.refused;
    if refused > 0 {
        tally.note(Severity::Warning, "symbol-limit", None, || {
            format!("{refused} functions more than are kept: their names are missing")
        });
    }
    tally.also_read("symbols", metadata.code_files.listed as u64);
}

/// The way from the file's times to boot time; `None` if there is none and other artifacts have boot time.
fn to_boot(
    metadata: &Metadata,
    clock: FileClock,
    is_alone: bool,
    session: &Session,
    tally: &mut Tally,
) -> Option<ToBoot> {
    if let Some(to_boot) = ToBoot::new(metadata, clock, &session.clocks) {
        return Some(to_boot);
    }
    let shown = clock.name();
    if is_alone || session.traced.is_none() {
        tally.note(Severity::Info, "clock-own", None, || {
            format!("times are of the clock {shown}, which nothing relates to boot time: they are the recording's own")
        });
        return Some(ToBoot::Same);
    }
    tally.note(Severity::Error, "clock-unknown", None, || {
        format!(
            "times are of the clock {shown}, which nothing relates to boot time: not used beside the other artifacts; record with \
             `--clockid boottime` (perf: `-k boottime`)"
        )
    });
    None
}

fn note_scheduler(source: SchedulerSource, is_first: bool, tally: &mut Tally) {
    match source {
        SchedulerSource::Nothing => {}
        _ if !is_first => tally.note(Severity::Info, "scheduler-known", None, || {
            "another artifact told already who was on each CPU: events of the kernel and switches were not used".to_owned()
        }),
        SchedulerSource::PartOfTracepoints => tally.note(Severity::Info, "sched-partial", None, || {
            "sched_switch was recorded for some threads only, which says when they left a CPU and not when they came: not used"
                .to_owned()
        }),
        SchedulerSource::TaskSwitches => tally.note(Severity::Info, "switches-partial", None, || {
            "who was on a CPU is known of the recorded threads only".to_owned()
        }),
        SchedulerSource::Tracepoints | SchedulerSource::CpuSwitches => {}
    }
}
