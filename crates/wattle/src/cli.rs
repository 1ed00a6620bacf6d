//! The flags. Definitions only; help, completions and manual pages come from here.

mod accuracy;
mod calibrate;
mod device;
mod diagnose;
mod diff;
mod export;
mod instrument;
mod metering;
mod record;
mod symbols;
mod top;
mod views;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use accuracy::Accuracy;
pub use calibrate::{Calibrate, Model as ModelCommand, ModelVerb, TableOutput};
pub use device::{DeviceChoice, Devices, SimulatedFault, SimulatedPhone};
pub use diagnose::{Diagnose, Explain, FailOn};
pub use diff::{Diff, DiffPer, Merge};
pub use export::Export;
pub use instrument::{Instrument, Mode, Probing, ShortMethods, Signing, Sink};
pub use metering::Metering;
pub use record::{
    MethodTrace, PreparationFlags, Record, Run, ScenarioFlags, SeriesFlags, SourceFlags,
};
pub use symbols::Symbols;
pub use top::Top;
pub use views::{By, Views};

const EXIT_CODES: &str = "\
Exit codes:
  0  done, possibly with warnings in the report's quality section
  1  a gate says no: `verify` found defects, a test of `run` or `record` failed,
     `accuracy --require` is not kept, what `diff` was given is not comparable,
     `diagnose --fail-on` found something
  2  the command line or the configuration is wrong
  3  an input cannot be read at all
  4  the device or the environment does not do its part (it went away, an output cannot be written)
  130 interrupted; the device is as it was
  70 Wattle itself is wrong: please report it";

/// Energy profiler for Android applications: which method, on which thread, through which hardware
/// component, spent the energy of a run.
#[derive(Debug, Parser)]
#[command(name = "wattle", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Simulate a phone with known energy, profile it, and show truth beside estimate.
    Demo(Demo),
    /// Show who spent the energy of a recording: terminal, JSON, HTML.
    Report(Box<Report>),
    /// Hold two runs against each other: which methods spend more, which less, as a differential flame graph.
    Diff(Box<Diff>),
    /// Find what spends energy without need: hot regions at idle with their common stacks, and defects with the joules at stake.
    Diagnose(Box<Diagnose>),
    /// Say what a rule of `diagnose` looks for, why that costs energy and what to do.
    Explain(Explain),
    /// Write who spent the energy as a file of other programs: profilers, flame graphs, tables.
    Export(Box<Export>),
    /// Walk through the call tree of a recording by energy, on the terminal.
    Top(Box<Top>),
    /// Fit a device model or API costs to measured power: recordings, tables, a few clocks, a counter.
    Calibrate(Box<Calibrate>),
    /// List, show, check and compare device models and tables of API costs.
    Model(ModelCommand),
    /// Check the bytecode, signatures and alignment of packages and Dalvik executables.
    Verify(Verify),
    /// Put probes into an app: every method's entry and exit, calls into the framework.
    Instrument(Box<Instrument>),
    /// List the devices that are attached, and what each can give.
    Devices(Devices),
    /// Record an installed app, or the whole device, while something runs.
    Record(Box<Record>),
    /// Put probes into an app, install it, record it while its tests or something else run, and report.
    Run(Box<Run>),
    /// Judge every model on measured data sets: one table of errors, offline.
    Accuracy(Accuracy),
    /// A program of the simulated phone's shell.
    #[command(hide = true, disable_help_flag = true)]
    PhoneTool {
        /// Its name and arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<std::ffi::OsString>,
    },
    /// Print shell completions.
    #[command(hide = true)]
    Completions {
        /// For which shell.
        shell: clap_complete::Shell,
    },
    /// Write manual pages into a folder.
    #[command(hide = true)]
    Man {
        /// The folder, which must exist.
        folder: PathBuf,
    },
}

/// Where results go.
#[derive(Debug, Args, Clone, Default)]
pub struct Output {
    /// Write the report as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Write the report as one self-contained HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Save the ledger (`X.ledger.json.zst`), which `wattle report` reads again
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    pub views: Views,
    /// Rows in each table of the terminal
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Show energy as minutes of use of this device: its name in the library (`nexus-7-2013`), or a file of reference
    /// devices, of which the first is taken
    #[arg(long, value_name = "NAME|FILE")]
    pub reference: Option<String>,
    /// Emissions of electricity for CO2e, instead of the world's average: a file, or grams for each kilowatt-hour
    #[arg(long, value_name = "FILE|G_PER_KWH", allow_negative_numbers = true)]
    pub carbon: Option<String>,
    /// Print no tables and no progress
    #[arg(long, short)]
    pub quiet: bool,
}

