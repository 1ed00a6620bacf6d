//! ZIP archives: a recording, a bug report, an app's package with its probe map, or any files that are read.

use std::fmt::Write as _;
use std::io::{Cursor, Read, Seek};

use wattle_android_logs::{PROBE_MAP, read_probe_map};
use wattle_import::{HEAD, ReadOrder, Session, Source, UnpackBudget};
use wattle_recording::{ArtifactKind, FILE_NAME, Recording};
use wattle_timeline::{Note, Severity};
use zip::ZipArchive;

use crate::input_file::Input;
use crate::registry::{FileType, is_read};
use crate::unpacked::{import, read_gzip, wrong_type};
use crate::zip_salvage::{self, SalvagedArchive};
use crate::{IngestError, Progress};

/// Path of the map of its probes in a package.
const MAP_IN_PACKAGE: &str = "assets/wattle/probes.jsonl";
/// The largest `recording.json` that is read.
const MAX_DESCRIPTION: u64 = 64 << 20;

/// A member that is read, and when: what others need comes first.
struct Chosen {
    order: ReadOrder,
    index: usize,
    name: String,
    kind: Option<ArtifactKind>,
}

/// Reads the members of an archive as artifacts of one recording.
pub(crate) fn read(
    input: Input<'_>,
    mut archive: impl Read + Seek + Send,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let reason = match ZipArchive::new(&mut archive) {
        // Behind the headers of other members, a directory is that of an archive within the archive.
        Ok(whole) if whole.offset() == 0 => return read_members(input, whole, session, progress),
        Ok(_) => "no central directory of the archive".to_owned(),
        Err(error) => error.to_string(),
    };
    let broken = |reason: String| IngestError::Archive { name: input.name.to_owned(), reason };
    let salvaged = zip_salvage::salvage(archive, session.unpacking.left());
    let Some(salvaged) = salvaged.map_err(|error| broken(error.to_string()))? else {
        return Err(broken(reason));
    };
    let text = loss(input, &salvaged);
    let archive = ZipArchive::new(salvaged).map_err(|_| broken(reason.clone()))?;
    match read_members(input, archive, session, progress) {
        Ok(()) => {
            session.builder.note(Note::new(Severity::Error, "archive-cut", text));
            Ok(())
        }
        Err(IngestError::NothingInside { .. }) => Err(broken(reason)),
        Err(error) => Err(error),
    }
}

/// Says what is lost of an archive that is not whole.
fn loss<R>(input: Input<'_>, salvaged: &SalvagedArchive<R>) -> String {
    let files =
        |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let mut text = format!(
        "{}: the archive is not complete (its directory is missing): it contains {} whole",
        input.name,
        files(salvaged.whole)
    );
    if let Some(cut) = &salvaged.cut {
        let _ = write!(text, "; it ends within {cut}, of which the part before the cut is used");
    }
    if salvaged.damaged > 0 {
        let _ = write!(text, "; damaged or encrypted and not used: {}", files(salvaged.damaged));
    }
    text += "; files after that are lost";
    text
}

/// Reads the members of an archive that has a directory.
fn read_members(
    input: Input<'_>,
    mut archive: ZipArchive<impl Read + Seek + Send>,
    session: &mut Session,
    progress: &mut dyn Progress,
) -> Result<(), IngestError> {
    let broken = |error: zip::result::ZipError| IngestError::Archive {
        name: input.name.to_owned(),
        reason: error.to_string(),
    };
    let app =
        [("AndroidManifest.xml", "an APK (Android app)"), ("BundleConfig.pb", "an app bundle")];
    let found = app.into_iter().find(|(file, _)| archive.index_for_name(file).is_some());
    if let Some((_, what)) = found {
        return map_of_package(input, &mut archive, FileType::Other(what), session);
    }
    let description = description(input, &mut archive, session)?;
    let files = archive.len();
    let entries = (files as u64).saturating_mul(UnpackBudget::OF_ENTRY);
    let looked_at = if session.unpacking.try_take(entries) { files } else { 0 };
    let mut first_error = None;
    let mut chosen = Vec::new();
    for index in 0..looked_at {
        match choose(&mut archive, index, description.as_ref()) {
            Ok(member) => chosen.extend(member),
            Err(error) => {
                first_error.get_or_insert(broken(error));
            }
        }
    }
    if let Some((folder, recording)) = &description {
        note_missing(folder, recording, &chosen, session);
    }
    chosen.sort_by_key(|member| (member.order, member.index));
    let mut read_any = false;
    for Chosen { index, name, kind, .. } in chosen {
        let Ok(member) = archive.by_index(index) else { continue };
        // Stored members count, too: all of them may be the same bytes of the archive.
        let mut member = session.unpacking.reader(member);
        let shown = format!("{}/{name}", input.name);
        let inner = Input { name: &shown, total: None, kind };
        let mut head = Vec::new();
        if member.by_ref().take(HEAD as u64).read_to_end(&mut head).is_err() && head.is_empty() {
            continue;
        }
        let file_type = inner.file_type(&head);
        let stream = Cursor::new(head).chain(member);
        match file_type {
            FileType::Gzip => {
                read_any |= read_gzip(inner, stream, session, progress).is_ok();
            }
            FileType::Read(importer) => {
                let source = Source::Stream(Box::new(stream));
                read_any |= import(importer, inner, source, session, progress).is_ok();
            }
            _ => {}
        }
        if session.unpacking.is_exceeded() {
            break;
        }
    }
    match first_error {
        _ if read_any => Ok(()),
        Some(error) => Err(error),
        None => Err(IngestError::NothingInside { name: input.name.to_owned(), files }),
    }
}

