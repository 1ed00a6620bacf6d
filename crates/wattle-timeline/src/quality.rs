//! Losses, guesses and input that was not understood. Shown in every report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ClockAlignment;

/// Severity of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Figures are less sure for it.
    Warning,
    /// A part of the recording could not be used.
    Error,
}

/// One thing a reader of the figures should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Note {
    /// Its severity.
    pub severity: Severity,
    /// A stable key, `kebab-case` (`no-cpu-idle`, `truncated`).
    pub code: String,
    /// A sentence: what was found, what was expected, what was done about it.
    pub text: String,
    /// Number of occurrences.
    pub count: u64,
    /// Byte offset in the artifact where it first happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

impl Note {
    /// A note that happened once, at no particular place.
    pub fn new(severity: Severity, code: &str, text: impl Into<String>) -> Self {
        Self { severity, code: code.into(), text: text.into(), count: 1, offset: None }
    }

    /// The same with a place.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// The same with a count.
    #[must_use]
    pub fn times(mut self, count: u64) -> Self {
        self.count = count;
        self
    }
}

/// The result of reading one input file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArtifactQuality {
    /// The file's name, or its name within an archive.
    pub name: String,
    /// The format it was read as (`perfetto`).
    pub format: String,
    /// Its size in bytes, unpacked.
    pub bytes: u64,
    /// Packets or records read.
    pub records: u64,
    /// Events by kind that were used (`sched_switch`: 11086).
    pub events: BTreeMap<String, u64>,
    /// Records and events that no reader is interested in, by the format's own name or number.
    pub unread: BTreeMap<String, u64>,
    /// Events the recorder itself says it lost.
    pub lost_events: u64,
    /// Bytes of the file that are records of kinds that no reader knows, or damaged ones. `None` if there are none, or the format's
    /// reader does not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored_bytes: Option<u64>,
    /// Everything else.
    pub notes: Vec<Note>,
}

impl ArtifactQuality {
    /// The share of the file that was ignored, if that is so much that figures are less sure for it: more than 1 %.
    pub fn ignored_share(&self) -> Option<f64> {
        let ignored = self.ignored_bytes? as f64;
        let share = ignored / (self.bytes.max(1) as f64).max(ignored);
        (share > 0.01).then_some(share)
    }
}

/// The quality of a whole recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Quality {
    /// One entry an artifact.
    pub artifacts: Vec<ArtifactQuality>,
    /// Alignment of each input file whose clock is not boot time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alignments: Vec<ClockAlignment>,
    /// Notes of later stages (models, attribution).
    pub notes: Vec<Note>,
}

/// The first of some errors, and how many more there are.
pub fn first_error(errors: &[String]) -> Option<String> {
    match errors {
        [] => None,
        [only] => Some(only.clone()),
        [first, rest @ ..] => Some(format!("{first} (and {} more)", rest.len())),
    }
}

impl Quality {
    /// Number of events that recorders say they lost, over all input files.
    pub fn lost_events(&self) -> u64 {
        self.artifacts.iter().fold(0, |sum, artifact| sum.saturating_add(artifact.lost_events))
    }

    /// Errors as a sentence each, without a period: lost events first, then the notes of severity error in the order of the input files.
    pub fn errors(&self) -> Vec<String> {
        let is_error = |note: &&Note| note.severity == Severity::Error;
        let lost = match self.lost_events() {
            0 => None,
            1 => Some("1 event was lost while recording, so figures may be too low".to_owned()),
            lost => {
                Some(format!("{lost} events were lost while recording, so figures may be too low"))
            }
        };
        let of_files = self.artifacts.iter().flat_map(|artifact| {
            let notes = artifact.notes.iter().filter(is_error);
            notes.map(move |note| format!("{}: {}", artifact.name, note.text))
        });
        let later = self.notes.iter().filter(is_error).map(|note| note.text.clone());
        lost.into_iter().chain(of_files).chain(later).collect()
    }

    /// The gravest thing that was said, over artifacts and later stages.
    pub fn worst(&self) -> Option<Severity> {
        let artifacts = self.artifacts.iter().flat_map(|artifact| &artifact.notes);
        artifacts.chain(&self.notes).map(|note| note.severity).max()
    }
}
