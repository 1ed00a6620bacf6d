//! From files, bytes or a stream to a timeline.

use std::io::Read;
use std::path::{Path, PathBuf};

use wattle_timeline::{ArtifactQuality, Note, Severity, Timeline, Window};

use wattle_import::{Session, UnpackBudget};

use crate::input_file::Input;
use crate::one_run::{self, Contradiction};
use crate::{
    IngestError, NoProgress, Progress, ReadOptions, container, doubtful_rails, folder,
    power_evidence, registry,
};

/// Reads files or recording folders as the artifacts of one recording.
///
/// # Errors
/// If nothing could be read from one of them.
pub fn read_paths(paths: &[PathBuf]) -> Result<Timeline, IngestError> {
    read_paths_with(paths, &mut NoProgress)
}

/// [`read_paths`], told how far it is.
pub fn read_paths_with(
    paths: &[PathBuf],
    progress: &mut dyn Progress,
) -> Result<Timeline, IngestError> {
    read_paths_as(paths, &ReadOptions::default(), progress)
}

/// [`read_paths_with`], told what the files do not say.
///
/// # Errors
/// If nothing could be read from one of them.
pub fn read_paths_as(
    paths: &[PathBuf],
    options: &ReadOptions,
    progress: &mut dyn Progress,
) -> Result<Timeline, IngestError> {
    if paths.is_empty() && options.meter.files.is_empty() {
        return Err(IngestError::NoInput);
    }
    let mut session = session(options);
    let mut files = Vec::new();
    for path in paths {
        files.extend(folder::artifacts(path, options.join, &mut session)?);
    }
    files.extend(options.meter.files.iter().map(|path| folder::File::meter(path)));
    // Traces know the clocks that logs need; those of one order stay in theirs.
    files.sort_by_key(|file| (file.order.is_none(), file.order));
    let sizes = files.iter().filter_map(|file| std::fs::metadata(&file.path).ok());
    let total = sizes.map(|m| m.len()).sum();
    session.unpacking.add_input(total);
    let name =
        || paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let mut before = 0;
    let mut failed = Vec::new();
    for file in &files {
        let mut counted = |done: u64, total_here: Option<u64>| {
            progress.advance(before + done, total_here.map(|_| total));
        };
        match read_file(file, &mut session, &mut counted) {
            Ok(length) => before += length,
            Err(error) if file.is_listed => failed.push(error),
            Err(error) => return Err(of_budget(&session.unpacking, name).unwrap_or(error)),
        }
    }
    // A recording is what could be read of it, if anything was.
    if !session.has_content()
        && let Some(first) = failed.pop()
    {
        return Err(first);
    }
    for error in failed {
        let note = Note::new(Severity::Error, "artifact-unreadable", error.to_string());
        session.builder.note(note);
    }
    finish(session, options.join, name)
}

/// Reads one artifact that is in memory.
///
/// # Errors
/// If nothing could be read from it.
pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<Timeline, IngestError> {
    let mut session = session(&ReadOptions::default());
    read_one(name, bytes, &mut session)?;
    finish(session, false, || name.to_owned())
}

/// Reads several artifacts of one recording that are in memory, each with its name; traces first, because they know the
/// clocks that logs need.
///
/// # Errors
/// If nothing could be read from one of them.
pub fn read_all_bytes(artifacts: &[(&str, &[u8])]) -> Result<Timeline, IngestError> {
    read_all_bytes_as(artifacts, &ReadOptions::default())
}

/// [`read_all_bytes`], told what the artifacts do not say.
///
/// # Errors
/// If nothing could be read from one of them.
pub fn read_all_bytes_as(
    artifacts: &[(&str, &[u8])],
    options: &ReadOptions,
) -> Result<Timeline, IngestError> {
    if artifacts.is_empty() {
        return Err(IngestError::NoInput);
    }
    let mut session = session(options);
    for (name, bytes) in artifacts {
        session.runs.current = None;
        read_one(name, bytes, &mut session)?;
    }
    finish(session, options.join, || {
        artifacts.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    })
}

/// Reads one artifact from a stream.
///
/// # Errors
/// If nothing could be read from it.
pub fn read_stream(name: &str, stream: impl Read + Send) -> Result<Timeline, IngestError> {
    read_stream_with(name, stream, &mut NoProgress)
}

