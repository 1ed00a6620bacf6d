//! The flags. Definitions only; help, completions and manual pages come from here.

mod accuracy;
mod bisect_flags;
mod byte_size;
mod calibrate;
mod check_flags;
mod checks;
mod device;
mod diagnose;
mod diff;
mod doctor;
mod effects_flags;
mod export;
mod import_flags;
mod instrument;
mod limit_flags;
mod lsp_flags;
mod mcp_flags;
mod metering;
mod push_flags;
mod record;
mod runs_flags;
mod serve_flags;
mod serve_limits;
mod server_access;
mod simulated_phone;
mod sources_mode;
mod symbols;
mod top;
mod unpack_flags;
mod views;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use accuracy::Accuracy;
pub use bisect_flags::Bisect;
pub use byte_size::ByteSize;
pub use calibrate::{Calibrate, Model as ModelCommand, ModelVerb, TableOutput};
pub use check_flags::{Against, Baseline, BaselineVerb, Check, CheckForms, SetBaseline};
pub use checks::{Reading, Strictness};
#[cfg(feature = "phone")]
pub use device::SimulatedFault;
pub use device::{DeviceChoice, Devices};
pub use diagnose::{Diagnose, Explain, FailOn};
pub use diff::{Diff, DiffPer, Merge};
pub use doctor::Doctor;
pub use effects_flags::EffectsFlags;
pub use export::Export;
pub use import_flags::Import;
pub use instrument::{Instrument, Mode, Probing, ShortMethods, Signing, Sink};
pub use limit_flags::LimitFlags;
pub use lsp_flags::{Lsp, LspDigest};
pub use mcp_flags::Mcp;
pub use metering::Metering;
pub use push_flags::Push;
pub use record::{
    Compiled, MethodTrace, Order, PreparationFlags, Record, Run, ScenarioFlags, SeriesFlags,
    SourceFlags, Start,
};
pub use runs_flags::{
    FactFlags, History, HistoryPlace, ImportRuns, KeepFlags, ListRuns, Prune, RunConditions, Runs,
    RunsVerb, StoreChoice,
};
pub use serve_flags::{
    ProjectRole, ProjectVerb, Serve, ServeProxy, ServeVerb, ServerPlace, UserVerb,
};
pub use serve_limits::ServeLimits;
pub use server_access::ServerAccess;
#[cfg(feature = "phone")]
pub use simulated_phone::PhoneMaker;
pub use simulated_phone::SimulatedPhone;
pub use sources_mode::SourcesMode;
pub use symbols::Symbols;
pub use top::Top;
pub use unpack_flags::Unpacking;
pub use views::{By, Numbers, Unit, View, Views};

const EXIT_CODES: &str = "\
Exit codes:
  0    success, possibly with warnings in the report's quality section; also a damaged input that
       was read in part
  1    check failed: `verify` or `model check` found defects, a test of `run` or `record` failed,
       a requirement of `accuracy --require` is not met, the runs given to `diff` are not
       comparable, `diagnose --fail-on` found something, `--strict` met quality errors
  2    the command line or the configuration is wrong, or names an app, slice, rule, model or
       run that does not exist
  3    an input or the history cannot be read, nothing could be read of it, the input files
       are not of one recording, or more memory, time or unpacked bytes are needed than a limit
       allows
  4    the device or the environment failed (device disconnected, output cannot be written)
  70   internal error (please report)
  130  interrupted; the device has been restored";

