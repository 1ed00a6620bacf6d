//! All importers, in the order in which they are asked.

use wattle_android_logs as android;
use wattle_import::{Content, Format, HEAD, Head, Importer, ReadOrder, Recognition};
use wattle_kernel_traces as kernel;
use wattle_meters as meters;
use wattle_recording::ArtifactKind;
use wattle_stacks as stacks;

use crate::foreign;

/// Formats with a signature of their own at the beginning of each file.
const BY_SIGNATURE: &[&dyn Importer] = &[
    kernel::TRACE_DAT,
    stacks::PERF_DATA,
    stacks::SIMPLEPERF_PROTO,
    stacks::ART_TRACE,
    android::PROBES,
    meters::COUNTERS,
    kernel::ATRACE,
];

/// Formats that are recognised by their content, after the signatures of files that are not read. Of two that would take a file, the
/// first does: what is more certain comes first.
const BY_CONTENT: &[&dyn Importer] = &[
    wattle_etl::ETL,
    android::BATTERYSTATS_PROTO,
    kernel::PERFETTO,
    stacks::PERF_SCRIPT,
    kernel::FTRACE,
    kernel::SYSTRACE,
    android::BUG_REPORT,
    android::BATTERYSTATS_CHECKIN,
    android::BATTERYSTATS,
    android::PROBE_MAP,
    android::NAVITAS,
    meters::PROC_FILE,
    android::LOG,
    stacks::SIMPLEPERF_TEXT,
    stacks::FOLDED,
    meters::METER,
    android::BINARY_LOG,
];

/// The type of a file.
#[derive(Clone, Copy)]
pub(crate) enum FileType {
    /// One that the importer reads.
    Read(&'static dyn Importer),
    /// gzip.
    Gzip,
    /// A ZIP archive.
    Zip,
    /// Nothing in it.
    Empty,
    /// One that is not read; what messages call it.
    Other(&'static str),
    /// None that is known.
    Unknown,
}

impl FileType {
    /// The format, if it is one that an importer reads.
    pub fn format(self) -> Option<&'static Format> {
        match self {
            Self::Read(importer) => Some(importer.format()),
            _ => None,
        }
    }

    /// When it is read among the artifacts of a recording; `None` if it is not read.
    pub fn order(self) -> Option<ReadOrder> {
        match self {
            Self::Zip | Self::Gzip => Some(ReadOrder::Traces),
            other => other.format().map(|format| format.order),
        }
    }

    /// Returns its name in messages.
    pub fn title(self) -> &'static str {
        match self {
            Self::Read(importer) => importer.format().title,
            Self::Gzip => "gzip",
            Self::Zip => "a ZIP archive",
            Self::Empty => "an empty file",
            Self::Other(title) => title,
            Self::Unknown => "no format that is known here",
        }
    }
}

/// All importers.
pub(crate) fn importers() -> impl Iterator<Item = &'static dyn Importer> {
    BY_SIGNATURE.iter().chain(BY_CONTENT).copied()
}

/// Recognises a file by its first [`HEAD`] bytes.
pub(crate) fn recognise(bytes: &[u8]) -> FileType {
    let bytes = bytes.get(..HEAD).unwrap_or(bytes);
    if bytes.is_empty() {
        return FileType::Empty;
    }
    if bytes.starts_with(b"\x1f\x8b") {
        return FileType::Gzip;
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return FileType::Zip;
    }
    let head = head(bytes);
    if let Some(known) = ask(BY_SIGNATURE, &head) {
        return known;
    }
    if let Some(title) = foreign::signature(bytes) {
        return FileType::Other(title);
    }
    if let Some(known) = ask(BY_CONTENT, &head) {
        return known;
    }
    match head.content {
        Content::Text => FileType::Other("text"),
        Content::Json => FileType::Other("JSON"),
        Content::Foreign(title) => FileType::Other(title),
        Content::Binary => FileType::Unknown,
    }
}

fn head(bytes: &[u8]) -> Head<'_> {
    let bytes = bytes.get(..HEAD).unwrap_or(bytes);
    Head { bytes, content: foreign::content(bytes) }
}

fn ask(importers: &[&'static dyn Importer], head: &Head<'_>) -> Option<FileType> {
    importers.iter().find_map(|importer| match importer.recognise(head) {
        Recognition::No => None,
        Recognition::Yes | Recognition::Likely => Some(FileType::Read(*importer)),
        Recognition::Refused(title) => Some(FileType::Other(title)),
    })
}

/// Recognises a file that a recording lists as a kind. What the recording says counts for texts that look like nothing known, and
/// for kinds that are kept for people and not read.
pub(crate) fn recognise_as(kind: Option<ArtifactKind>, bytes: &[u8]) -> FileType {
    let recognised = recognise(bytes);
    let Some(kind) = kind else { return recognised };
    if matches!(recognised, FileType::Read(_) | FileType::Other(_) | FileType::Unknown) {
        let other = match recognised {
            FileType::Read(importer) => importer.recognise(&head(bytes)),
            _ => Recognition::No,
        };
        let mut claiming = importers().filter(|it| it.format().kinds.contains(&kind));
        if let Some(importer) = claiming.find(|it| it.insists(other)) {
            return FileType::Read(importer);
        }
    }
    if recognised.format().is_some() && !is_read(kind) {
        return FileType::Other("an artifact of another kind, by the recording");
    }
    recognised
}

/// Whether an importer reads artifacts that recordings list as the kind.
pub(crate) fn is_read(kind: ArtifactKind) -> bool {
    importers().any(|importer| importer.format().kinds.contains(&kind))
}

/// The formats that are read, for messages: by family, each with its members.
pub(crate) fn readable() -> String {
    let mut families: Vec<(&str, Vec<&str>)> = Vec::new();
    for format in importers().map(Importer::format) {
        let at = families.iter().position(|(family, _)| *family == format.family);
        let at = at.unwrap_or_else(|| {
            families.push((format.family, Vec::new()));
            families.len() - 1
        });
        if let Some((_, members)) = families.get_mut(at)
            && let Some(short) = format.short
            && !members.contains(&short)
        {
            members.push(short);
        }
    }
    let shown = families.iter().map(|(family, members)| match members.as_slice() {
        [] => (*family).to_owned(),
        members => format!("{family} ({})", members.join(", ")),
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
