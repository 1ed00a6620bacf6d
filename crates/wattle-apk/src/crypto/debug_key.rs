//! The debug key: made once, kept in the user's data folder.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{env, process};

use crate::ApkError;
use crate::crypto::private_key::GeneratedKey;
use crate::crypto::signing_key::SigningKey;

/// The user's data folder of this program, by the custom of the operating system; `None` without a home.
pub fn data_folder() -> Option<PathBuf> {
    let folder =
        |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        folder("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        folder("HOME")?.join("Library/Application Support")
    } else {
        folder("XDG_DATA_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| folder("HOME").map(|home| home.join(".local/share")))?
    };
    Some(base.join("wattle"))
}

/// The debug key of this kind that is kept in `folder`; made, with its folder, when there is none.
///
/// One key for all runs, so that a new version of a traced package installs over the old one. The file is
/// readable by its owner only.
pub fn load_or_create_debug_key(
    folder: &Path,
    kind: GeneratedKey,
    now: SystemTime,
) -> Result<SigningKey, ApkError> {
    let path = folder.join(match kind {
        GeneratedKey::Rsa2048 => "debug-rsa.pem",
        GeneratedKey::EcP256 => "debug-ec.pem",
    });
    if let Some(key) = load(&path)? {
        return Ok(key);
    }
    let key = SigningKey::generate(kind, "Wattle Debug", now)?;
    let fail = |source| ApkError::Io { path: path.clone(), source };
    fs::create_dir_all(folder).map_err(fail)?;
    // Written beside and linked into place: of two programs that start together one wins, and both use its key.
    let beside = folder.join(format!(".debug-{}.pem", process::id()));
    let linked = write_private(&beside, &key.to_pem()?).and_then(|()| {
        fs::hard_link(&beside, &path).or_else(|error| match error.kind() {
            ErrorKind::AlreadyExists => Ok(()),
            _ => fs::rename(&beside, &path),
        })
    });
    let _ = fs::remove_file(&beside);
    linked.map_err(fail)?;
    Ok(load(&path)?.unwrap_or(key))
}

fn load(path: &Path) -> Result<Option<SigningKey>, ApkError> {
    match fs::read(path) {
        Ok(pem) => SigningKey::from_pem(&pem, None, None).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ApkError::Io { path: path.to_owned(), source }),
    }
}

fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
