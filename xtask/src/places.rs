//! Places outside of the checkout for files that the gate makes once.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::repository;

/// Folder that a variable names, else one in the cache of this user.
fn place(variable: &str, name: &str) -> PathBuf {
    if let Some(path) = std::env::var_os(variable) {
        return PathBuf::from(path);
    }
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache");
    std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("wattle").join(name)
}

/// The Android runtime.
pub fn runtime() -> PathBuf {
    place("WATTLE_ART", "art")
}

/// The programs that open exports, and schemas of formats.
pub fn viewers() -> PathBuf {
    place("WATTLE_VIEWERS", "viewers")
}

/// The device daemon.
pub fn daemon() -> PathBuf {
    place("WATTLE_ADBD", "adbd")
}

/// Corpora and findings of the fuzz targets.
pub fn fuzz() -> PathBuf {
    place("WATTLE_FUZZ", "fuzz")
}

/// Returns the folder beside the checkout: real recordings, and scripts that make the runtime and the daemon.
pub fn shared() -> PathBuf {
    repository::root().parent().unwrap_or(Path::new("/")).join("shared")
}

/// The folder of real recordings, if it is there.
pub fn data() -> Option<PathBuf> {
    let named = std::env::var_os("WATTLE_DATA").map(PathBuf::from);
    Some(named.unwrap_or_else(|| shared().join("data"))).filter(|folder| folder.is_dir())
}

/// The program that is tested: the one that is named, else `$WATTLE_PROGRAM`, else that of the development profile.
pub fn tested_program(named: Option<&str>) -> Result<PathBuf> {
    let named =
        named.map(PathBuf::from).or_else(|| Some(std::env::var_os("WATTLE_PROGRAM")?.into()));
    let program = named.unwrap_or_else(|| target().join("debug/wattle"));
    program.canonicalize().context("the program to test")
}

/// The script that a variable names, else one of the shared folder, if it is there.
pub fn script(variable: &str, path: &str) -> Option<PathBuf> {
    let script = std::env::var_os(variable).map_or_else(|| shared().join(path), PathBuf::from);
    script.is_file().then_some(script)
}

/// The folder that cargo builds in.
pub fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    repository::root().join(target)
}

/// Makes a folder under another name and renames it when it is whole, so that one that broke off is never taken for a whole.
/// A whole one that somebody else made in the meantime stays.
pub fn make_whole(whole: &Path, make: impl FnOnce(&Path) -> Result<bool>) -> Result<bool> {
    let parent = whole.parent().context("a folder to make")?;
    std::fs::create_dir_all(parent)?;
    let unfinished = tempfile::Builder::new().prefix("unfinished.").tempdir_in(parent)?;
    let inner = unfinished.path().join("made");
    std::fs::create_dir(&inner)?;
    if !make(&inner)? {
        return Ok(false);
    }
    // `-T`: never into a folder that is there by now.
    Command::new("mv").arg("-T").arg(&inner).arg(whole).status()?;
    Ok(whole.exists())
}

/// A path that starts this program again, also after a build has put a newer one in its place.
pub fn this_program() -> std::io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        Ok(PathBuf::from("/proc/self/exe"))
    } else {
        std::env::current_exe()
    }
}
