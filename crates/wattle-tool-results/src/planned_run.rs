//! One run of a series that is to be written.

use std::path::{Path, PathBuf};

use wattle_recording::{Artifact, ArtifactKind, Recording};

use crate::ImportError;
use crate::file_listing::name;

/// A file that becomes an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFile {
    /// The file of the other tool.
    pub source: PathBuf,
    /// Its content, where its tool says so; else the content decides.
    pub kind: Option<ArtifactKind>,
}

/// A run: what is known of it, and its files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlannedRun {
    /// The description, without artifacts.
    pub recording: Recording,
    /// The files.
    pub files: Vec<PlannedFile>,
}

impl PlannedRun {
    /// Copies the files into a folder and describes them.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), ImportError> {
        std::fs::create_dir_all(folder).map_err(ImportError::io(folder))?;
        let mut recording = self.recording.clone();
        recording.wattle_recording = wattle_recording::VERSION;
        for PlannedFile { source, kind } in &self.files {
            let file = free_name(&recording.artifacts, &name(source));
            let target = folder.join(&file);
            let bytes = copy(source, &target)?;
            let (bytes, kind) = (Some(bytes), *kind);
            recording.artifacts.push(Artifact {
                file,
                kind,
                bytes,
                partial: false,
                iteration: None,
            });
        }
        Ok(wattle_recording::save(&recording, folder)?)
    }
}

/// Copies a file whole, or not at all.
fn copy(from: &Path, to: &Path) -> Result<u64, ImportError> {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    std::fs::copy(from, to).map_err(|source| {
        // A part of it would pass for a recording.
        let _ = std::fs::remove_file(to);
        match source.kind() {
            StorageFull | QuotaExceeded | FileTooLarge | ReadOnlyFilesystem => {
                ImportError::NotWritten { path: to.to_owned(), source }
            }
            _ => ImportError::Io { path: from.to_owned(), source },
        }
    })
}

/// The name, or that with a number before it where another file of the run has it already.
fn free_name(taken: &[Artifact], name: &str) -> String {
    let is_taken = |name: &str| {
        name == wattle_recording::FILE_NAME || taken.iter().any(|artifact| artifact.file == name)
    };
    if !is_taken(name) {
        return name.to_owned();
    }
    // One number more than there are names is free in any case.
    let numbers = 1..=taken.len().saturating_add(1);
    let mut numbered = numbers.map(|number| format!("{number}-{name}"));
    numbered.find(|name| !is_taken(name)).unwrap_or_else(|| name.to_owned())
}
