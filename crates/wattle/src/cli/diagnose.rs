//! `wattle diagnose` and `wattle explain`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use wattle_diagnose::{FindingSeverity, RegionOptions, StackOptions};
use wattle_units::Nanos;

use super::{Modelling, Reading, Strictness, Symbols};

const EXAMPLES: &str = "\
Reads whatever `report` reads: logs of Windows (.etl, also zipped), perf.data, ftrace, Perfetto traces, recordings, bug reports.
Record while the app should be idle, or give the idle time with --idle.";

/// `wattle diagnose`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Diagnose {
    /// The input files of one recording (`-`: standard input), or a recording's folder
    #[arg(required = true, value_name = "TRACE")]
    pub inputs: Vec<PathBuf>,
    /// Inspect this process, by name, package or number (repeatable) [default: the recorded app, else all processes]
    #[arg(long, short, value_name = "NAME|PID")]
    pub process: Vec<String>,
    /// Time in which the app should be idle: `find`, `whole`, or START..END in seconds since the start (1.5..3,
    /// 300ms..2s, @NANOSECONDS) (repeatable) [default: find]
    #[arg(long, value_name = "WHEN")]
    pub idle: Vec<String>,
    /// Inspect from this time on: seconds since the start (1.5, 300ms) or @NANOSECONDS
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// Inspect until this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// Write the three tables of Intel's Power Auto-Analyzer as CSV into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write the diagnosis as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Write findings and regions as SARIF 2.1.0 into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub sarif: Option<PathBuf>,
    /// Write the diagnosis as one self-contained HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub gate: FindingGate,
    /// Apply this rule only (repeatable); `wattle explain` lists the rules
    #[arg(long, value_name = "RULE")]
    pub only: Vec<String>,
    /// Do not apply this rule (repeatable)
    #[arg(long, value_name = "RULE")]
    pub skip: Vec<String>,
    /// Set a threshold of a rule (repeatable)
    #[arg(long, value_name = "RULE.NAME=NUMBER")]
    pub threshold: Vec<String>,
    #[command(flatten)]
    pub regions: RegionFlags,
    /// Number of rows in each table of the terminal
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Print no tables and no progress
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub strictness: Strictness,
    #[command(flatten)]
    pub symbols: Symbols,
    #[command(flatten)]
    pub modelling: Modelling,
}

/// Findings that count, and those that are known.
#[derive(Debug, Args)]
pub struct FindingGate {
    /// Exit with code 1 if there is a finding of this severity or worse
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
    /// Do not count the findings of this file, which --write-baseline wrote: only new ones count
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the findings into this file, as the baseline of later runs
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
}

/// The options of finding regions.
#[derive(Debug, Args)]
#[command(next_help_heading = "Regions")]
pub struct RegionFlags {
    /// A cluster of events ends where the next one is further away than this
    #[arg(long, value_name = "MS", default_value_t = milliseconds(RegionOptions::default().cluster_gap), value_parser = number)]
    pub cluster_gap: f64,
    /// … and than this many median gaps of the thread
    #[arg(long, value_name = "N", default_value_t = RegionOptions::default().cluster_gap_medians)]
    pub cluster_gap_medians: f64,
    /// Length of the sliding window
    #[arg(long = "region-window", value_name = "MS", default_value_t = milliseconds(RegionOptions::default().window), value_parser = number)]
    pub window: f64,
    /// Overlap of successive windows, 0 to 0.95
    #[arg(long = "region-overlap", value_name = "PART", default_value_t = RegionOptions::default().overlap)]
    pub overlap: f64,
    /// A window counts from this many times the thread's mean CPU use on
    #[arg(long, value_name = "N", default_value_t = RegionOptions::default().thread_factor)]
    pub thread_factor: f64,
    /// … and this many times the process's mean CPU use
    #[arg(long, value_name = "N", default_value_t = RegionOptions::default().process_factor)]
    pub process_factor: f64,
    /// … and this many times the thread's mean rate of events
    #[arg(long, value_name = "N", default_value_t = RegionOptions::default().repetition_factor)]
    pub repetition_factor: f64,
    /// … and from this CPU use on, of one core
    #[arg(long, value_name = "PART", default_value_t = RegionOptions::default().least_cpu_use)]
    pub least_cpu_use: f64,
    /// … and from this many events on
    #[arg(long, value_name = "N", default_value_t = RegionOptions::default().least_events)]
    pub least_events: u32,
    /// … that are this many standard deviations off what chance makes of the thread's mean rate
    #[arg(long, value_name = "N", default_value_t = RegionOptions::default().significance)]
    pub significance: f64,
    /// A window counts from this CPU use on whatever the means are, of one core
    #[arg(long, value_name = "PART", default_value_t = RegionOptions::default().hot_cpu_use)]
    pub hot_cpu_use: f64,
    /// A window counts from this many events each second on whatever the means are
    #[arg(long, value_name = "PER_S", default_value_t = RegionOptions::default().storm_rate)]
    pub storm_rate: f64,
    #[command(flatten)]
    pub regular: RegularFlags,
    /// An event by itself is a region from this many standard deviations above the mean on
    #[arg(long, value_name = "N", default_value_t = RegionOptions::default().single_deviations)]
    pub single_deviations: f64,
    /// … and from this many times the mean on
    #[arg(long, value_name = "N", default_value_t = RegionOptions::default().single_factor)]
    pub single_factor: f64,
    /// … and from this length on
    #[arg(long, value_name = "MS", default_value_t = milliseconds(RegionOptions::default().single_least), value_parser = number)]
    pub single_least: f64,
    /// Maximum number of regions, those with the highest CPU use first
    #[arg(long, value_name = "N", default_value_t = RegionOptions::default().most_regions)]
    pub most_regions: u32,
    /// Share of a region's stacks that a majority stack must cover
    #[arg(long, value_name = "PART", default_value_t = StackOptions::default().majority)]
    pub majority: f64,
}

