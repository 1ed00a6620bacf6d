//! Recording folders: `recording.json` and the artifacts beside it.

use std::path::{Component, Path, PathBuf};

use wattle_import::{HEAD, ReadOrder, Session};
use wattle_recording::{ArtifactKind, FILE_NAME, Recording, RecordingError};
use wattle_timeline::{Note, Severity};

use crate::IngestError;
use crate::input_file::Input;
use crate::registry::{FileType, is_read};
use crate::separate_run::SeparateRun;
use wattle_import::limits::MAX_FILES;

/// A file that is read as an artifact.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub path: PathBuf,
    pub kind: Option<ArtifactKind>,
    /// Reading order: files that others need come first; unrecognised files come last.
    pub order: Option<ReadOrder>,
    /// It is one of several that a recording lists: where it cannot be read, the others count.
    pub is_listed: bool,
    /// Number of the recording that lists it.
    pub recording: Option<usize>,
}

impl File {
    /// A file that the user says is a power meter's.
    pub fn meter(path: &Path) -> Self {
        let kind = Some(ArtifactKind::Meter);
        let order = look(path, kind).and_then(FileType::order);
        Self { path: path.to_owned(), kind, order, is_listed: false, recording: None }
    }
}

/// The folders of a series' iterations, in their order; each is a recording of its own. Empty: the path is no series.
///
/// # Errors
/// If the path is a folder that cannot be listed.
pub fn iterations(path: &Path) -> Result<Vec<PathBuf>, IngestError> {
    if !path.is_dir() {
        return Ok(Vec::new());
    }
    let io = |source| IngestError::Io { path: path.to_owned(), source };
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(path).map_err(io)?.take(MAX_FILES) {
        let folder = entry.map_err(io)?.path();
        let number = folder.file_name().and_then(|name| name.to_str()?.parse().ok());
        if let Some(number) = number
            && folder.join(FILE_NAME).is_file()
        {
            found.push((number, folder));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, folder)| folder).collect())
}

/// The files that a path stands for: itself, or those of a folder's recording. Of a series, those of its first iteration. With `join`,
/// a folder of several recordings stands for all of their files.
pub(crate) fn artifacts(
    path: &Path,
    join: bool,
    session: &mut Session,
) -> Result<Vec<File>, IngestError> {
    if !path.is_dir() {
        let order = look(path, None).and_then(FileType::order);
        let path = path.to_owned();
        return Ok(vec![File { path, kind: None, order, is_listed: false, recording: None }]);
    }
    if is_recording(path)? {
        return recorded(path, session);
    }
    let Contents { files, looked_at, runs } = contents(path)?;
    match runs.as_slice() {
        [] if files.is_empty() => {
            Err(IngestError::NothingInside { name: path.display().to_string(), files: looked_at })
        }
        [] => Ok(files),
        runs if !files.is_empty() => {
            let text = format!(
                "{} also holds {} in folders of their own, which are not read: name such a folder to read it",
                path.display(),
                if runs.len() == 1 {
                    "a recording".to_owned()
                } else {
                    format!("{} recordings", runs.len())
                }
            );
            session.builder.note(Note::new(Severity::Info, "folders-unread", text));
            Ok(files)
        }
        [run] => recorded(run, session),
        runs if join => {
            let mut files = Vec::new();
            for run in runs {
                files.extend(recorded(run, session)?);
            }
            Ok(files)
        }
        runs => Err(IngestError::SeveralRuns {
            name: path.display().to_string(),
            runs: runs.iter().map(|run| separate_run(run)).collect(),
        }),
    }
}

/// The folder that is read for a folder around one recording. `None` if the path is itself what is read, or holds several.
pub fn only_recording(path: &Path) -> Option<PathBuf> {
    if !path.is_dir() || is_recording(path).ok()? {
        return None;
    }
    let Contents { files, runs, .. } = contents(path).ok()?;
    match runs.as_slice() {
        [run] if files.is_empty() => Some(run.clone()),
        _ => None,
    }
}

/// Contents of a folder that is no recording by itself.
struct Contents {
    /// Files that an importer reads.
    files: Vec<File>,
    /// Number of files that were examined.
    looked_at: usize,
    /// Folders in it that are recordings; where the folder has no files, also those that have some.
    runs: Vec<PathBuf>,
}

fn contents(path: &Path) -> Result<Contents, IngestError> {
    let (files, folders) = members(path)?;
    let looked_at = files.len();
    let files = readable(files);
    let is_run = |folder: &PathBuf| {
        // A folder that cannot be listed holds nothing that could be read.
        let holds_files = || members(folder).is_ok_and(|(files, _)| !readable(files).is_empty());
        is_recording(folder).unwrap_or(false) || (files.is_empty() && holds_files())
    };
    let runs = folders.into_iter().filter(is_run).collect();
    Ok(Contents { files, looked_at, runs })
}

/// Whether a folder has a `recording.json`, or is a series of such folders.
fn is_recording(folder: &Path) -> Result<bool, IngestError> {
    Ok(folder.join(FILE_NAME).is_file() || !iterations(folder)?.is_empty())
}

