//! What is around an artifact: nothing, gzip or a ZIP archive.

use std::io::{Cursor, Read, Seek, SeekFrom};

use wattle_recording::ArtifactKind;
use wattle_timeline::{Note, Severity, Window};

use crate::align::Clock;
use crate::folder::is_read;
use crate::ftrace_text::FtraceForm;
use crate::limits::{MAX_RATIO, MAX_STREAMED_ZIP, MAX_UNPACKED};
use crate::session::Session;
use crate::sniff::{HEAD, Looks, sniff};
use crate::{
    IngestError, Progress, archive, art_trace, batterystats, counters, etl, folded, ftrace_text,
    logs, meter, navitas, perf_data, perf_script, perfetto, probes, simpleperf_report, trace_dat,
};

/// One artifact as it is named to people, and its size if that is known.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub name: &'a str,
    pub total: Option<u64>,
    /// What the recording says that it is.
    pub kind: Option<ArtifactKind>,
}

impl<'a> Input<'a> {
    /// One that says nothing of itself but its name.
    pub fn named(name: &'a str) -> Self {
        Self { name, total: None, kind: None }
    }

    /// What it is: by its first bytes, but for texts that a recording knows to be logs, or to be kept for people.
    pub fn looks(&self, head: &[u8]) -> Looks {
        match (self.kind, sniff(head)) {
            (Some(ArtifactKind::Logcat), Looks::Other(_) | Looks::Unknown) => Looks::Logcat,
            (Some(ArtifactKind::Meter), Looks::Other(_) | Looks::Unknown) => Looks::Meter,
            (Some(ArtifactKind::BatterystatsText), Looks::Other(_) | Looks::Unknown) => {
                Looks::Batterystats
            }
            (Some(ArtifactKind::BatterystatsCheckin), Looks::Other(_) | Looks::Unknown) => {
                Looks::BatterystatsCheckin
            }
            (
                Some(ArtifactKind::BatterystatsProto),
                Looks::Other(_) | Looks::Unknown | Looks::Perfetto,
            ) => Looks::BatterystatsProto,
            (Some(kind), looks) if looks.is_read() && !is_read(kind) => {
                Looks::Other("an artifact of another kind, by the recording")
            }
            (_, looks) => looks,
        }
    }
}

pub(crate) fn read_bytes(
    input: Input<'_>,
    bytes: &[u8],
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    match input.looks(bytes.get(..HEAD).unwrap_or(bytes)) {
        Looks::Zip => archive::read(input, Cursor::new(bytes), session, progress),
        Looks::Etl => {
            read_log_file(input, etl::Source::Memory(bytes), session, progress);
            Ok(())
        }
        looks => read_as(looks, input, bytes, session, progress),
    }
}

pub(crate) fn read_file(
    input: Input<'_>,
    mut file: std::fs::File,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let io = |source| IngestError::Io { path: input.name.into(), source };
    let mut head = Vec::new();
    file.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(io)?;
    let looks = input.looks(&head);
    if looks == Looks::Zip {
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        return archive::read(input, std::io::BufReader::new(file), session, progress);
    }
    if looks == Looks::Etl && file.metadata().is_ok_and(|it| it.is_file()) {
        read_log_file(input, etl::Source::File(file), session, progress);
        return Ok(());
    }
    read_as(looks, input, Cursor::new(head).chain(file), session, progress)
}

pub(crate) fn read_stream(
    input: Input<'_>,
    mut stream: impl Read,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let io = |source| IngestError::Io { path: input.name.into(), source };
    let mut head = Vec::new();
    stream.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(io)?;
    let looks = input.looks(&head);
    if looks == Looks::Zip {
        // The directory of an archive is at its end.
        stream.take(MAX_STREAMED_ZIP).read_to_end(&mut head).map_err(io)?;
        return archive::read(input, Cursor::new(head), session, progress);
    }
    read_as(looks, input, Cursor::new(head).chain(stream), session, progress)
}

