//! `wattle export`.

use std::path::PathBuf;

use clap::Args;
use wattle_export::{EnergyUnit, Format, TableKind};

use super::Modelling;

const EXAMPLES: &str = "\
Formats, and how names of their files end:
  pprof       .pb.gz .pprof               go tool pprof
  firefox     .profile.json .firefox.json Firefox Profiler
  speedscope  .speedscope.json            speedscope
  folded      .folded .collapsed          flamegraph.pl and its kin; microjoules
  perfetto    .perfetto-trace .pftrace    Perfetto's UI and trace processor
  chrome      .trace.json .chrome.json    chrome://tracing, Perfetto's UI
  csv         .csv, all tables: .zip or a folder
  json        .ledger.json .json          wattle, jq: the ledger itself
  parquet     .parquet, all tables: a folder

Each sums to the ledger's total, to the rounding of its unit.";

/// `wattle export`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Export {
    /// Traces that together are one recording, a recording's folder, or one saved ledger
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// The format; default is what the output's name asks for (repeatable: one for each --output, or several into one folder)
    #[arg(long, short, value_name = "FORMAT", value_parser = format)]
    pub format: Vec<Format>,
    /// Where to: a file, a folder, or standard output for `-`, which is the default (repeatable)
    #[arg(long, short, value_name = "FILE|-")]
    pub output: Vec<PathBuf>,
    /// Of csv and parquet this table: paths, threads, components, accounts, bookings, series or stretches. Default is all into a
    /// folder or .zip, paths into a file
    #[arg(long, value_name = "TABLE", value_parser = table)]
    pub table: Option<TableKind>,
    /// The unit of formats that count energy in whole numbers: nJ, uJ or mJ. Default is uJ for folded, nJ for others
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    pub unit: Option<EnergyUnit>,
    /// Mark frames of folded stacks for `flamegraph.pl --color=java`: `_[j]` compiled while running, `_[i]` inlined, `_[k]` kernel
    #[arg(long)]
    pub annotate: bool,
    /// Only this app: its package (repeatable)
    #[arg(long, value_name = "PACKAGE")]
    pub app: Vec<String>,
    /// Only this process: its name or number (repeatable)
    #[arg(long, value_name = "NAME|PID")]
    pub process: Vec<String>,
    /// Only this thread: its name or number (repeatable)
    #[arg(long, value_name = "NAME|TID")]
    pub thread: Vec<String>,
    #[command(flatten)]
    pub modelling: Modelling,
    /// Print no progress and no remarks
    #[arg(long, short)]
    pub quiet: bool,
}

fn format(word: &str) -> Result<Format, String> {
    word.parse()
}

fn table(word: &str) -> Result<TableKind, String> {
    word.parse()
}

fn unit(word: &str) -> Result<EnergyUnit, String> {
    word.parse()
}
