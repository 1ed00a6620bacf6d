//! `wattle diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Modelling, Symbols};

/// `wattle diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// The first run: a saved ledger, a trace, or a recording's folder
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// The second run
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// A further file of the first run's recording (repeatable)
    #[arg(long, value_name = "FILE")]
    pub also_before: Vec<PathBuf>,
    /// A further file of the second run's recording (repeatable)
    #[arg(long, value_name = "FILE")]
    pub also_after: Vec<PathBuf>,
    /// Show the processes of this app, all others as one (repeatable)
    #[arg(long, value_name = "PACKAGE")]
    pub app: Vec<String>,
    /// Of what figures are: the run, or a second of it, as watts
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub per: DiffPer,
    /// Figures are of a call of this method or slice, as the report names it: for work of which a run does as much as it gets to
    #[arg(long, value_name = "METHOD", conflicts_with = "per")]
    pub per_call: Option<String>,
    /// What call paths of several threads are merged by
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub merge: Merge,
    /// Show differences that say nothing of the app: of other devices, models, policies
    #[arg(long)]
    pub anyway: bool,
    /// Write the differential flame graph as one self-contained HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write collapsed stacks with both energies in microjoules into FILE, or to standard output for `-` (then nothing else is
    /// printed)
    #[arg(long, value_name = "FILE|-")]
    pub folded: Option<PathBuf>,
    /// Write the comparison as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Nodes of the merged call tree in JSON; smaller ones are summed up
    #[arg(long, value_name = "N", default_value_t = 5000)]
    pub nodes: usize,
    /// Rows in each table of the terminal
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Print no tables and no progress
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub symbols: Symbols,
    #[command(flatten)]
    pub modelling: Modelling,
}

/// Of what figures are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum DiffPer {
    /// The whole run: whoever needs longer for the same work spends more
    #[default]
    Run,
    /// A second of it: for runs that last as long as one likes
    Second,
}

/// What call paths of several threads are merged by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Merge {
    /// Names of processes and threads, without numbers that differ from run to run
    #[default]
    Thread,
    /// Names of processes
    Process,
}
