//! Identity of a file under several names.

use std::path::{Path, PathBuf};

use super::whole_file;

/// Identity of the file that a path names: two paths of one file have the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileIdentity {
    /// Device and number of a file that exists; hard links have the same.
    #[cfg(unix)]
    Number(u64, u64),
    /// The path without links.
    Path(PathBuf),
}

impl FileIdentity {
    /// Of a file, or of the place where there is none yet; `None` for what takes or gives any number of
    /// contents, such as a pipe or `/dev/null`.
    pub fn from_path(path: &Path) -> Option<Self> {
        match path.metadata() {
            Ok(known) if !known.is_file() && !known.is_dir() => None,
            #[cfg(unix)]
            Ok(known) => {
                use std::os::unix::fs::MetadataExt as _;
                Some(Self::Number(known.dev(), known.ino()))
            }
            _ => Some(Self::Path(without_links(&whole_file::target(path)))),
        }
    }

    /// Of a pipe; `None` for anything else.
    #[cfg(unix)]
    pub fn of_pipe(path: &Path) -> Option<Self> {
        use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
        let known = path.metadata().ok()?;
        known.file_type().is_fifo().then(|| Self::Number(known.dev(), known.ino()))
    }

    /// Pipes have no numbers there.
    #[cfg(not(unix))]
    pub fn of_pipe(_: &Path) -> Option<Self> {
        None
    }
}

/// Links are followed as far as the path exists.
fn without_links(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for folder in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (folder.canonicalize(), path.strip_prefix(folder)) {
            return real.join(rest);
        }
    }
    path
}
