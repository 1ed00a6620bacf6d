//! A folder and the description that is in it.

use std::path::{Path, PathBuf};

use wattle_recording::{Artifact, ArtifactKind, Recording};

use crate::DeviceError;
use crate::session::HostFile;
use crate::source::Collected;

/// The `interrupted` text of a recording that is not complete; it stays if the recorder is killed.
pub(super) const UNFINISHED: &str = "the recording has not come to its end";

/// A folder of a recording that is being made.
#[derive(Debug)]
pub(super) struct RecordingFolder {
    pub(super) path: PathBuf,
    pub(super) recording: Recording,
}

impl RecordingFolder {
    /// Begins one.
    pub(super) fn create(path: &Path, recording: Recording) -> Result<Self, DeviceError> {
        std::fs::create_dir_all(path)
            .map_err(|source| DeviceError::File { path: path.to_owned(), source })?;
        let folder = Self { path: path.to_owned(), recording };
        folder.save()?;
        Ok(folder)
    }

    /// Writes the description.
    pub(super) fn save(&self) -> Result<(), DeviceError> {
        Ok(wattle_recording::save(&self.recording, &self.path)?)
    }

    /// Writes a file and adds it.
    pub(super) fn write(&mut self, file: &HostFile) -> Result<(), DeviceError> {
        let path = self.path.join(&file.file);
        std::fs::write(&path, &file.bytes).map_err(|source| DeviceError::File { path, source })?;
        self.add(&file.file, file.kind, false);
        Ok(())
    }

    /// Adds a file that is in the folder. One of the same name is replaced.
    pub(super) fn add(&mut self, file: &str, kind: ArtifactKind, partial: bool) {
        let bytes = self.path.join(file).metadata().ok().map(|facts| facts.len());
        self.recording.artifacts.retain(|artifact| artifact.file != file);
        self.recording.artifacts.push(Artifact {
            file: file.to_owned(),
            kind: Some(kind),
            bytes,
            partial,
            iteration: None,
        });
    }

    /// Adds what a source brought.
    pub(super) fn add_collected(&mut self, source: &str, collected: &Collected) {
        for file in &collected.files {
            self.add(&file.file, file.kind, file.partial);
        }
        let facts = self.recording.sources.iter_mut().find(|facts| facts.name == source);
        if let Some(facts) = facts {
            facts.recorded = !collected.files.is_empty();
            if !collected.notes.is_empty() {
                facts.reason = Some(collected.notes.join("; "));
            }
        }
    }

    /// A source that gave nothing.
    pub(super) fn source_failed(&mut self, source: &str, why: &str) {
        self.note(&format!("{source}: {why}"));
        let facts = self.recording.sources.iter_mut().find(|facts| facts.name == source);
        if let Some(facts) = facts {
            facts.recorded = false;
            facts.reason = Some(why.to_owned());
        }
    }

    /// Adds something that a reader should know, once.
    pub(super) fn note(&mut self, note: &str) {
        if !self.recording.notes.iter().any(|known| known == note) {
            self.recording.notes.push(note.to_owned());
        }
    }
}
