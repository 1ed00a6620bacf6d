//! Runs that belong together.

use std::path::{Path, PathBuf};

use crate::{ImportError, PlannedRun};

/// Runs of one test or subject on one device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlannedSeries {
    /// Name of the folder.
    pub name: String,
    /// The runs, in their order.
    pub runs: Vec<PlannedRun>,
}

impl PlannedSeries {
    /// Writes the runs: one as the folder itself, several as `0/`, `1/` … in it.
    pub(crate) fn write(&self, folder: &Path) -> Result<PathBuf, ImportError> {
        let folder = folder.join(&self.name);
        match self.runs.as_slice() {
            [run] => run.write(&folder)?,
            runs => {
                for (number, run) in runs.iter().enumerate() {
                    run.write(&folder.join(number.to_string()))?;
                }
            }
        }
        Ok(folder)
    }
}