/// The options of finding regular wake-ups.
#[derive(Debug, Args)]
#[command(next_help_heading = "Regions")]
pub struct RegularFlags {
    /// Wake-ups are regular where this many times between them, one after another,
    #[arg(long, value_name = "N", default_value_t = RegionOptions::default().regular_events)]
    pub regular_events: u32,
    /// … are in this part
    #[arg(long, value_name = "PART", default_value_t = RegionOptions::default().regular_share)]
    pub regular_share: f64,
    /// … no further from their median than this part of it
    #[arg(long, value_name = "PART", default_value_t = RegionOptions::default().regular_tolerance)]
    pub regular_tolerance: f64,
    /// … and that is no longer than this
    #[arg(long, value_name = "MS", default_value_t = milliseconds(RegionOptions::default().longest_period), value_parser = number)]
    pub longest_period: f64,
}

/// Nanoseconds know no infinity, and what is no number would be 0 of them.
fn number(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if number.is_finite() { Ok(number) } else { Err("expected a finite number".to_owned()) }
}

fn milliseconds(time: Nanos) -> f64 {
    time.seconds() * 1e3
}

impl RegionFlags {
    /// As options of the finder.
    pub fn options(&self) -> RegionOptions {
        let nanos = |milliseconds: f64| Nanos::from_seconds(milliseconds * 1e-3);
        RegionOptions {
            cluster_gap: nanos(self.cluster_gap),
            cluster_gap_medians: self.cluster_gap_medians,
            window: nanos(self.window),
            overlap: self.overlap,
            thread_factor: self.thread_factor,
            process_factor: self.process_factor,
            repetition_factor: self.repetition_factor,
            least_cpu_use: self.least_cpu_use,
            least_events: self.least_events,
            significance: self.significance,
            hot_cpu_use: self.hot_cpu_use,
            storm_rate: self.storm_rate,
            regular_events: self.regular.regular_events,
            regular_share: self.regular.regular_share,
            regular_tolerance: self.regular.regular_tolerance,
            longest_period: nanos(self.regular.longest_period),
            single_deviations: self.single_deviations,
            single_factor: self.single_factor,
            single_least: nanos(self.single_least),
            most_regions: self.most_regions,
        }
    }
}

/// The least severity that fails the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Anything
    Note,
    /// Costs energy that users notice, or worse
    Warning,
    /// Breaks a rule with consequences, or spends energy without end
    Error,
}

impl FailOn {
    /// As findings have it.
    pub fn severity(self) -> FindingSeverity {
        match self {
            Self::Note => FindingSeverity::Note,
            Self::Warning => FindingSeverity::Warning,
            Self::Error => FindingSeverity::Error,
        }
    }
}

/// `wattle explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// The rule; without one all are listed
    #[arg(value_name = "RULE")]
    pub rule: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}
