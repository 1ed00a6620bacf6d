//! The flags of `wattle record` and `wattle run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use wattle_device::source::SourceName;

use super::{DeviceChoice, Modelling, Output, Probing, Strictness};

/// `wattle record`.
#[derive(Debug, Args)]
pub struct Record {
    /// The installed app to record; without it, the whole device is recorded
    #[arg(value_name = "PACKAGE")]
    pub package: Option<String>,
    /// Folder for the recording, which is created [default: PACKAGE-1, PACKAGE-2 …]
    #[arg(long, short, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Run the tests of this installed instrumentation (`com.example.test/androidx.test.runner.AndroidJUnitRunner`)
    #[arg(long, value_name = "PACKAGE/RUNNER", help_heading = "Scenario")]
    pub instrumentation: Option<String>,
    #[command(flatten)]
    pub scenario: ScenarioFlags,
    #[command(flatten)]
    pub sources: SourceFlags,
    #[command(flatten)]
    pub preparation: PreparationFlags,
    #[command(flatten)]
    pub series: SeriesFlags,
    #[command(flatten)]
    pub device: DeviceChoice,
    #[command(flatten)]
    pub strictness: Strictness,
    /// Write the metadata of the recording as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// `wattle run`.
#[derive(Debug, Args)]
pub struct Run {
    /// The app: an APK, a base APK with its splits, or an archive of APKs (`.apks`, `.xapk`, `.apkm`)
    #[arg(required = true, value_name = "APK")]
    pub inputs: Vec<PathBuf>,
    /// The APK with the app's tests; all of them run unless another scenario is given
    #[arg(long, value_name = "APK", help_heading = "Scenario")]
    pub test_apk: Option<PathBuf>,
    /// Install the app as it is, without probes
    #[arg(long)]
    pub no_probes: bool,
    /// A second build of the app to compare with; the builds take turns (A B B A)
    #[arg(long, value_name = "APK", help_heading = "Series")]
    pub compare: Option<PathBuf>,
    /// Differences of both builds that matter: a share of the larger energy, an energy, or both [default: 1%,1mJ]
    #[arg(long, value_name = "SHARE,ENERGY", requires = "compare", help_heading = "Series")]
    pub threshold: Option<wattle_report::Threshold>,
    /// Folder for the recording, which is created [default: PACKAGE-1, PACKAGE-2 …]
    #[arg(long, short, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub scenario: ScenarioFlags,
    #[command(flatten)]
    pub sources: SourceFlags,
    #[command(flatten)]
    pub preparation: PreparationFlags,
    #[command(flatten)]
    pub series: SeriesFlags,
    #[command(flatten)]
    pub device: DeviceChoice,
    #[command(flatten)]
    pub strictness: Strictness,
    #[command(flatten, next_help_heading = "Probes")]
    pub probing: Probing,
    #[command(flatten, next_help_heading = "Figures")]
    pub modelling: Modelling,
    #[command(flatten, next_help_heading = "Output")]
    pub output: Output,
}

/// The flags of the scenario.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Scenario")]
pub struct ScenarioFlags {
    /// Run these tests: a class, or `Class#method,method` (repeatable)
    #[arg(long, value_name = "CLASS[#METHOD]")]
    pub test: Vec<String>,
    /// An argument for the instrumentation (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub test_argument: Vec<String>,
    /// Send this number of random events to the app with `monkey`
    #[arg(long, value_name = "EVENTS", group = "what")]
    pub monkey: Option<u32>,
    /// Seed of monkey: the same seed gives the same events
    #[arg(long, value_name = "N", requires = "monkey")]
    pub seed: Option<u64>,
    /// Milliseconds between two of monkey's events
    #[arg(long, value_name = "MS", requires = "monkey")]
    pub throttle: Option<u32>,
    /// Run this shell script on the device
    #[arg(long, value_name = "FILE", group = "what")]
    pub script: Option<PathBuf>,
    /// Record until Enter is pressed
    #[arg(long, group = "what")]
    pub manual: bool,
    /// Start the app and record for this number of seconds [default: 10, without another scenario]
    #[arg(long, value_name = "SECONDS", group = "what")]
    pub duration: Option<f64>,
    /// State from which the app is started: without a process, with one, or from the background
    #[arg(long, value_enum, value_name = "MODE", default_value_t, conflicts_with_all = ["monkey", "script", "manual", "host"])]
    pub start: Start,
    /// Activity to start (`.MainActivity`) [default: the one that the launcher starts]
    #[arg(long, value_name = "CLASS", conflicts_with_all = ["monkey", "script", "manual", "host"])]
    pub activity: Option<String>,
    /// Time limit of one run of the scenario, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0)]
    pub timeout: f64,
    /// Run this program on this machine (after `--`), with ANDROID_SERIAL set: Maestro, Appium, a script
    #[arg(last = true, value_name = "COMMAND", group = "what")]
    pub host: Vec<String>,
}

/// The state from which the app is started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Start {
    /// End its process before
    #[default]
    Cold,
    /// Keep its process, make its activity anew
    Warm,
    /// Bring its activity back from the background
    Hot,
}

/// The part of the app that is compiled before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Compiled {
    /// Nothing: everything is interpreted at first
    None,
    /// That which the app's baseline profile names
    Baseline,
    /// Everything
    Full,
}

