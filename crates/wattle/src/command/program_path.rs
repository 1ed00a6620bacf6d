//! Programs of this machine by name.

use std::ffi::OsStr;
use std::path::PathBuf;

/// Finds a program in `PATH`.
pub fn find(name: impl AsRef<OsStr>) -> Option<PathBuf> {
    let mut file = name.as_ref().to_owned();
    file.push(std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(&file)).find(|file| file.is_file())
}
