//! The flags of `wattle lsp`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use wattle_store::RunId;

use super::HistoryPlace;

/// `wattle lsp`.
#[derive(Debug, Args)]
pub struct Lsp {
    /// Package name of the app [default: `check.app` of wattle.toml, else that of the latest run]
    #[arg(long, value_name = "APP")]
    pub app: Option<String>,
    /// Show the findings of this file, the JSON of `wattle diagnose`, as diagnostics (repeatable)
    #[arg(long, value_name = "FILE")]
    pub findings: Vec<PathBuf>,
    /// Speak over standard input and output, which is the only way; editors give this flag
    #[arg(long)]
    pub stdio: bool,
    /// For the server itself: write what it needs to know and end
    #[arg(long, value_name = "WHAT", hide = true)]
    pub digest: Option<LspDigest>,
    /// The run of `--digest calls`
    #[arg(value_name = "RUN", hide = true)]
    pub run: Option<RunId>,
    #[command(flatten)]
    pub place: HistoryPlace,
}

/// Facts that the server needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LspDigest {
    /// The energies of the latest runs
    Energies,
    /// Calls and lines of one run
    Calls,
}