/// The sources to record.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Sources")]
pub struct SourceFlags {
    /// Record these only (repeatable): perfetto, logcat, counters, probes, batterystats, art-trace, simpleperf, meter
    /// [default: what the device offers, without the last three]
    #[arg(long, value_name = "SOURCE")]
    pub source: Vec<SourceName>,
    /// Record this one too (repeatable)
    #[arg(long, value_name = "SOURCE", conflicts_with_all = ["source", "without"])]
    pub with: Vec<SourceName>,
    /// Do not record this one (repeatable)
    #[arg(long, value_name = "SOURCE", conflicts_with = "source")]
    pub without: Vec<SourceName>,
    /// Polling period of network and storage counters in milliseconds, 100 to 3000 [default: 1000]
    #[arg(long, value_name = "MS")]
    pub poll: Option<u32>,
    /// Record the runtime's method trace
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true,
        default_missing_value = "sampled")]
    pub method_trace: Option<MethodTrace>,
    /// A power meter's file, put into the recording
    #[arg(long, value_name = "FILE")]
    pub meter: Option<PathBuf>,
    /// Description of the meter's clock (`host wall clock`)
    #[arg(long, value_name = "TEXT", requires = "meter", default_value = "not known")]
    pub meter_clock: String,
    /// Record interrupts too: thousands of events a second
    #[arg(long)]
    pub interrupts: bool,
    /// Count cycles, instructions and cache misses at every switch too, for models that use them (Android 12 and later, where the phone
    /// allows it)
    #[arg(long)]
    pub hardware_counters: bool,
    /// Do not record what apps draw (gfx, view) and when frames were shown
    #[arg(long)]
    pub no_frames: bool,
    /// Use this configuration of Perfetto (protobuf, text or binary) in place of Wattle's
    #[arg(long, value_name = "FILE", conflicts_with_all = ["interrupts", "hardware_counters", "no_frames"])]
    pub perfetto_config: Option<PathBuf>,
    /// Print the configuration of Perfetto for this API level of Android, and record nothing
    #[arg(long, value_name = "API", num_args = 0..=1, require_equals = true, default_missing_value = "36")]
    pub show_config: Option<u32>,
}

/// The kind of method trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MethodTrace {
    /// Sample stacks every millisecond
    Sampled,
    /// Trace every entry and exit, which slows the app down considerably
    Full,
}

/// The flags of preparing the device. All changes are undone afterwards.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Preparation")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct PreparationFlags {
    /// Fix the brightness (0 to 255)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=255))]
    pub brightness: Option<u32>,
    /// Switch animations off
    #[arg(long)]
    pub no_animations: bool,
    /// Compile this part of the app before the runs; afterwards, it is compiled as its installation does it
    #[arg(long, value_enum, value_name = "PART")]
    pub compilation: Option<Compiled>,
    /// Keep CPU and GPU clocks at the vendor's fixed point (Android 11 and later, not on every phone)
    #[arg(long)]
    pub fixed_performance: bool,
    /// Measure on the battery: stop charging, or refuse to run while the phone charges
    #[arg(long, conflicts_with = "keep_plug_state")]
    pub battery: bool,
    /// Delete the app's data before each run
    #[arg(long)]
    pub clear_data: bool,
    /// Do not make battery statistics treat the device as unplugged
    #[arg(long)]
    pub keep_plug_state: bool,
    /// Do not turn the screen on or keep it on
    #[arg(long)]
    pub leave_screen: bool,
    /// Continue although the phone is charging, hot, low on battery, or in battery saver mode
    #[arg(long)]
    pub force: bool,
    /// Minimum battery level, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 20)]
    pub min_charge: u32,
    /// Replace an installed app that has another signature: this deletes its data
    #[arg(long)]
    pub replace: bool,
    /// Reinstall the original app afterwards
    #[arg(long)]
    pub restore_app: bool,
    /// Only undo the changes that an earlier, killed run left on the device
    #[arg(long)]
    pub restore_only: bool,
}

/// The order in which two builds take turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// A B B A
    #[default]
    Mirrored,
    /// A B A B
    Alternating,
    /// Each round in an order of its own
    Random,
}

/// The flags of a series.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Series")]
pub struct SeriesFlags {
    /// Number of runs of the scenario, of each build
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// Runs of each build before those that count: they are recorded, and left out of means and comparisons
    /// [default: 1 from --repeat 5 on, else 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub warm_up: Option<u32>,
    /// The order in which two builds take turns
    #[arg(long, value_enum, value_name = "ORDER", default_value_t)]
    pub order: Order,
    /// Seed of `--order random`
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub order_seed: u64,
    /// Before each run, wait until the battery has at most this many degrees Celsius [default: until it is not hot]
    #[arg(long, value_name = "CELSIUS")]
    pub cool_to: Option<f64>,
    /// Seconds to cool down between two runs
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    pub cool_down: f64,
    /// Continue after a failed run
    #[arg(long)]
    pub keep_going: bool,
    /// Continue an interrupted series in the folder of --out (of a device; a simulated phone is gone with its run)
    #[arg(long, requires = "out", conflicts_with = "simulate")]
    pub resume: bool,
}
