//! Listing of folders, within bounds.

use std::path::{Component, Path, PathBuf};

use crate::ImportError;

/// More entries than the results of any experiment have in one folder.
const MOST: usize = 100_000;

/// Letters of a folder's name; with four bytes each they are still one.
const LONGEST_NAME: usize = 60;

/// Files and folders of a folder, by name.
#[derive(Debug, Default)]
pub(crate) struct FileListing {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) folders: Vec<PathBuf>,
}

impl FileListing {
    /// Lists a folder; links are passed over.
    pub(crate) fn read(folder: &Path) -> Result<Self, ImportError> {
        let mut listing = Self::default();
        for entry in std::fs::read_dir(folder).map_err(ImportError::io(folder))?.take(MOST) {
            let entry = entry.map_err(ImportError::io(folder))?;
            let kind = entry.file_type().map_err(ImportError::io(folder))?;
            if kind.is_file() {
                listing.files.push(entry.path());
            } else if kind.is_dir() {
                listing.folders.push(entry.path());
            }
        }
        listing.files.sort();
        listing.folders.sort();
        Ok(listing)
    }
}

/// The name of a file or folder, as text.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A file that results name, if it is in their folder or below: what they say may lead anywhere.
pub(crate) fn named_file(folder: &Path, name: &str) -> Option<PathBuf> {
    let is_below = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let path = folder.join(name);
    let is_file = std::fs::symlink_metadata(&path).is_ok_and(|facts| facts.is_file());
    (is_below && is_file && is_inside(folder, &path)).then_some(path)
}

fn is_inside(folder: &Path, path: &Path) -> bool {
    match (folder.canonicalize(), path.canonicalize()) {
        (Ok(folder), Ok(path)) => path.starts_with(folder),
        _ => false,
    }
}

/// Text as the name of a folder: letters, digits, `.`, `_` and `-`.
pub(crate) fn folder_name(text: &str) -> String {
    let plain = |letter: char| {
        if letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-') { letter } else { '-' }
    };
    let name: String = text.chars().take(LONGEST_NAME).map(plain).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "unnamed".to_owned() } else { name.to_owned() }
}
