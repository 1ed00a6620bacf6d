//! The recordings that results hold.

use std::path::{Path, PathBuf};

use crate::file_listing::FileListing;
use crate::{ImportError, PlannedSeries, Tool};

/// The recordings that a file or folder of another tool holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportPlan {
    /// The tool that made them.
    pub tool: Tool,
    /// The recordings, by folder.
    pub series: Vec<PlannedSeries>,
    /// Notes for the reader: what was left out, and why.
    pub notes: Vec<String>,
}

impl ImportPlan {
    /// Writes the recordings below a folder that does not exist or is empty. Gives their folders.
    ///
    /// # Errors
    /// If the folder is in use, or something cannot be copied.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, ImportError> {
        if folder.exists() {
            let FileListing { files, folders } = FileListing::read(folder)?;
            if !files.is_empty() || !folders.is_empty() {
                return Err(ImportError::NotEmpty { path: folder.to_owned() });
            }
        }
        self.series.iter().map(|series| series.write(folder)).collect()
    }
}
