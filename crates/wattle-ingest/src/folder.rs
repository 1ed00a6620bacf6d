//! Recording folders: `recording.json` and the artifacts beside it.

use std::path::{Component, Path, PathBuf};

use wattle_import::{HEAD, ReadOrder, Session};
use wattle_recording::{ArtifactKind, FILE_NAME, Recording, RecordingError};
use wattle_timeline::{Note, Severity};

use crate::IngestError;
use crate::input_file::Input;
use crate::registry::{FileType, is_read};
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
}

impl File {
    /// A file that the user says is a power meter's.
    pub fn meter(path: &Path) -> Self {
        let kind = Some(ArtifactKind::Meter);
        let order = look(path, kind).and_then(FileType::order);
        Self { path: path.to_owned(), kind, order, is_listed: false }
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

/// The files that a path stands for: itself, or the artifacts of a recording folder. Of a series, those of its first iteration.
pub(crate) fn artifacts(path: &Path, session: &mut Session) -> Result<Vec<File>, IngestError> {
    if !path.is_dir() {
        let order = look(path, None).and_then(FileType::order);
        return Ok(vec![File { path: path.to_owned(), kind: None, order, is_listed: false }]);
    }
    let series = iterations(path)?;
    if let Some(first) = series.first() {
        if series.len() > 1 {
            let text = format!(
                "{} is a series of {} runs: the first is read; name the folder of another to read that",
                path.display(),
                series.len()
            );
            session.builder.note(Note::new(Severity::Info, "series", text));
        }
        return described(first, session);
    }
    if path.join(FILE_NAME).is_file() {
        return described(path, session);
    }
    let io = |source| IngestError::Io { path: path.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(io)?.take(MAX_FILES) {
        let file = entry.map_err(io)?.path();
        if file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    let looked_at = files.len();
    let files: Vec<File> = files
        .into_iter()
        .filter_map(|path| {
            let order = Some(look(&path, None)?.order()?);
            Some(File { path, kind: None, order, is_listed: false })
        })
        .collect();
    if files.is_empty() {
        let name = path.display().to_string();
        return Err(IngestError::NothingInside { name, files: looked_at });
    }
    Ok(files)
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
    session.describe(recording);
    Ok(files)
}

/// A file of the list, if there is a reader for it.
fn listed(
    path: PathBuf,
    kind: Option<ArtifactKind>,
    recording: &Recording,
    session: &mut Session,
) -> Option<File> {
    if !path.exists() && recording.artifacts.len() > 1 {
        let text = format!("{} is in the recording's list, but not there", path.display());
        session.builder.note(Note::new(Severity::Warning, "artifact-missing", text));
        return None;
    }
    let is_listed = recording.artifacts.len() > 1;
    match look(&path, kind) {
        // Its opening says what is wrong.
        None => Some(File { path, kind, order: None, is_listed }),
        Some(FileType::Empty) => {
            let text = format!("{} is empty", path.display());
            session.builder.note(Note::new(Severity::Warning, "artifact-empty", text));
            None
        }
        Some(file_type) => {
            let order = file_type.order();
            // What should be readable and is not is tried: the error says what it looks like.
            let is_tried = order.is_some() || kind.is_some_and(is_read);
            is_tried.then_some(File { path, kind, order, is_listed })
        }
    }
}

fn look(file: &Path, kind: Option<ArtifactKind>) -> Option<FileType> {
    use std::io::Read;
    let mut head = Vec::new();
    std::fs::File::open(file).ok()?.take(HEAD as u64).read_to_end(&mut head).ok()?;
    Some(Input { kind, ..Input::named("") }.file_type(&head))
}
