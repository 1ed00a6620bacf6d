//! `wattle diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use wattle_report::Threshold;

use super::{Modelling, Reading, StoreChoice, Strictness, Symbols};

/// `wattle diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// The first run: a saved ledger, a kept run (run:1), a trace, a recording's folder, or the folder of a series
    #[arg(value_name = "BEFORE", required_unless_present = "before_runs")]
    pub before: Option<PathBuf>,
    /// The second run
    #[arg(value_name = "AFTER", required_unless_present = "before_runs")]
    pub after: Option<PathBuf>,
    /// Runs of the first build, with --after those of the second: compares builds, by the scatter of their runs
    #[arg(
        long = "before",
        value_name = "RUN",
        num_args = 1..,
        requires = "after_runs",
        conflicts_with_all = ["before", "after", "also_before", "also_after"]
    )]
    pub before_runs: Vec<PathBuf>,
    /// Runs of the second build
    #[arg(long = "after", value_name = "RUN", num_args = 1.., requires = "before_runs")]
    pub after_runs: Vec<PathBuf>,
    /// A further file of the first run's recording (repeatable)
    #[arg(long, value_name = "FILE")]
    pub also_before: Vec<PathBuf>,
    /// A further file of the second run's recording (repeatable)
    #[arg(long, value_name = "FILE")]
    pub also_after: Vec<PathBuf>,
    /// Show the processes of this app, and all others as one (repeatable)
    #[arg(long, value_name = "PACKAGE")]
    pub app: Vec<String>,
    /// Normalize figures to the run (energy), or to a second of it (power)
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub per: DiffPer,
    /// Normalize figures to one call of this method or slice, as named in the report: for work of which a run does as much
    /// as time permits
    #[arg(long, value_name = "METHOD", conflicts_with = "per")]
    pub per_call: Option<String>,
    /// Merge the call paths of several threads by this
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub merge: Merge,
    /// Differences that matter: a share of the larger energy, an energy, or both, of which the larger counts
    #[arg(long, value_name = "SHARE,ENERGY", default_value = "1%,1mJ")]
    pub threshold: Threshold,
    /// Show the difference even if the runs are not comparable: other devices, models, policies
    #[arg(long)]
    pub anyway: bool,
    /// Show all tables instead of the summary, in a pager on a terminal
    #[arg(long)]
    pub full: bool,
    /// Never start a pager (`$PAGER`, else `less`)
    #[arg(long)]
    pub no_pager: bool,
    #[command(flatten)]
    pub store: StoreChoice,
    #[command(flatten)]
    pub output: DiffOutput,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub strictness: Strictness,
    #[command(flatten)]
    pub symbols: Symbols,
    #[command(flatten)]
    pub modelling: Modelling,
}

impl Diff {
    /// The inputs without further files of their recordings.
    pub fn inputs(&self) -> Vec<&PathBuf> {
        let named = [&self.before, &self.after].into_iter().flatten();
        named.chain(&self.before_runs).chain(&self.after_runs).collect()
    }
}

/// The destinations of a comparison.
#[derive(Debug, Args)]
pub struct DiffOutput {
    /// Write the comparison as one self-contained HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Open the page in the browser; without --html, a page in the folder for temporary files
    #[arg(long)]
    pub open: bool,
    /// Write collapsed stacks with both energies in microjoules into FILE, or to standard output for `-` (then nothing else is
    /// printed)
    #[arg(long, value_name = "FILE|-")]
    pub folded: Option<PathBuf>,
    /// Write the comparison as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Number of nodes of the merged call tree in JSON; smaller ones are combined
    #[arg(long, value_name = "N", default_value_t = 5000)]
    pub nodes: usize,
    /// Number of rows in each table of --full
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Print no tables and no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// The unit of work that figures are normalized to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum DiffPer {
    /// The whole run: taking longer for the same work counts
    #[default]
    Run,
    /// One second: for runs of arbitrary length
    Second,
}

/// The key by which call paths of several threads are merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Merge {
    /// Names of processes and threads, without numbers that differ from run to run
    #[default]
    Thread,
    /// Names of processes
    Process,
}
