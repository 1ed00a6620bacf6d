//! `wattle export`.

use std::path::PathBuf;

use clap::Args;
use wattle_export::{EnergyUnit, Format, TableKind};

use super::{Modelling, Reading, StoreChoice, Strictness, Symbols};

/// The formats, from their registry.
fn formats() -> String {
    let lines: Vec<String> = Format::ALL.iter().map(|format| format.entry().help()).collect();
    format!(
        "Formats, and how names of their files end:\n{}\n\nEach sums to the ledger's total, to the rounding of its unit.",
        lines.join("\n")
    )
}

/// `wattle export`.
#[derive(Debug, Args)]
#[command(after_help = formats())]
pub struct Export {
    /// The input files of one recording (`-`: standard input), a recording's folder, or one saved ledger
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Output format (repeatable: one for each --output, or several into one folder) [default: by the output's name]
    #[arg(long, short, value_name = "FORMAT", value_parser = format)]
    pub format: Vec<Format>,
    /// Output file, folder, or `-` for standard output (repeatable) [default: -]
    #[arg(long, short, value_name = "FILE|-")]
    pub output: Vec<PathBuf>,
    /// Table of csv and parquet: paths, threads, components, accounts, bookings, series or stretches [default: all into a
    /// folder or .zip, paths into a file]
    #[arg(long, value_name = "TABLE", value_parser = table)]
    pub table: Option<TableKind>,
    /// Unit of formats with integer energies: nJ, uJ or mJ [default: uJ for folded, mJ for pprof, nJ for others]
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    pub unit: Option<EnergyUnit>,
    /// Mark frames of folded stacks for `flamegraph.pl --color=java`: `_[j]` compiled while running, `_[i]` inlined, `_[k]` kernel
    #[arg(long)]
    pub annotate: bool,
    /// Export this app only, by package (repeatable)
    #[arg(long, value_name = "PACKAGE")]
    pub app: Vec<String>,
    /// Export this process only, by name or number (repeatable)
    #[arg(long, value_name = "NAME|PID")]
    pub process: Vec<String>,
    /// Export this thread only, by name or number (repeatable)
    #[arg(long, value_name = "NAME|TID")]
    pub thread: Vec<String>,
    #[command(flatten)]
    pub store: StoreChoice,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub strictness: Strictness,
    #[command(flatten)]
    pub symbols: Symbols,
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