/// The files of one recording's folder.
fn recorded(folder: &Path, session: &mut Session) -> Result<Vec<File>, IngestError> {
    let series = iterations(folder)?;
    if let Some(first) = series.first() {
        if series.len() > 1 {
            let text = format!(
                "{} is a series of {} runs: the first is read; name the folder of another to read that",
                folder.display(),
                series.len()
            );
            session.builder.note(Note::new(Severity::Info, "series", text));
        }
        return described(first, session);
    }
    if folder.join(FILE_NAME).is_file() {
        return described(folder, session);
    }
    Ok(readable(members(folder)?.0))
}

/// The files and the folders in a folder, by name.
fn members(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), IngestError> {
    let io = |source| IngestError::Io { path: folder.to_owned(), source };
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).map_err(io)?.take(MAX_FILES) {
        let member = entry.map_err(io)?.path();
        if member.is_file() {
            files.push(member);
        } else if member.is_dir() {
            folders.push(member);
        }
    }
    files.sort();
    folders.sort();
    Ok((files, folders))
}

/// Those of the files that an importer reads.
fn readable(files: Vec<PathBuf>) -> Vec<File> {
    let file = |path: PathBuf| {
        let order = Some(look(&path, None)?.order()?);
        Some(File { path, kind: None, order, is_listed: false, recording: None })
    };
    files.into_iter().filter_map(file).collect()
}

/// A recording's folder, as a list shows it.
fn separate_run(folder: &Path) -> SeparateRun {
    let first = iterations(folder).ok().and_then(|runs| runs.into_iter().next());
    let recording = wattle_recording::load(folder).ok();
    let recording = recording.or_else(|| wattle_recording::load(&first?).ok());
    let clock = |recording: &Recording| {
        let clocked = recording.clocks_start.first().map(|pair| pair.device_real_ns);
        clocked.or(recording.created_host_ns)
    };
    let device = |recording: &Recording| {
        let product = &recording.device.as_ref()?.product;
        match (product.model.clone(), product.codename.as_deref()) {
            (Some(model), Some(code)) => Some(format!("{model} ({code})")),
            (model, code) => model.or_else(|| code.map(str::to_owned)),
        }
    };
    SeparateRun {
        name: folder.display().to_string(),
        time: recording.as_ref().and_then(clock),
        begins: None,
        device: recording.as_ref().and_then(device),
    }
}

/// The artifacts that a `recording.json` lists.
fn described(folder: &Path, session: &mut Session) -> Result<Vec<File>, IngestError> {
    let path = folder.join(FILE_NAME);
    let recording = wattle_recording::load(folder).map_err(|error| match error {
        RecordingError::Io { path, source } => IngestError::Io { path, source },
        RecordingError::Malformed { path, reason } => IngestError::Recording { path, reason },
        other => IngestError::Recording { path: path.clone(), reason: other.to_string() },
    })?;
    let wrong = |reason: String| IngestError::Recording { path: path.clone(), reason };
    let mut files = Vec::new();
    for artifact in recording.artifacts.iter().take(MAX_FILES) {
        let relative = Path::new(&artifact.file);
        let is_inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside || artifact.file.is_empty() {
            return Err(wrong(format!("artifact {:?} lies outside the recording", artifact.file)));
        }
        files.extend(listed(folder.join(relative), artifact.kind, &recording, session));
    }
    if files.is_empty() {
        let name = folder.display().to_string();
        return Err(IngestError::NothingInside { name, files: recording.artifacts.len() });
    }
    let number = session.describe(&folder.display().to_string(), recording);
    for file in &mut files {
        file.recording = Some(number);
    }
    Ok(files)
}

/// A file of the list, if there is a reader for it.
fn listed(
    path: PathBuf,
    kind: Option<ArtifactKind>,
    recording: &Recording,
    session: &mut Session,
) -> Option<File> {
    // Reading a pipe would wait for somebody who writes into it.
    if !path.is_file() && (recording.artifacts.len() > 1 || path.exists()) {
        let text =
            format!("{} is in the recording's list, but not there as a file", path.display());
        session.builder.note(Note::new(Severity::Warning, "artifact-missing", text));
        return None;
    }
    let is_listed = recording.artifacts.len() > 1;
    match look(&path, kind) {
        // Its opening says what is wrong.
        None => Some(File { path, kind, order: None, is_listed, recording: None }),
        Some(FileType::Empty) => {
            let text = format!("{} is empty", path.display());
            session.builder.note(Note::new(Severity::Warning, "artifact-empty", text));
            None
        }
        Some(file_type) => {
            let order = file_type.order();
            // What should be readable and is not is tried: the error says what it looks like.
            let is_tried = order.is_some() || kind.is_some_and(is_read);
            is_tried.then_some(File { path, kind, order, is_listed, recording: None })
        }
    }
}

fn look(file: &Path, kind: Option<ArtifactKind>) -> Option<FileType> {
    use std::io::Read;
    let mut head = Vec::new();
    std::fs::File::open(file).ok()?.take(HEAD as u64).read_to_end(&mut head).ok()?;
    Some(Input { kind, ..Input::named("") }.file_type(&head))
}
