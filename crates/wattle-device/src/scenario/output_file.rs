//! `scenario.txt`.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::DeviceError;

/// Most that is kept of what a scenario prints. A monkey that complains about every event writes megabytes, not more.
const MAX_BYTES: u64 = 64 << 20;
/// The artifact's name.
pub(crate) const FILE_NAME: &str = "scenario.txt";

/// Keeps what a scenario prints, up to 64 MiB.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    dropped: u64,
}

impl OutputFile {
    /// Begins `scenario.txt` in a folder.
    ///
    /// # Errors
    /// The error of the file system.
    pub fn create(folder: &Path) -> Result<Self, DeviceError> {
        let path = folder.join(FILE_NAME);
        match File::create(&path) {
            Ok(file) => Ok(Self { path, file, bytes: 0, dropped: 0 }),
            Err(source) => Err(DeviceError::File { path, source }),
        }
    }

    /// Adds a piece of output. At once: what a person finds after a crash is what had come.
    ///
    /// # Errors
    /// The error of the file system.
    pub fn add(&mut self, piece: &[u8]) -> Result<(), DeviceError> {
        let room = usize::try_from(MAX_BYTES - self.bytes).unwrap_or(usize::MAX).min(piece.len());
        let (kept, rest) = piece.split_at(room);
        self.file
            .write_all(kept)
            .map_err(|source| DeviceError::File { path: self.path.clone(), source })?;
        self.bytes += kept.len() as u64;
        self.dropped += rest.len() as u64;
        Ok(())
    }

    /// The number of bytes in the file.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of bytes that did not fit.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }
}
