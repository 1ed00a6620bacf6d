//! Files that are written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use tempfile::{NamedTempFile, TempDir};

use crate::exit::{Failure, Outcome};

/// Writes a file. The content goes into another file beside it that takes its name at the end, so a full disk, a kill or a lack of power
/// leaves what was there.
pub fn write(path: &Path, content: &[u8]) -> Outcome {
    write_with(path, |to| to.write_all(content))
        .with_context(|| format!("writing {}", path.display()))
        .map_err(Failure::Environment)
}

/// The same, and makes its folder where that is missing.
pub fn write_in_new_folder(path: &Path, content: &[u8]) -> Outcome {
    if let Some(folder) = folder(path) {
        create_folder(folder)?;
    }
    write(path, content)
}

/// Creates a folder for results, with those above it, where it is missing.
pub fn create_folder(folder: &Path) -> Outcome {
    fs::create_dir_all(folder)
        .with_context(|| format!("creating {}", folder.display()))
        .map_err(Failure::Environment)
}

/// Writes a file piece by piece.
///
/// # Errors
/// That of the writer, or of the files, after which the other file is gone.
pub fn write_with<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    // A link stays one: its file is replaced, or made where the link points to none.
    let target = target(path);
    for place in [path, &target] {
        if let Some(folder) = folder(place).filter(|folder| !folder.exists()) {
            let text = format!("the folder {} does not exist", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, text).into());
        }
    }
    if wattle_store::is_of_history(&target) {
        let text = "it belongs to a history of runs; choose another file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text).into());
    }
    let known = path.metadata().ok();
    // Nothing can take the name of a device or a pipe.
    if known.as_ref().is_some_and(|known| !known.is_file()) {
        return write(&mut File::create(path)?);
    }
    // A file that may not be written is not replaced either. Links in a circle lead to none: opening them says so.
    if known.is_some() || target.is_symlink() {
        fs::OpenOptions::new().write(true).open(path)?;
    }
    // A folder that takes no new file can have one that may be written; where it has none, the error is about the file that was asked for.
    let Ok(mut part) = part(&target) else { return write(&mut File::create(path)?) };
    if let Some(known) = known {
        part.as_file().set_permissions(known.permissions())?;
    }
    let _unfinished = Unfinished::new(part.path());
    write(part.as_file_mut())?;
    part.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// The other files that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Deletes what is not finished, of a process that ends now: nothing is begun any more.
pub fn abandon() {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in unfinished.drain(..) {
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    std::mem::forget(unfinished);
}

/// The folder for temporary files.
pub fn temporary_files() -> PathBuf {
    let folder = std::env::temp_dir();
    // `TMPDIR=` would be the folder that the command runs in.
    if folder.as_os_str().is_empty() { PathBuf::from("/tmp") } else { folder }
}

/// An entry of [`UNFINISHED`].
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// The file is deleted if the process ends before this is dropped.
    fn new(path: &Path) -> Self {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Self(path.to_owned())
    }

    /// A folder for temporary files that only this user can look into, deleted with all in it when both are dropped, and if the process
    /// ends before.
    pub fn folder(prefix: &str) -> io::Result<(TempDir, Self)> {
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let mut folder = tempfile::Builder::new();
        folder.prefix(prefix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            folder.permissions(fs::Permissions::from_mode(0o700));
        }
        let folder = folder.tempdir_in(temporary_files())?;
        unfinished.push(folder.path().to_owned());
        let path = folder.path().to_owned();
        Ok((folder, Self(path)))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.0);
    }
}

/// As many links after one another as Linux follows.
const MOST_LINKS: usize = 40;

/// The file that is written for a path: behind links, also those that point to no file yet.
pub fn target(path: &Path) -> PathBuf {
    if let Ok(target) = path.canonicalize() {
        return target;
    }
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&target) else { return target };
        target = folder(&target).map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    path.to_owned()
}

/// The folder that a path names, if it names one.
fn folder(path: &Path) -> Option<&Path> {
    path.parent().filter(|folder| !folder.as_os_str().is_empty())
}

/// The other file: of a name that nobody can guess, and that was not there, so that no link leads elsewhere. It is gone when it is
/// dropped without having taken the name.
fn part(target: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".wattle-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Less what the user's mask takes away, as for any new file.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder(target).unwrap_or(Path::new(".")))
}