fn read_as(
    looks: Looks,
    input: Input<'_>,
    stream: impl Read,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    if looks == Looks::Gzip {
        let limit = input.total.unwrap_or(MAX_UNPACKED).saturating_mul(MAX_RATIO);
        let unpacked = flate2::read::MultiGzDecoder::new(stream);
        return read_unpacked(input, unpacked, limit.min(MAX_UNPACKED), session, progress);
    }
    read_plain(looks, input, stream, session, progress)
}

/// Reads what is not packed.
pub(crate) fn read_plain(
    looks: Looks,
    input: Input<'_>,
    stream: impl Read,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    if let Some(form) = looks.ftrace_form() {
        read_ftrace(form, input, stream, session, progress);
        return Ok(());
    }
    if looks == Looks::TraceDat {
        let monotonic = session.clocks.fit(Clock::Monotonic);
        let mut told = |done: u64| progress.advance(done, input.total);
        let builder = &mut session.builder;
        let (quality, readings) =
            trace_dat::read(input.name, stream, monotonic.as_ref(), builder, &mut told);
        session.add_trace(quality, readings);
        return Ok(());
    }
    let mut told = |done: u64| progress.advance(done, input.total);
    let quality = match looks {
        Looks::Perfetto => {
            read_trace(input, stream, session, progress);
            return Ok(());
        }
        Looks::Logcat => {
            read_log(input, stream, session, progress);
            return Ok(());
        }
        Looks::Batterystats => batterystats::read_text(input.name, stream, session, &mut told),
        Looks::BatterystatsCheckin => {
            batterystats::read_checkin(input.name, stream, session, &mut told)
        }
        Looks::BatterystatsProto => batterystats::read_proto(input.name, stream, session),
        Looks::Probes => {
            let artifact = session.qualities.len();
            let before = session.probes.processes.len();
            let stream = std::io::BufReader::new(stream);
            let quality = probes::read_file(input.name, stream, artifact, &mut session.probes);
            for process in session.probes.processes.iter().skip(before) {
                process.clocks.iter().for_each(|clocks| session.clocks.probes(*clocks));
            }
            quality
        }
        Looks::ArtTrace => {
            let artifact = session.qualities.len();
            art_trace::read(input.name, stream, artifact, &mut session.method_traces, &mut told)
        }
        Looks::ProbeMap => {
            let names = &mut session.builder.names;
            probes::read_map(input.name, stream, names, &mut session.maps)
        }
        Looks::Counters => {
            counters::read(input.name, stream, &mut session.builder, &mut session.clocks)
        }
        Looks::ProcFile => {
            let around = session.around();
            counters::read_proc_file(
                input.name,
                stream,
                around,
                &mut session.builder,
                &session.clocks,
            )
        }
        Looks::PerfScript => perf_script::read(input.name, stream, session, &mut told),
        Looks::Folded => folded::read(input.name, stream, session, &mut told),
        Looks::SimpleperfReport => simpleperf_report::read(input.name, stream, session, &mut told),
        Looks::PerfData => perf_data::read(input.name, stream, session),
        Looks::Etl => etl::read(input.name, stream, session, &mut told),
        Looks::Navitas => navitas::read(input.name, stream, session),
        Looks::Meter => {
            let read = meter::read(stream, &session.options.meter, &mut told);
            let draft =
                read.map_err(|reason| IngestError::Meter { name: input.name.to_owned(), reason })?;
            let (file, mut quality) = draft.into_file(session.qualities.len());
            input.name.clone_into(&mut quality.name);
            session.meters.push(file);
            quality
        }
        looks => return Err(IngestError::WrongType { name: input.name.to_owned(), looks }),
    };
    progress.advance(quality.bytes, input.total);
    session.qualities.push(quality);
    Ok(())
}

