//! The flags of `wattle instrument`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Unpacking;

/// `wattle instrument`.
#[derive(Debug, Args)]
pub struct Instrument {
    /// The app: an APK, a base APK with its splits, an archive of APKs (`.apks`, `.xapk`, `.apkm`), or one bare `.dex`
    #[arg(required = true, value_name = "IN")]
    pub inputs: Vec<PathBuf>,
    /// Output file, or folder for several APKs [default: IN with `.traced` in its name]
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub probing: Probing,
    /// Do everything but write: what would be probed, and how large the result would be
    #[arg(long)]
    pub dry_run: bool,
    /// Write a summary as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Print no summary and no progress
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub unpacking: Unpacking,
}

/// The options of instrumentation and signing.
#[derive(Debug, Args, Clone)]
pub struct Probing {
    /// Code to instrument: entry and exit of methods, calls into the framework, or both [default: methods]
    #[arg(long, value_enum, value_name = "MODE")]
    pub mode: Option<Mode>,
    /// Destination of probe events: sections of the system trace, batches in the log, binary files in the app's folder,
    /// or lines as Navitas or Orka wrote them [default: trace]
    #[arg(long, value_enum, value_name = "SINK")]
    pub sink: Option<Sink>,
    /// Trace these classes instead of the app's own packages: a class, a package, or a pattern such as
    /// `com.example.**` (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Never trace these classes (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Trace all classes, libraries too
    #[arg(long, conflicts_with = "include")]
    pub all: bool,
    /// Trace calls of these classes of the framework instead of those that spend energy (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub api: Vec<String>,
    /// Never trace calls of these classes (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub exclude_api: Vec<String>,
    /// Treatment of methods without calls and loops, in which a probe costs more than the method
    #[arg(long, value_enum, value_name = "POLICY", default_value_t)]
    pub short_methods: ShortMethods,
    /// Leave out the methods whose probes cost most, until those of the others take at most this share of the app's CPU time, as
    /// in the earlier run of --calls
    #[arg(long, value_name = "PERCENT", value_parser = percent, requires = "calls", conflicts_with = "mapping")]
    pub budget: Option<f64>,
    /// The saved ledger of an earlier run of this app with probes, for --budget
    #[arg(long, value_name = "LEDGER", requires = "budget")]
    pub calls: Option<PathBuf>,
    /// Do not time the probes when the app starts. Their cost cannot be separated from the app's then. The sinks of
    /// other tools' lines never time them
    #[arg(long)]
    pub no_calibration: bool,
    /// Deobfuscate classes and methods with this `mapping.txt` of R8 or ProGuard
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Make the app debuggable, which Android before 10 needs for trace sections (slower)
    #[arg(long)]
    pub debuggable: bool,
    #[command(flatten)]
    pub signing: Signing,
    /// Number of threads [default: number of processors]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub threads: usize,
}

/// `5` or `5%`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>().ok();
    let number = number.filter(|number| *number > 0.0 && *number <= 100.0);
    number.ok_or_else(|| "expected percent above 0 and up to 100, such as 5%".to_owned())
}

impl Probing {
    /// The mode, or its default.
    pub fn mode_or_methods(&self) -> Mode {
        self.mode.unwrap_or_default()
    }

    /// The sink, or its default.
    pub fn sink_or_trace(&self) -> Sink {
        self.sink.unwrap_or_default()
    }
}

/// With which key.
#[derive(Debug, Args, Clone)]
pub struct Signing {
    /// Sign with this key: PEM, or a key store in PKCS#12 or JKS [default: ~/.android/debug.keystore, with which Android
    /// Studio signs, else a debug key of Wattle's own]
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Certificate of the key, if it is not in the key's file
    #[arg(long, value_name = "FILE", requires = "key")]
    pub certificate: Option<PathBuf>,
    /// Alias of the key in a key store
    #[arg(long, value_name = "NAME", requires = "key")]
    pub key_alias: Option<String>,
    /// The environment variable that holds the key's password
    #[arg(long, value_name = "VARIABLE", requires = "key")]
    pub key_password: Option<String>,
    /// Do not sign
    #[arg(long, conflicts_with = "key")]
    pub unsigned: bool,
}

/// The methods and calls to instrument.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Entry and exit of methods
    #[default]
    Methods,
    /// Calls into the framework
    Apis,
    /// Both
    Both,
}

/// The destination of probe events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Sink {
    /// Sections of `android.os.Trace`, which Perfetto records beside the scheduler
    #[default]
    Trace,
    /// Batches of events in the log, numbered so that lost lines are seen
    Logcat,
    /// Binary files in the app's folder
    File,
    /// The lines that Navitas wrote
    Navitas,
    /// The lines that Orka wrote
    Orka,
}

/// The treatment of methods without calls and loops.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ShortMethods {
    /// Leave them alone, and count them
    #[default]
    Skip,
    /// Instrument them like all others
    Probe,
}
