use std::path::PathBuf;

use clap::{Args, ValueEnum};
use wattle_report::ForestView;

use super::{Modelling, Numbers, Reading, Strictness, Symbols};

/// `wattle top`.
#[derive(Debug, Args)]
pub struct Top {
    /// One saved ledger, or the input files (or the folder) of one recording (`-`: standard input)
    #[arg(required = true, value_name = "LEDGER|TRACE")]
    pub inputs: Vec<PathBuf>,
    /// Package of the app for `--app-only` and the key `a` (repeatable) [default: the recorded app]
    #[arg(long, value_name = "PACKAGE")]
    pub app: Vec<String>,
    /// Show the app's processes only
    #[arg(long)]
    pub app_only: bool,
    /// Grouping of the tree
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub by: TopBy,
    /// Column to sort by: `total`, `self`, `share`, `cpu`, `calls`, `samples`, `name`, or a component (`gpu`)
    /// [default: total, or cpu where no energy is known]
    #[arg(long, value_name = "COLUMN")]
    pub sort: Option<String>,
    /// Numbers in the names of slices: one row for all of them, or a row for each
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub numbers: Numbers,
    /// Print the tree instead of browsing it, even on a terminal
    #[arg(long)]
    pub plain: bool,
    /// Number of levels to print
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: u32,
    /// Combine rows below this share of the total, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    pub min_share: f64,
    /// Write the tree as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub strictness: Strictness,
    #[command(flatten)]
    pub symbols: Symbols,
    #[command(flatten)]
    pub modelling: Modelling,
    /// Print no tree and no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// The grouping of the tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TopBy {
    /// Process, thread, callers, callees
    #[default]
    Calls,
    /// Functions by self energy, with their callers below
    Callers,
    /// Functions, without callers
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