impl Output {
    /// Whether standard output belongs to the JSON report.
    pub fn is_json_on_stdout(&self) -> bool {
        self.json.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// The flag that was given `-` and writes files only.
    pub fn wrongly_on_stdout(&self) -> Option<&'static str> {
        let flags = [("--html", &self.html), ("--save", &self.save)];
        let dash = |path: &Option<PathBuf>| path.as_ref().is_some_and(|p| p.as_os_str() == "-");
        flags.into_iter().find(|(_, path)| dash(path)).map(|(flag, _)| flag)
    }
}

/// `wattle demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// Seed of the simulation: the same seed gives the same phone, run and figures
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Poll the network's counters at periods from 100 ms to 3 s and show what each period costs and gives, beside the
    /// figures of Hitani and others
    #[arg(long, conflicts_with_all = ["no_rails", "trace", "device_model", "html", "save", "top", "by", "sort"])]
    pub polling: bool,
    /// Write the traces of a simulated Windows machine at idle into this folder, on which one thread of one process wakes every 5 ms
    /// now and then, and what was planted, as a table
    #[arg(long, value_name = "DIR", conflicts_with_all = ["polling", "no_rails", "trace", "device_model", "json", "html", "save", "top", "by", "sort"])]
    pub idle: Option<PathBuf>,
    /// Leave the simulated power rails out, so that only the model speaks
    #[arg(long)]
    pub no_rails: bool,
    /// Keep the simulated trace
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Keep the device model that the estimate was made with
    #[arg(long, value_name = "FILE")]
    pub device_model: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

/// `wattle report`.
#[derive(Debug, Args)]
pub struct Report {
    /// Traces (Perfetto; also `.gz`, `.zip`, or a recording's folder) that together are one recording,
    /// or one saved ledger; of several saved ledgers the tests of all are compared, and their methods suspected
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// Show this app's part: its package, all its processes (repeatable)
    #[arg(long, value_name = "PACKAGE")]
    pub app: Vec<String>,
    /// Account from here: seconds since the recording's start (`1.5`, `300ms`), or `@NANOSECONDS` of the
    /// boot clock
    #[arg(long, value_name = "T", conflicts_with = "slice", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// Account until here, same forms as --from
    #[arg(long, value_name = "T", conflicts_with = "slice", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// Account during the first slice of this name (`NAME#3` for the third)
    #[arg(long, value_name = "NAME")]
    pub slice: Option<String>,
    /// Rate the energy among others, A to E: saved ledgers, folders of them, category files, or a category of the library
    /// (`aeon-web-browsers`); coverage of the scenario stands beside it
    #[arg(long, value_name = "DIR|FILE", num_args = 1..)]
    pub category: Vec<PathBuf>,
    /// What of it is rated: the energy of the run, or of a minute of it; default is what a category file says, else the run
    #[arg(long, value_enum, value_name = "WHAT", requires = "category")]
    pub rate_per: Option<RatePer>,
    /// Part of the probed methods that must have run for a rating to count, in percent; default is 50
    #[arg(long, value_name = "PERCENT", requires = "category")]
    pub least_coverage: Option<f64>,
    /// Beside upper bounds of calls, show what Navitas shows for them (a hundred times too much, and more)
    #[arg(long)]
    pub legacy: bool,
    /// Also find what spends energy without need, as `diagnose` does: after the tables and in the HTML page
    #[arg(long)]
    pub diagnose: bool,
    #[command(flatten)]
    pub metering: Metering,
    #[command(flatten)]
    pub symbols: Symbols,
    #[command(flatten)]
    pub modelling: Modelling,
    #[command(flatten)]
    pub output: Output,
}