/// Whether a member is read, by its first bytes and by what the recording says.
fn choose<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    index: usize,
    description: Option<&(String, Recording)>,
) -> Result<Option<Chosen>, zip::result::ZipError> {
    let mut member = archive.by_index(index)?;
    if member.is_dir() {
        return Ok(None);
    }
    let name = member.name().map_or_else(|_| index.to_string(), |name| name.to_string());
    let mut kind = None;
    if let Some((folder, recording)) = description {
        let listed = name.strip_prefix(folder.as_str());
        let listed = recording.artifacts.iter().find(|artifact| Some(&*artifact.file) == listed);
        let Some(listed) = listed else { return Ok(None) };
        kind = listed.kind;
    }
    let mut head = Vec::new();
    let _ = member.by_ref().take(HEAD as u64).read_to_end(&mut head);
    let file_type = Input { kind, ..Input::named(&name) }.file_type(&head);
    Ok(file_type.order().map(|order| Chosen { order, index, name, kind }))
}

/// Says which artifacts of the list are not there, or cannot be read as what they are said to be.
fn note_missing(folder: &str, recording: &Recording, chosen: &[Chosen], session: &mut Session) {
    for artifact in &recording.artifacts {
        let is_chosen =
            chosen.iter().any(|it| it.name.strip_prefix(folder) == Some(&artifact.file));
        if !is_chosen && artifact.kind.is_some_and(is_read) {
            let text = format!(
                "{} is in the recording's list, but not in the archive, or is not what it is said to be",
                artifact.file
            );
            session.builder.note(Note::new(Severity::Error, "artifact-unreadable", text));
        }
    }
}

/// The `recording.json` of the archive that lies least deep, and the folder it is in; of a series, that of its first iteration.
fn description<R: Read + Seek>(
    input: Input<'_>,
    archive: &mut ZipArchive<R>,
    session: &mut Session,
) -> Result<Option<(String, Recording)>, IngestError> {
    let names = archive.file_names().filter_map(|name| Some(name.ok()?.into_owned()));
    let named: Vec<_> = names.filter(|name| name.rsplit('/').next() == Some(FILE_NAME)).collect();
    let least = named.iter().min_by_key(|name| (name.matches('/').count(), name.as_str()));
    let Some(least) = least else { return Ok(None) };
    let folder = least.strip_suffix(FILE_NAME).unwrap_or_default();
    let iterations = named.iter().filter_map(|name| {
        let number = name.strip_prefix(folder)?.strip_suffix(FILE_NAME)?.strip_suffix('/')?;
        Some((number.parse::<u32>().ok()?, name))
    });
    let name = iterations.min().map_or(least, |(_, name)| name).clone();
    let mut text = String::new();
    let member = archive.by_name(&name).map_err(|error| IngestError::Archive {
        name: input.name.to_owned(),
        reason: error.to_string(),
    })?;
    let wrong = |reason: String| IngestError::Recording {
        path: format!("{}/{name}", input.name).into(),
        reason,
    };
    session
        .unpacking
        .reader(member.take(MAX_DESCRIPTION))
        .read_to_string(&mut text)
        .map_err(|error| wrong(error.to_string()))?;
    let recording: Recording = serde_json::from_str(&text).map_err(|error| {
        wrong(format!("expected a recording with a list of artifacts, found: {error}"))
    })?;
    session.runs.current = Some(session.describe(input.name, recording.clone()));
    let folder = name.strip_suffix(FILE_NAME).unwrap_or_default().to_owned();
    Ok(Some((folder, recording)))
}

/// A package is read for the map of its probes.
fn map_of_package<R: Read + Seek>(
    input: Input<'_>,
    archive: &mut ZipArchive<R>,
    file_type: FileType,
    session: &mut Session,
) -> Result<(), IngestError> {
    let Ok(member) = archive.by_name(MAP_IN_PACKAGE) else {
        return Err(wrong_type(input, file_type));
    };
    let name = format!("{}/{MAP_IN_PACKAGE}", input.name);
    let member = session.unpacking.reader(member);
    read_probe_map(&name, member, session);
    session.note_kind(PROBE_MAP.format());
    Ok(())
}
