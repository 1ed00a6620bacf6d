use std::path::PathBuf;

use clap::{Args, ValueEnum};
use wattle_report::ForestView;

use super::Modelling;

/// `wattle top`.
#[derive(Debug, Args)]
pub struct Top {
    /// One saved ledger, or traces (or a recording's folder) that together are one recording
    #[arg(required = true, value_name = "LEDGER|TRACE")]
    pub inputs: Vec<PathBuf>,
    /// Which app is meant by `--app-only` and the key `a`: its package (repeatable); default is what the recording was made of
    #[arg(long, value_name = "PACKAGE")]
    pub app: Vec<String>,
    /// Show the app's processes alone
    #[arg(long)]
    pub app_only: bool,
    /// What hangs below what
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub by: TopBy,
    /// What comes first: `total`, `self`, `share`, `cpu`, `calls`, `samples`, `name`, or a component (`gpu`); default is total energy, CPU
    /// time where no energy is known
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<String>,
    /// Print the tree instead of showing it, also on a terminal
    #[arg(long)]
    pub plain: bool,
    /// Levels that are printed
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: u32,
    /// Rows of less than this part of everything are printed as one, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    pub min_share: f64,
    /// Write the tree as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub modelling: Modelling,
    /// Print no tree and no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// What hangs below what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TopBy {
    /// Process, thread, callers, callees
    #[default]
    Calls,
    /// Functions by what they drew themselves; below each who called it
    Callers,
    /// Functions, whoever called them
    Functions,
}

impl From<TopBy> for ForestView {
    fn from(by: TopBy) -> Self {
        match by {
            TopBy::Calls => Self::Calls,
            TopBy::Callers => Self::Callers,
            TopBy::Functions => Self::Functions,
        }
    }
}
