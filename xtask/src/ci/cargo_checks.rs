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

/// As the README's command one, without its `--release`: the program is the one that the tests have built. An optimised build of
/// everything took a fifth of the gate and found nothing that this one does not.
pub fn demo() -> Result<()> {
    run(&mut command(program()?, &["demo"]))
}

/// Commands that must have a manual page.
const PAGES: &str = "report diagnose explain export diff top instrument verify devices record run calibrate model accuracy";

/// The program with the features of the tests' build; nothing is compiled where they have run.
pub fn program() -> Result<PathBuf> {
    run(&mut cargo("build --workspace --bin wattle --locked"))?;
    Ok(places::target().join("debug/wattle"))
}

pub fn pages() -> Result<()> {
    let program = program()?;
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
