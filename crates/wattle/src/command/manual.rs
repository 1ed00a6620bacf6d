//! Completions and manual pages, from the definitions of the flags.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;

use super::whole_file;
use crate::cli::Cli;
use crate::exit::{Failure, Outcome};

/// Prints the completions of one shell.
pub fn completions(shell: clap_complete::Shell) -> Outcome {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "wattle", &mut text);
    std::io::stdout().write_all(&text).context("standard output").map_err(Failure::Environment)
}

/// Writes `wattle.1` and one page a verb into a folder, which is created if need be.
pub fn pages(folder: &Path) -> Outcome {
    whole_file::create_folder(folder)?;
    clap_mangen::generate_to(Cli::command(), folder)
        .with_context(|| format!("manual pages in {}", folder.display()))
        .map_err(Failure::Environment)
}
