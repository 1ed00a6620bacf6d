//! A file, from its bytes to the end: it waits until everything else was read, because its clock may need what others know.

use std::io::Read;

use wattle_timeline::{ArtifactQuality, Severity, TimelineBuilder, Window};

use super::attr::TRACEPOINT;
use super::attr::sampled;
use super::clock::{FileClock, ToBoot, wall_reading};
use super::device;
use super::feature::hexadecimal;
use super::header::Header;
use super::index::Index;
use super::reader::{Reader, timeline_event};
use super::scheduler::SchedulerSource;
use super::told::Told;
use crate::kernel::{EventKind, Tally};
use crate::limits::MAX_PERF_DATA;
use crate::session::Session;
use crate::trace_dat::{Contents, Plan};

/// A file that was read into memory.
#[derive(Debug)]
pub(crate) struct PerfDataFile {
    /// Its number among the artifacts.
    artifact: usize,
    bytes: Vec<u8>,
    /// Why the input ended early.
    failure: Option<String>,
}

/// Reads a file; what it says comes when [`tell`] is asked.
pub(crate) fn read(name: &str, stream: impl Read, session: &mut Session) -> ArtifactQuality {
    let mut bytes = Vec::new();
    let failure = stream.take(MAX_PERF_DATA).read_to_end(&mut bytes).err();
    let quality = ArtifactQuality {
        name: name.to_owned(),
        format: "perf-data".to_owned(),
        bytes: bytes.len() as u64,
        ..ArtifactQuality::default()
    };
    let failure = failure.map(|failure| failure.to_string());
    let artifact = session.qualities.len();
    session.perf_data.push(PerfDataFile { artifact, bytes, failure });
    quality
}

/// Takes in what the files say.
pub(crate) fn tell(session: &mut Session) {
    for file in std::mem::take(&mut session.perf_data) {
        let Some(quality) = session.qualities.get(file.artifact) else { continue };
        let name = quality.name.clone();
        let is_alone = session.qualities.len() == 1;
        let told = tell_file(&file, &name, is_alone, session);
        if let Some(quality) = session.qualities.get_mut(file.artifact) {
            let (format, bytes) = (quality.format.clone(), quality.bytes);
            *quality = ArtifactQuality { name, format, bytes, ..told };
        }
    }
}

fn tell_file(
    file: &PerfDataFile,
    name: &str,
    is_alone: bool,
    session: &mut Session,
) -> ArtifactQuality {
    let mut tally = Tally::default();
    if let Some(failure) = &file.failure {
        tally.note(Severity::Error, "damaged", Some(file.bytes.len() as u64), || {
            format!("the input ends with an error ({failure}); everything before was read")
        });
    }
    let bytes = file.bytes.as_slice();
    let Some(header) = Header::read(bytes) else {
        tally.note(Severity::Error, "truncated", Some(bytes.len() as u64), || {
            "the file ends in its head: nothing was read".to_owned()
        });
        return tally.into_quality();
    };
    let mut told = Told::default();
    told.head(bytes, &header);
    let index = Index::new(bytes, &header, &mut told, &mut tally);
    prepare(&mut told, &header, &mut tally, &mut session.builder);
    device::tell(&told, &mut session.builder.device);
    for (path, id) in &told.build_ids {
        let (path, id) = (session.builder.names.intern_bytes(path), hexadecimal(id));
        let id = session.builder.names.intern(&id);
        session.builder.build_id(path, id);
    }
    if let Some(package) = told.meta.get("app_package_name") {
        let package = session.builder.names.intern(package);
        session.builder.app(package);
    }
    let clock = FileClock::of(&told);
    let Some(to_boot) = to_boot(&told, clock, is_alone, session, &mut tally) else {
        tally.records = index.len() as u64;
        return tally.into_quality();
    };
    if let Some(alignment) = to_boot.told(name, clock, index.first_time()) {
        session.builder.alignment(alignment);
    }
    let source = SchedulerSource::of(&index, bytes, &told);
    let is_first = !session.builder.has_scheduler();
    note_scheduler(source, is_first, &mut tally);
    let mut reader = Reader::new(&mut session.builder, &told, tally, to_boot, (source, is_first));
    reader.read(&index, bytes, &mut |_| {});
    let tally = reader.finish();
    if let Some((clock, reading)) = wall_reading(&told, clock) {
        session.clocks.add(clock, reading);
    }
    if is_first && session.builder.has_scheduler() {
        session.traced = session.builder.span().map(|(first, last)| Window::new(first, last));
    }
    tally.into_quality()
}

/// Names events, finds how tracepoints are read, and notes what is missing.
fn prepare(told: &mut Told, header: &Header, tally: &mut Tally, builder: &mut TimelineBuilder) {
    if header.is_unfinished() {
        tally.note(Severity::Warning, "unfinished", None, || {
            "recording was broken off: names of functions, build ids and other things that the recorder adds at its end are missing"
                .to_owned()
        });
    }
    if told.damaged > 0 {
        let count = told.damaged;
        tally.note(Severity::Error, "damaged-parts", None, || {
            format!("{count} parts beside the records are cut off or damaged: what is whole of them was used")
        });
    }
    if told.events.list.is_empty() {
        tally.note(Severity::Error, "no-events", None, || {
            "no event is described: samples cannot be read".to_owned()
        });
    }
    let refused = told.dsos.refused;
    if refused > 0 {
        tally.note(Severity::Warning, "symbol-limit", None, || {
            format!("{refused} functions more than are kept: their names are missing")
        });
    }
    tally.also_read("symbols", told.dsos.functions() as u64);
    told.dsos.sort();
    let tracing = told.tracing.take().unwrap_or_default();
    for index in 0..told.events.list.len() {
        let name = told.event_name(index);
        let id = timeline_event(builder, &name);
        let Some(event) = told.events.list.get_mut(index) else { continue };
        event.id = id;
        if event.attr.kind == TRACEPOINT {
            event.plan = plan(&tracing, event.attr.config, tally);
            // Without a stack it says what the kernel did, and no more.
            let is_known = event.plan.is_some_and(|plan| plan.kind.is_some());
            event.is_kernels_alone = is_known && !event.attr.has(sampled::CALLCHAIN);
        }
        event.name = Some(name);
    }
    told.tracing = Some(tracing);
}

fn plan(tracing: &Contents, config: u64, tally: &mut Tally) -> Option<Plan> {
    let format = tracing.formats.get(&u16::try_from(config).ok()?)?;
    let (name, kind) = tally.name(format.name.as_bytes(), EventKind::of_name)?;
    Some(Plan::new(format, name, kind))
}

/// How the file's times become boot time; `None` if they cannot among artifacts whose times are.
fn to_boot(
    told: &Told,
    clock: FileClock,
    is_alone: bool,
    session: &Session,
    tally: &mut Tally,
) -> Option<ToBoot> {
    if let Some(to_boot) = ToBoot::of(told, clock, &session.clocks) {
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
