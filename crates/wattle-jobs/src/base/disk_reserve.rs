//! Bytes that are kept for writes on a full disk.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::ServerError;
use super::disk_space::free_bytes;

/// A file without meaning in the server's folder. It is deleted when the disk is full, so that there is room for deleting something, and
/// made again later.
#[derive(Debug)]
pub(crate) struct DiskReserve {
    folder: PathBuf,
    bytes: u64,
}

impl DiskReserve {
    /// Bytes of the file that shows whether the disk takes any.
    const CHECKED: usize = 4096;

    /// In a server's folder.
    pub fn new(folder: &Path, bytes: u64) -> Self {
        Self { folder: folder.to_owned(), bytes }
    }

    fn file(&self) -> PathBuf {
        self.folder.join("reserve")
    }

    /// Makes the file, if the disk has room for much more. Where that fails there is no such file.
    pub fn fill(&self) {
        let file = self.file();
        let free = free_bytes(&self.folder).unwrap_or(0);
        let is_kept = fs::metadata(&file).is_ok_and(|it| it.len() == self.bytes);
        if self.bytes == 0 || is_kept || free < self.bytes.saturating_mul(4) {
            return;
        }
        if self.write(&file).is_err() {
            let _ = fs::remove_file(&file);
        }
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut file = create(path)?;
        let block = vec![0; 1 << 16];
        let mut left = self.bytes;
        while left > 0 {
            let part = usize::try_from(left).unwrap_or(block.len()).min(block.len());
            file.write_all(block.get(..part).unwrap_or(&block))?;
            left -= part as u64;
        }
        file.sync_all()
    }

    /// Deletes the file if the disk has less room than it takes.
    pub fn give(&self) {
        if free_bytes(&self.folder).is_ok_and(|free| free < self.bytes) {
            let _ = fs::remove_file(self.file());
        }
    }

    /// Writes a small file and deletes it.
    pub fn check(&self) -> Result<(), ServerError> {
        let path = self.folder.join(format!("written-{}", std::process::id()));
        let written = create(&path).and_then(|mut file| {
            file.write_all(&[0; Self::CHECKED])?;
            file.sync_all()
        });
        let _ = fs::remove_file(&path);
        written.map_err(ServerError::file(&path))
    }
}

fn create(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