/// Energy profiler for Android applications: which method, on which thread, through which hardware
/// component, spent the energy of a run.
#[derive(Debug, Parser)]
#[command(name = "wattle", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub struct Cli {
    /// The operation.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Try Wattle: a simulated phone with a wasteful app, as a page, and its true energy beside the estimate.
    Demo(Box<Demo>),
    /// Report where the energy of a recording went: terminal, JSON, HTML.
    Report(Box<Report>),
    /// Compare two runs: which methods spend more or less energy, as a differential flame graph.
    Diff(Box<Diff>),
    /// Find wasted energy: hot regions at idle with their common stacks, and defects with their potential saving.
    Diagnose(Box<Diagnose>),
    /// Explain a rule of `diagnose`: what it looks for, why that costs energy, how to fix it.
    Explain(Explain),
    /// Export an energy profile for other programs: profilers, flame graphs, tables.
    Export(Box<Export>),
    /// Browse the call tree of a recording by energy, in the terminal.
    Top(Box<Top>),
    /// Fit a device model or API costs to measured power.
    Calibrate(Box<Calibrate>),
    /// List, show, check and compare device models and API cost tables.
    Model(ModelCommand),
    /// Check the bytecode, signatures and alignment of packages and Dalvik executables.
    Verify(Verify),
    /// Insert probes into an app: method entry and exit, calls into the framework.
    Instrument(Box<Instrument>),
    /// Check this machine and the attached devices: what is there, what is missing, how to get it.
    Doctor(Box<Doctor>),
    /// List the attached devices and the data sources each offers.
    Devices(Devices),
    /// Record an installed app, or the whole device, while a scenario runs.
    Record(Box<Record>),
    /// Instrument an app, install it, record a scenario such as its tests, and report.
    Run(Box<Run>),
    /// Turn results of Macrobenchmark, Android Runner or Android Studio into recordings.
    Import(Import),
    /// List, export, import and delete the runs that were kept (`--keep`).
    Runs(Box<Runs>),
    /// Show the energy of an app over its versions, from the runs that were kept.
    History(Box<History>),
    /// Check runs against the budgets and baselines of wattle.toml, for CI.
    Check(Box<Check>),
    /// Find the commit that changed an app's energy, with as few noisy runs as statistics allow.
    Bisect(Bisect),
    /// Write and show the baseline that checks compare with.
    Baseline(Baseline),
    /// Serve reports over HTTP: upload, analyse, compare and share in the browser, for one developer or a team.
    Serve(Box<Serve>),
    /// Show energy beside the code in editors: a language server over standard input and output.
    Lsp(Lsp),
    /// Answer coding agents about energy: a server of the Model Context Protocol over standard input and output.
    Mcp(Mcp),
    /// Upload recordings to a server and wait for the report.
    Push(Box<Push>),
    /// Evaluate every model on measured data sets and print one table of errors.
    Accuracy(Accuracy),
    /// A program of the simulated phone's shell.
    #[cfg(feature = "phone")]
    #[command(hide = true, disable_help_flag = true)]
    PhoneTool {
        /// Its name and arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<std::ffi::OsString>,
    },
    /// Print shell completions.
    Completions {
        /// For which shell.
        shell: clap_complete::Shell,
    },
    /// Write manual pages into a folder.
    Man {
        /// The folder, which is created if need be.
        folder: PathBuf,
    },
}

/// The destinations of results.
#[derive(Debug, Args, Clone, Default)]
pub struct Output {
    /// Write the report as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Write the report as one self-contained HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// For servers: write the data of the page as a line with the name of its script, and JSON
    #[arg(long, value_name = "FILE", hide = true)]
    pub page_data: Option<PathBuf>,
    /// Open the page in the browser; without --html, a page in the folder for temporary files
    #[arg(long)]
    pub open: bool,
    /// Save the ledger (`X.ledger.json.zst`), which `wattle report` reads again
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    pub views: Views,
    /// Number of rows in each table of --full and --view
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Show energy as minutes of use of this device: a name of the library (`nexus-7-2013`), or a file of reference
    /// devices, of which the first is used
    #[arg(long, value_name = "NAME|FILE")]
    pub reference: Option<String>,
    /// Carbon intensity of electricity instead of the world average: grams of CO2e per kilowatt-hour, or a file
    #[arg(long, value_name = "FILE|G_PER_KWH", allow_negative_numbers = true)]
    pub carbon: Option<String>,
    /// Print no tables and no progress
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub keeping: KeepFlags,
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

/// Flags of the demo that profiles a simulated phone; its other modes have none of them.
const OF_THE_PROFILED_PHONE: [&str; 12] = [
    "fixed",
    "no_rails",
    "trace",
    "device_model",
    "html",
    "save",
    "top",
    "by",
    "sort",
    "open",
    "no_open",
    "keep",
];

/// `wattle demo`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Demo {
    /// Seed of the simulation: the same seed gives the same phone, run and figures
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Poll network counters at periods from 100 ms to 3 s and show the cost and accuracy of each period, next to the
    /// figures of Hitani et al.
    #[arg(long, conflicts_with_all = OF_THE_PROFILED_PHONE)]
    pub polling: bool,
    /// Write the traces of a simulated idle Windows machine into this folder, with an injected 5 ms timer defect, plus its
    /// ground truth as a table
    #[arg(long, value_name = "DIR", conflicts_with_all = OF_THE_PROFILED_PHONE, conflicts_with_all = ["polling", "json"])]
    pub idle: Option<PathBuf>,
    #[command(flatten)]
    pub effects: EffectsFlags,
    /// Simulate the same phone with the defects of its app fixed, to compare both (`wattle diff`)
    #[arg(long)]
    pub fixed: bool,
    /// Leave out the simulated power rails, so that only the model is used
    #[arg(long)]
    pub no_rails: bool,
    /// Keep the simulated trace; with --effects of a single phone (--seeds 1)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Keep the device model used for the estimate; with --effects of a single phone (--seeds 1)
    #[arg(long, value_name = "FILE")]
    pub device_model: Option<PathBuf>,
    /// Do not open the page, as is usual on a terminal with a desktop. The page is --html, else wattle-demo.html
    #[arg(long, conflicts_with = "open")]
    pub no_open: bool,
    #[command(flatten)]
    pub output: Output,
}

