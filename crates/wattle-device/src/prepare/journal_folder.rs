//! The folder of journals.

use std::fs;
use std::path::{Path, PathBuf};

use crate::prepare::journal_file::{EXTENSION, JournalFile, JournalState};
use crate::prepare::{Journal, Unfinished};

/// The journals in a folder that need somebody.
#[derive(Debug, Default)]
pub struct JournalFolder {
    /// Those of killed runs, oldest first.
    pub unfinished: Vec<Unfinished>,
    /// Files that do not say of which device they are.
    pub damaged: Vec<PathBuf>,
}

impl JournalFolder {
    /// Looks through a folder.
    pub fn find(folder: &Path) -> Self {
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
        let mut found = Self::default();
        for path in files.filter(|path| path.extension().is_some_and(|it| it == EXTENSION)) {
            match JournalFile::reopen(&path) {
                JournalState::Settled => {}
                JournalState::Damaged => found.damaged.push(path),
                JournalState::Unfinished(reopened) => {
                    found.unfinished.push(Unfinished::new(reopened));
                }
            }
        }
        found.unfinished.sort_by_key(Unfinished::started_host_ns);
        found.damaged.sort();
        found
    }
}

impl Journal {
    /// The changes that killed runs left on their devices, by their files in the folder.
    pub fn unfinished(folder: &Path) -> Vec<Unfinished> {
        JournalFolder::find(folder).unfinished
    }
}
