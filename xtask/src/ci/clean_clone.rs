//! The demo in a clean clone: only what is committed, without any of the variables that say what is at hand.
//!
//! That tests say what they need is checked while they run (`wattle_testdata`), so they are not run again here.
//!
//! ```text
//! checkout ──git clone──► empty folder/wattle       only what is committed
//! target/debug ──hard links──► target/clean-clone/debug
//! ```
//!
//! So that this does not build everything again, the libraries that were built before are handed on. Cargo takes one over if
//! none of its files is newer; files that are the same as in the checkout get the time that they have there. Programs and
//! test binaries are not handed on, nor is the crate of test data: they know where they were built.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use super::child_process::{cargo, command, run};
use crate::places;
use crate::repository;

/// Runs the stage.
pub fn check() -> Result<()> {
    check_committed()?;
    let temporary = tempfile::Builder::new().prefix("wattle-clean-").tempdir()?;
    let clone = temporary.path().join("wattle");
    let source = repository::root();
    run(command("git", &["clone", "--quiet", "--no-local"]).arg(&source).arg(&clone))?;
    keep_times(&source, &clone)?;
    let target = places::target().join("clean-clone");
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    hand_on(&places::target().join("debug"), &target.join("debug"))?;
    // With the features of the whole workspace, as the libraries at hand.
    let mut build = cargo("build --workspace --bin wattle");
    let mut demo = command(target.join("debug/wattle"), &["demo"]);
    for step in [&mut build, &mut demo] {
        forget_variables(step);
        step.current_dir(&clone).env("CARGO_TARGET_DIR", &target);
        run(step)?;
    }
    fs::remove_dir_all(&target)?;
    Ok(())
}

/// Fails for files that are neither committed nor ignored: what was checked before is not what others get.
fn check_committed() -> Result<()> {
    let others = repository::git(&["ls-files", "--others", "--exclude-standard"])?;
    if !others.is_empty() {
        bail!("files that are not committed:\n{others}");
    }
    Ok(())
}

/// Takes every variable of Wattle away, and those by which git or cargo would look elsewhere.
fn forget_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("WATTLE_") {
            command.env_remove(name);
        }
    }
}

/// Gives the files of the clone that are the same in the checkout the time that they have there.
fn keep_times(checkout: &Path, clone: &Path) -> Result<()> {
    for name in repository::git(&["ls-files", "-z"])?.split_terminator('\0') {
        let (original, copy) = (checkout.join(name), clone.join(name));
        let (Ok(old), Ok(new)) = (fs::read(&original), fs::read(&copy)) else { continue };
        if old == new {
            let time = original.metadata()?.modified()?;
            fs::File::options().write(true).open(&copy)?.set_modified(time)?;
        }
    }
    Ok(())
}

/// Hands the libraries of one profile's folder on.
fn hand_on(from: &Path, to: &Path) -> Result<()> {
    let is_library = |path: &Path| {
        let end = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        matches!(end, "rlib" | "rmeta" | "so" | "d") && !is_of_test_data(path)
    };
    link_folder(&from.join("deps"), &to.join("deps"), &is_library)?;
    link_folder(&from.join("build"), &to.join("build"), &|_| true)?;
    link_folder(&from.join(".fingerprint"), &to.join(".fingerprint"), &|path| {
        !is_of_test_data(path)
    })
}

/// Whether a file is of a crate that has the path of the checkout in it.
fn is_of_test_data(path: &Path) -> bool {
    path.components().any(|part| {
        let part = part.as_os_str().to_string_lossy().replace('-', "_");
        ["wattle_testdata", "wattle_requires"].iter().any(|name| part.contains(name))
    })
}

/// Hard links of the large files of a folder, which are replaced and never rewritten; copies of the small ones, which cargo
/// writes in place.
fn link_folder(from: &Path, to: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (old, new) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            link_folder(&old, &new, wanted)?;
        } else if wanted(&old) {
            let is_replaced =
                matches!(old.extension().and_then(OsStr::to_str), Some("rlib" | "rmeta" | "so"));
            // Another file system has no links.
            if !is_replaced || fs::hard_link(&old, &new).is_err() {
                fs::copy(&old, &new)?;
                let time = entry.metadata()?.modified()?;
                fs::File::open(&new)?.set_modified(time)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{hand_on, is_of_test_data};
    use std::path::Path;

    #[test]
    fn libraries_are_handed_on_with_their_times_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = folder.path().join("old");
        let write = |name: &str| {
            let path = old.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(&path, name).expect("a file");
        };
        let handed_on = [
            "deps/liba-1.rlib",
            "deps/a-1.d",
            ".fingerprint/a-1/lib-a",
            "build/b-1/build-script-build",
        ];
        let kept_back =
            ["deps/all-1", "deps/libwattle_testdata-1.rlib", ".fingerprint/wattle-testdata-1/lib"];
        for name in handed_on.iter().chain(&kept_back) {
            write(name);
        }
        let new = folder.path().join("new");
        hand_on(&old, &new).expect("links");
        for name in handed_on {
            let time = |folder: &Path| {
                folder.join(name).metadata().and_then(|data| data.modified()).expect(name)
            };
            assert_eq!(time(&old), time(&new), "{name}");
        }
        for name in kept_back {
            assert!(!new.join(name).exists(), "{name}");
        }
        assert!(!is_of_test_data(Path::new("deps/libwattle_units-1.rlib")));
    }
}