/// `wattle report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The input files of one recording (traces, also `.gz` and `.zip`, or a recording's folder; `-`: standard input), or one
    /// saved ledger. Several saved ledgers are compared by their tests, to find suspicious methods
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// Show the part of this app, with all its processes, by package name (repeatable)
    #[arg(long, value_name = "PACKAGE")]
    pub app: Vec<String>,
    /// Show the part of processes whose name or package matches this regular expression, of the apps asked for or of all
    #[arg(long, value_name = "REGEX")]
    pub process: Option<regex::Regex>,
    /// Show the part of threads whose name matches this regular expression, of those processes or of all
    #[arg(long, value_name = "REGEX")]
    pub thread: Option<regex::Regex>,
    /// Report from this time on: seconds since the start of the recording (`1.5`, `300ms`), or `@NANOSECONDS` of the
    /// boot clock
    #[arg(long, value_name = "T", conflicts_with = "slice", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// Report until this time, in the forms of --from
    #[arg(long, value_name = "T", conflicts_with = "slice", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// Report the time of the first slice of this name, or that matches this pattern with `*` and `?` (`NAME#3` for the third)
    #[arg(long, value_name = "NAME|PATTERN")]
    pub slice: Option<String>,
    /// The time to report without --from, --to and --slice: the scenario's, all of the recording's, or from the first
    /// sample of its power rails to the last
    #[arg(long, value_name = "TIME", value_enum, default_value_t)]
    pub window: Covering,
    /// Rate the energy from A to E among others: saved ledgers, folders of them, category files, or a category of the
    /// library (`aeon-web-browsers`). The coverage of the scenario is shown as well
    #[arg(long, value_name = "DIR|FILE", num_args = 1..)]
    pub category: Vec<PathBuf>,
    /// Rate the energy of the run, or of one minute of it [default: as in the category file, else run]
    #[arg(long, value_enum, value_name = "WHAT", requires = "category")]
    pub rate_per: Option<RatePer>,
    /// Least share of the probed methods that must have run for a rating to count, in percent [default: 50]
    #[arg(long, value_name = "PERCENT", requires = "category")]
    pub least_coverage: Option<f64>,
    /// Next to upper bounds of calls, show the figures of Navitas (too high by a factor of 100 or more)
    #[arg(long)]
    pub legacy: bool,
    /// Also show all that `diagnose` finds: regions, stacks, findings; a summary has the gravest findings without it
    #[arg(long)]
    pub diagnose: bool,
    /// Do not look for findings: faster
    #[arg(long, conflicts_with = "diagnose")]
    pub no_diagnose: bool,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub strictness: Strictness,
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
    /// Packages (`.apk`; a base with its splits is checked as one app; `.apks`, `.xapk`), Dalvik executables
    /// (`.dex`), archives with code (`.jar`)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Check the bytecode only, no signatures and no alignment
    #[arg(long)]
    pub code_only: bool,
    /// Accept packages without any signature
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
    /// Number of defects and of notes that are listed for each input in the terminal
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Print no verdict and no progress
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub unpacking: Unpacking,
}