/// Reads a log; of a bug report what else it holds, too.
fn read_log(
    input: Input<'_>,
    mut stream: impl Read,
    session: &mut Session,
    progress: &mut dyn Progress,
) {
    let mut told = |done: u64| progress.advance(done, input.total);
    let mut head = Vec::new();
    // What fails here fails again for the reader, which says so.
    let _ = stream.by_ref().take(HEAD as u64).read_to_end(&mut head);
    let is_report = batterystats::looks_like_bug_report(&head);
    let stream = Cursor::new(head).chain(stream);
    let mut report = batterystats::BugReport::new(session.around());
    let quality = if is_report {
        let watched = batterystats::Watched::new(stream, &mut report);
        logs::read(input.name, watched, session, &mut told)
    } else {
        logs::read(input.name, stream, session, &mut told)
    };
    progress.advance(quality.bytes, input.total);
    session.qualities.push(quality);
    report.finish(input.name).tell(session);
}

/// Reads one trace, and says so if it is of another device than those before.
fn read_trace(
    input: Input<'_>,
    stream: impl Read,
    session: &mut Session,
    progress: &mut dyn Progress,
) {
    let builder = &mut session.builder;
    let before = builder.device.device_name().map(str::to_owned);
    let (mut quality, clocks) = perfetto::read(input, stream, builder, progress);
    let now = builder.device.device_name().map(str::to_owned);
    if let (Some(before), Some(now)) = (before, now)
        && before != now
    {
        let text = format!(
            "is of another device ({now}) than an artifact before it ({before}): the artifacts are \
             not of one recording, and figures of them together mean nothing"
        );
        quality.notes.push(Note::new(Severity::Error, "other-device", text));
    }
    session.clocks.trace(&clocks);
    session.traced = session.builder.span().map(|(first, last)| Window::new(first, last));
    session.qualities.push(quality);
}

/// Reads an event log of Windows without holding it in memory.
fn read_log_file(
    input: Input<'_>,
    source: etl::Source<'_>,
    session: &mut Session,
    progress: &mut dyn Progress,
) {
    let mut told = |done: u64| progress.advance(done, input.total);
    let quality = etl::read_source(input.name, source, session, &mut told);
    progress.advance(quality.bytes, input.total);
    session.qualities.push(quality);
}

/// Reads one trace of the kernel as text.
fn read_ftrace(
    form: FtraceForm,
    input: Input<'_>,
    stream: impl Read,
    session: &mut Session,
    progress: &mut dyn Progress,
) {
    let mut told = |done: u64| progress.advance(done, input.total);
    let (quality, readings) =
        ftrace_text::read(input.name, form, stream, &mut session.builder, &mut told);
    progress.advance(quality.bytes, input.total);
    session.add_trace(quality, readings);
}

/// Reads what comes out of an unpacker, up to the limit.
pub(crate) fn read_unpacked(
    input: Input<'_>,
    mut unpacked: impl Read,
    limit: u64,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let mut head = Vec::new();
    // An unpacker that fails here has given what it could; what that is decides.
    let failed = unpacked.by_ref().take(HEAD as u64).read_to_end(&mut head).err();
    let looks = input.looks(&head);
    if !looks.is_read() {
        if let Some(source) = failed {
            let (name, reason) = (input.name.to_owned(), source.to_string());
            return Err(IngestError::Gzip { name, reason });
        }
        return Err(IngestError::WrongType { name: input.name.to_owned(), looks });
    }
    let rest = unpacked.take(limit.saturating_sub(head.len() as u64));
    let input = Input { total: None, ..input };
    read_plain(looks, input, Cursor::new(head).chain(rest), session, progress)?;
    note_limit(session, limit);
    Ok(())
}

/// Says so if the last artifact was not read to its end.
pub(crate) fn note_limit(session: &mut Session, limit: u64) {
    if let Some(quality) = session.qualities.last_mut()
        && quality.bytes >= limit
    {
        let text = format!("unpacks to more than {limit} bytes: the rest was not read");
        quality.notes.push(Note::new(Severity::Error, "unpacked-limit", text).at(limit));
    }
}
