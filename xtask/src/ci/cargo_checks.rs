//! The stages that are one command of cargo each, and the built program's own pages.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::child_process::{cargo, command, run};
use crate::places;

pub fn formatting() -> Result<()> {
    run(&mut cargo("fmt --all --check"))
}

pub fn clippy() -> Result<()> {
    run(&mut cargo("clippy --workspace --all-targets --locked -- -D warnings"))
}

/// The program as it is shipped.
pub fn phoneless() -> Result<()> {
    run(&mut cargo("clippy -p wattle --no-default-features --locked -- -D warnings"))
}

pub fn documentation() -> Result<()> {
    run(cargo("doc --workspace --no-deps --locked").env("RUSTDOCFLAGS", "-D warnings"))
}

pub fn fuzz_targets() -> Result<()> {
    run(&mut cargo("check --manifest-path fuzz/Cargo.toml --quiet"))
}

pub fn demo() -> Result<()> {
    run(&mut cargo("run --release --locked -- demo"))
}

/// Commands that must have a manual page.
const PAGES: &str = "report diagnose explain export diff top instrument verify devices record run calibrate model accuracy";

/// The optimised program, which the demo has built; built where it is missing.
pub fn release_program() -> Result<PathBuf> {
    let program = places::target().join("release/wattle");
    if !program.is_file() {
        run(&mut cargo("build --release --locked"))?;
    }
    Ok(program)
}

pub fn pages() -> Result<()> {
    let program = release_program()?;
    for shell in ["bash", "zsh", "fish"] {
        let output = command(&program, &["completions", shell]).output()?;
        if !output.status.success() || output.stdout.is_empty() {
            bail!("no completions for {shell}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    let folder = tempfile::tempdir()?;
    run(command(&program, &["man"]).arg(folder.path()))?;
    for name in PAGES.split(' ') {
        let page = folder.path().join(format!("wattle-{name}.1"));
        if page.metadata().map_or(0, |data| data.len()) == 0 {
            bail!("no manual page of {name}");
        }
    }
    Ok(())
}