/// Power model and attribution.
#[derive(Debug, Args, Clone, Default)]
pub struct Modelling {
    /// Source of power figures
    #[arg(long, value_enum, value_name = "MODEL")]
    pub model: Option<Model>,
    /// Use this device model (TOML), power_profile.xml (text or binary) or package that has one (framework-res.apk) instead of the library's (repeatable)
    #[arg(long, value_name = "FILE")]
    pub device_model: Vec<PathBuf>,
    /// Battery voltage for recordings that do not contain it
    #[arg(long, value_name = "VOLTS", allow_hyphen_values = true)]
    pub voltage: Option<f64>,
    /// Division of power that cores share
    #[arg(long, value_enum, value_name = "POLICY")]
    pub shared: Option<Shared>,

    /// Leave the energy of display, memory, GPU, storage and radios unattributed where no call says who used them, instead of dividing
    /// it among the app in front, busy cores, frames, waits and packets
    #[arg(long)]
    pub strict_attribution: bool,
    /// Priority when bytes and device energy are divided among calls; `run` records accordingly
    #[arg(long, value_enum, value_name = "WHAT")]
    pub prefer: Option<Prefer>,
    /// Additional calls that use hardware: a file of API sets (repeatable)
    #[arg(long, value_name = "FILE")]
    pub apis: Vec<PathBuf>,
    /// Cost of calls into the framework, preferred to the built-in figures: a table of joules per call (repeatable). Also
    /// applies to a saved ledger
    #[arg(long, value_name = "FILE")]
    pub api_costs: Vec<PathBuf>,
    /// Source of a thread's call paths, where both calls with entry and exit and sampled stacks were recorded
    #[arg(long, value_enum, value_name = "WHAT")]
    pub stacks: Option<Stacks>,
    /// Read defaults from this file instead of `wattle.toml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

impl Modelling {
    /// The first flag that decided a saved ledger's figures when it was made, and cannot any more.
    pub fn asked(&self) -> Option<&'static str> {
        let asked = [
            ("--model", self.model.is_some()),
            ("--device-model", !self.device_model.is_empty()),
            ("--voltage", self.voltage.is_some()),
            ("--shared", self.shared.is_some()),
            ("--strict-attribution", self.strict_attribution),
            ("--prefer", self.prefer.is_some()),
            ("--stacks", self.stacks.is_some()),
            ("--apis", !self.apis.is_empty()),
        ];
        asked.into_iter().find(|(_, is_asked)| *is_asked).map(|(flag, _)| flag)
    }
}

/// The source of power figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Measured rails where available, split by the best model; else the best model
    Auto,
    /// Measured rails only, split by the best model
    Rails,
    /// State curves of the SoC, never scaled by rails
    Curves,
    /// Currents of the device's power_profile.xml
    Profile,
    /// Android's own estimate of components and apps, as battery statistics state it
    Android,
}

/// The source of call paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stacks {
    /// Calls of threads with probes or a method trace, samples of other threads that have some, else sections
    Auto,
    /// Probes, method traces and sections only
    Calls,
    /// Samples of all threads that have some
    Samples,
}

/// The priority in attributing the energy of radios and storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prefer {
    /// Attribute all of it: counters are polled every 2 s and divided by the duration of calls
    Total,
    /// Attribute to the right call: probes count the bytes of calls; without probes, counters are polled every 500 ms
    Split,
    /// Keep the recording cheap: counters are polled every 3 s, no probes around calls
    LowOverhead,
}

impl Prefer {
    /// The polling period for it, in milliseconds: where the trade-off of Hitani et al. and our own
    /// (`wattle demo --polling`) have their least error of that kind.
    pub fn poll(self) -> u32 {
        match self {
            Self::Total => 2000,
            Self::Split => 500,
            Self::LowOverhead => 3000,
        }
    }
}

/// The time that a report covers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Covering {
    /// The scenario's, without set-up and tear-down, where the recording says it; all of it otherwise
    #[default]
    Scenario,
    /// All of it; outside of the rails' samples a model, or nothing, which the report states
    All,
    /// The time from the rails' first sample to their last
    Rails,
}

/// Of how much an energy is rated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RatePer {
    /// The whole run: taking longer for the same work counts
    Run,
    /// One minute: for runs of arbitrary length
    Minute,
}

/// The division of power that cores share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shared {
    /// Equally among the cores that are busy at each instant
    Proportional,
    /// Not divided: it is unattributed
    None,
    /// To the task that woke the cluster
    FirstWaker,
}
