//! The lock of an upload's file.

use std::fs::{File, TryLockError};
use std::ops::{Deref, DerefMut};
use std::path::Path;

use crate::base::ServerError;

/// A file that nobody else writes to. The lock ends with it.
#[derive(Debug)]
pub(crate) struct LockedFile(File);

impl LockedFile {
    /// Opens a file, unless somebody else writes to it.
    pub fn open(path: &Path) -> Result<Self, ServerError> {
        let file = File::options().read(true).write(true).open(path);
        let file = file.map_err(ServerError::file(path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => {
                Err(ServerError::Conflict("another request is sending this upload".to_owned()))
            }
            Err(TryLockError::Error(error)) => Err(ServerError::file(path)(error)),
        }
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for LockedFile {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // Closing is not enough: a process that is being started has the file, too, for a moment.
        let _ = self.0.unlock();
    }
}
