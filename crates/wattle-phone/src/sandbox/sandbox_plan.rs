//! The plan by which a sandbox is made.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The name by which the phone starts the keeper.
pub(crate) const KEEPER: &str = "@keeper";
/// The name by which the keeper starts the first process.
pub(crate) const INIT: &str = "@init";

/// Passed on as a file in the phone's own folder.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct SandboxPlan {
    /// The folder of the run. The keeper removes it when the phone is gone without a farewell.
    pub(crate) base: PathBuf,
    /// The folder that becomes `/`.
    pub(crate) root: PathBuf,
    /// The socket of the phone for its programs.
    pub(crate) socket: PathBuf,
    /// Files and folders of this machine with their paths in the phone, where something stands for each to be mounted on.
    pub(crate) shown: Vec<(PathBuf, PathBuf)>,
    /// Largest file that a command may write, in bytes.
    pub(crate) most_file_bytes: u64,
}

impl SandboxPlan {
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        std::fs::write(path, serde_json::to_vec(self)?)
    }

    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }
}
