//! The programs that are measured: built from the working tree, and from other commits once each.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::places;
use crate::repository;

/// The folder of everything that benchmarks make and keep.
pub fn cache() -> PathBuf {
    places::target().join("bench")
}

/// The program of the working tree, and the one that writes inputs, built in one go so that what they share is built once.
pub fn of_working_tree() -> Result<PathBuf> {
    let arguments =
        "build --release --locked -p wattle -p wattle-sim --bin wattle --example bench_inputs";
    build(&repository::root(), &places::target(), arguments)?;
    Ok(places::target().join("release/wattle"))
}

/// The program that writes inputs; builds it if need be.
pub fn of_inputs() -> Result<PathBuf> {
    let program = places::target().join("release/examples/bench_inputs");
    if !program.is_file() {
        let arguments = "build --release --locked -p wattle-sim --example bench_inputs";
        build(&repository::root(), &places::target(), arguments)?;
    }
    Ok(program)
}

/// The program of a commit; built in a checkout of its own, with a target folder of its own, unless it was before.
pub fn of_commit(commit: &str) -> Result<PathBuf> {
    let commit = repository::git(&["rev-parse", "--verify", &format!("{commit}^{{commit}}")])?;
    let folder = cache().join(commit.trim());
    let program = folder.join("target/release/wattle");
    if program.is_file() {
        return Ok(program);
    }
    let checkout = folder.join("checkout");
    if !checkout.is_dir() {
        std::fs::create_dir_all(&folder)?;
        // Somebody may have removed the folder and not told git.
        repository::git(&["worktree", "prune"])?;
        let path = checkout.to_str().context("a path of the target folder in UTF-8")?;
        repository::git(&["worktree", "add", "--detach", path, commit.trim()])?;
    }
    println!("building {} once; this takes minutes", commit.trim());
    build(&checkout, &folder.join("target"), "build --release --locked -p wattle --bin wattle")?;
    Ok(program)
}

fn build(checkout: &Path, target: &Path, arguments: &str) -> Result<()> {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments.split(' ')).current_dir(checkout).env("CARGO_TARGET_DIR", target);
    // Names and lines are half of the work of linking in older commits, and change no instruction.
    cargo.env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    let status = cargo.status().context("cargo")?;
    if !status.success() {
        bail!("cargo {arguments} in {}: {status}", checkout.display());
    }
    Ok(())
}
