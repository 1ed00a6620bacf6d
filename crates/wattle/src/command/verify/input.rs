//! The files that are named on the command line.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_apk::{Apk, ApkError, ApkSet};

/// A file that was read, and what it is by its content.
pub struct Input {
    /// The path as it was given.
    pub name: String,
    /// The path.
    pub path: PathBuf,
    /// The content.
    pub bytes: Vec<u8>,
    /// Its kind.
    pub kind: Kind,
}

/// Kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A Dalvik executable.
    Dex,
    /// An Android package.
    Package,
    /// An archive of packages (`.apks`, `.xapk`).
    Set,
    /// Any other archive with code (`.jar`, `.zip`).
    Archive,
    /// A file that begins like an archive, but that Android could not open.
    Broken,
}

/// Reads all files. An error names the one that cannot be judged at all: it is not there, or neither a
/// Dalvik executable nor an archive.
pub fn read(paths: &[PathBuf]) -> anyhow::Result<Vec<Input>> {
    paths.iter().map(|path| read_one(path)).collect()
}

fn read_one(path: &Path) -> anyhow::Result<Input> {
    let name = path.to_string_lossy().into_owned();
    let read = || {
        if path.is_dir() {
            anyhow::bail!("it is a folder, expected an APK, a set of APKs, a DEX or a JAR file");
        }
        let bytes = ApkSet::read_file(path)?;
        let kind = kind(&bytes)?;
        Ok((bytes, kind))
    };
    let (bytes, kind) = read().with_context(|| name.clone())?;
    Ok(Input { name, path: path.to_path_buf(), bytes, kind })
}

fn kind(bytes: &[u8]) -> anyhow::Result<Kind> {
    if bytes.starts_with(b"dex\n") {
        return Ok(Kind::Dex);
    }
    if !bytes.starts_with(b"PK") {
        anyhow::ensure!(!bytes.is_empty(), "the file is empty");
        let found: Vec<_> = bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        anyhow::bail!(
            "neither a Dalvik executable nor an archive: expected it to begin with `dex\\n` or `PK`, found {}",
            found.join(" ")
        );
    }
    let apk = match Apk::open(bytes) {
        Ok(apk) => apk,
        Err(error @ ApkError::Bundle) => return Err(error.into()),
        Err(_) => return Ok(Kind::Broken),
    };
    let named = |suffix: &str| {
        apk.entries().iter().any(|entry| entry.name().to_ascii_lowercase().ends_with(suffix))
    };
    if apk.entry(Apk::MANIFEST).is_some() {
        Ok(Kind::Package)
    } else if named(".apk") {
        Ok(Kind::Set)
    } else if apk.code_entries().next().is_some() {
        Ok(Kind::Archive)
    } else {
        anyhow::bail!(
            "an archive without code: expected {}, packages or classes.dex inside",
            Apk::MANIFEST
        )
    }
}