/// `wattle verify`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Verify {
    /// Packages (`.apk`; a base with its splits is judged as one app; `.apks`, `.xapk`), Dalvik executables
    /// (`.dex`), archives with code (`.jar`)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Check the bytecode only, no signatures and no alignment
    #[arg(long)]
    pub code_only: bool,
    /// A package without any signature is no defect
    #[arg(long, conflicts_with = "code_only")]
    pub unsigned: bool,
    /// Verify signatures for platforms from this API level on, instead of the manifest's
    #[arg(long, value_name = "LEVEL", conflicts_with = "code_only",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub min_sdk: Option<u32>,
    /// Count notes as defects
    #[arg(long)]
    pub strict: bool,
    /// Write the verdict as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Defects, and notes, that are listed of each input on the terminal
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Print no verdict and no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// How states become watts, and who shares them.
#[derive(Debug, Args, Clone, Default)]
pub struct Modelling {
    /// What turns states into watts
    #[arg(long, value_enum, value_name = "MODEL")]
    pub model: Option<Model>,
    /// Use this device model (TOML), power_profile.xml (text or binary) or package that has one (framework-res.apk) instead of the library's (repeatable)
    #[arg(long, value_name = "FILE")]
    pub device_model: Vec<PathBuf>,
    /// Battery voltage where the recording does not tell it
    #[arg(long, value_name = "VOLTS", allow_hyphen_values = true)]
    pub voltage: Option<f64>,
    /// How power that cores share is divided
    #[arg(long, value_enum, value_name = "POLICY")]
    pub shared: Option<Shared>,
    /// What matters most where bytes and devices are shared out among calls; `run` collects accordingly
    #[arg(long, value_enum, value_name = "WHAT")]
    pub prefer: Option<Prefer>,
    /// Calls that use hardware, beside those that Wattle knows: a file of API sets (repeatable)
    #[arg(long, value_name = "FILE")]
    pub apis: Vec<PathBuf>,
    /// What calls into the framework cost, before what Wattle knows: a table of joules per call (repeatable). Also for a saved
    /// ledger
    #[arg(long, value_name = "FILE")]
    pub api_costs: Vec<PathBuf>,
    /// What the call paths of a thread are made from, where it has both calls that were recorded from entry to exit and sampled
    /// stacks
    #[arg(long, value_enum, value_name = "WHAT")]
    pub stacks: Option<Stacks>,
    /// Defaults from this file instead of `wattle.toml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Figures of Navitas beside upper bounds: `--legacy` of `report`.
    #[arg(skip)]
    pub legacy: bool,
    /// Quantiles of single calls of all slices, also of those of which only the name is known: for `--by method`.
    #[arg(skip)]
    pub all_call_stats: bool,
    /// What call paths drew over time: for exports with a time axis.
    #[arg(skip)]
    pub keep_stretches: bool,
    /// Where names of sampled stacks come from: `--symbols`, `--mapping`, `--kallsyms` of the command.
    #[arg(skip)]
    pub symbols: Symbols,
}

/// What turns states into watts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Rails where there are any, split by the best model; else the best model
    Auto,
    /// Rails only where there are any, split by the best model
    Rails,
    /// State curves of the SoC, never scaled by rails
    Curves,
    /// Currents of the device's power_profile.xml
    Profile,
}

/// What call paths are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stacks {
    /// Calls of threads with probes or a method trace, samples of other threads that have some, else sections
    Auto,
    /// Probes, method traces and sections only
    Calls,
    /// Samples of all threads that have some
    Samples,
}

/// What matters most in sharing out what radios and storage drew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prefer {
    /// That all of it is shared out: counters polled each 2 s, by the time that calls took
    Total,
    /// That each call gets its own: probes count the bytes of calls; without them counters polled each 500 ms
    Split,
    /// That recording costs little: counters polled each 3 s, no probes around calls
    LowOverhead,
}

impl Prefer {
    /// How often counters are read for it, in milliseconds: where the trade-off of Hitani and others and our own
    /// (`wattle demo --polling`) have their least error of that kind.
    pub fn poll(self) -> u32 {
        match self {
            Self::Total => 2000,
            Self::Split => 500,
            Self::LowOverhead => 3000,
        }
    }
}

/// Of how much an energy is rated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RatePer {
    /// The whole run: whoever needs longer for the same work spends more
    Run,
    /// A minute: for runs that last as long as one likes
    Minute,
}

/// How power that cores share is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shared {
    /// Equally among the cores that are busy at each instant
    Proportional,
    /// Not at all: it is booked as unattributed
    None,
    /// To whoever woke the cluster
    FirstWaker,
}