/// [`read_stream`], told how far it is.
pub fn read_stream_with(
    name: &str,
    stream: impl Read + Send,
    progress: &mut dyn Progress,
) -> Result<Timeline, IngestError> {
    let mut session = session(&ReadOptions::default());
    let stream = session.unpacking.input(stream);
    let read = container::read_stream(Input::named(name), stream, &mut session, progress);
    let name = || name.to_owned();
    read.map_err(|error| of_budget(&session.unpacking, name).unwrap_or(error))?;
    finish(session, false, name)
}

fn read_one(name: &str, bytes: &[u8], session: &mut Session) -> Result<(), IngestError> {
    session.unpacking.add_input(bytes.len() as u64);
    let input = Input { total: Some(bytes.len() as u64), ..Input::named(name) };
    let read = container::read_bytes(input, bytes, session, &mut NoProgress);
    read.map_err(|error| of_budget(&session.unpacking, || name.to_owned()).unwrap_or(error))
}

/// The error of input that unpacks to more than the budget, if it does.
fn of_budget(budget: &UnpackBudget, name: impl FnOnce() -> String) -> Option<IngestError> {
    let limit = budget.limit();
    budget.is_exceeded().then(|| IngestError::UnpackLimit { name: name(), limit })
}

fn read_file(
    file: &folder::File,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<u64, IngestError> {
    let path: &Path = &file.path;
    let io = |source| IngestError::Io { path: path.to_owned(), source };
    let opened = std::fs::File::open(path).map_err(io)?;
    let metadata = opened.metadata().map_err(io)?;
    let length = metadata.len();
    let written = metadata.modified().ok();
    let since = written.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    session.file_time = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
    let name = path.file_name().map_or_else(|| path.to_string_lossy(), |n| n.to_string_lossy());
    let input = Input { name: &name, total: Some(length), kind: file.kind };
    session.runs.current = file.recording;
    container::read_file(input, opened, session, progress)?;
    Ok(length)
}

/// A session in which all importers queued what they do for every recording.
fn session(options: &ReadOptions) -> Session {
    let mut session = Session::default();
    session.unpacking = options.unpacking.clone();
    session.set_option(options.meter.clone());
    registry::importers().for_each(|importer| importer.prepare(&mut session));
    session
}

/// The timeline, if there is anything in it to look at and its files do not contradict each other.
fn finish(
    session: Session,
    join: bool,
    name: impl Fn() -> String,
) -> Result<Timeline, IngestError> {
    if let Some(error) = of_budget(&session.unpacking, &name) {
        return Err(error);
    }
    if !session.has_content()
        && let Some(format) = session.accessory()
    {
        return Err(IngestError::WrongType { name: name(), title: format.title });
    }
    let unpacking = session.unpacking.clone();
    let mut timeline = session.finish_checked(|session| check_is_one(session, join))?;
    // Files that waited for others unpack only now.
    if let Some(error) = of_budget(&unpacking, &name) {
        return Err(error);
    }
    timeline.quality.notes.extend(power_evidence::missing(&timeline));
    timeline.quality.notes.extend(doubtful_rails::notes(&timeline));
    Ok(timeline)
}

/// Refuses files that cannot be of one recording; with `join`, notes it.
fn check_is_one(session: &mut Session, join: bool) -> Result<(), IngestError> {
    let Some(found) = one_run::contradiction(&session.runs.entries) else { return Ok(()) };
    let Contradiction { reason, is_of_devices, runs } = found;
    if !join {
        return Err(IngestError::Contradiction { reason, runs });
    }
    let code = if is_of_devices { "other-device" } else { "other-recording" };
    let text = format!(
        "{reason}: they were read as one recording because of --join, and totals of them may have no meaning"
    );
    session.builder.note(Note::new(Severity::Error, code, text));
    Ok(())
}

/// The error of files of known formats in which readers found nothing at all: no record, no event and no time. `None` if they found
/// something.
pub fn nothing_read(timeline: &Timeline) -> Option<IngestError> {
    let files = &timeline.quality.artifacts;
    let is_empty = files.iter().all(|file| file.records == 0 && file.events.is_empty())
        && timeline.window.duration() == Window::default().duration();
    if !is_empty {
        return None;
    }
    let name = |file: &ArtifactQuality| format!("{} (read as {})", file.name, file.format);
    let notes = files.iter().flat_map(|file| &file.notes);
    Some(IngestError::Nothing {
        names: files.iter().map(name).collect::<Vec<_>>().join(", "),
        reason: notes.max_by_key(|note| note.severity).map(|note| note.text.clone()),
    })
}
