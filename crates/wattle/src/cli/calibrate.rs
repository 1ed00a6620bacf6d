//! Flags of `wattle calibrate` and `wattle model`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Arguments that do not go with `--update`. Also those that need `--csv` or `--slope`: where these conflict with what is there, clap
/// does not ask for them.
const UPDATE_CONFLICTS: [&str; 26] = [
    "csv",
    "test",
    "key",
    "duration",
    "order",
    "group",
    "target_unit",
    "curve",
    "slope",
    "time",
    "time_unit",
    "figure",
    "warm_up",
    "parameters",
    "target",
    "list_parameters",
    "into",
    "anchor",
    "api_costs",
    "every",
    "folds",
    "kind",
    "ridge",
    "robust",
    "unconstrained",
    "voltage",
];

/// `wattle calibrate`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Calibrate {
    /// Recordings or traces with measured power; each is one group of observations
    #[arg(value_name = "TRACE", conflicts_with_all = ["csv", "curve"])]
    pub traces: Vec<PathBuf>,
    /// A table of comma-separated values instead of recordings (repeatable: rows of tables with the same columns are appended,
    /// other tables are joined by --key)
    #[arg(long, visible_alias = "train", value_name = "FILE", conflicts_with = "curve")]
    pub csv: Vec<PathBuf>,
    #[command(flatten)]
    pub table: TableFlags,
    /// Runs measured on another phone or population (a table): scale the model given with --into by them
    #[arg(long, value_name = "FILE", requires = "into", conflicts_with_all = ["traces", "csv", "curve", "slope", "parameters", "target"])]
    pub anchor: Option<PathBuf>,
    /// Correct the curves of a device model (a TOML file) by the power rails of the recordings, beside all that it learnt before.
    /// Without such a file, it begins with the model that comes with Wattle for the device. Written in place, or to --output;
    /// left as it is where the recordings contain nothing new. Options of a fit do not go with it
    #[arg(long, value_name = "MODEL", requires = "traces", conflicts_with_all = UPDATE_CONFLICTS)]
    pub update: Option<PathBuf>,
    /// Measured power at cluster frequencies: a table of cluster (number of its policy), khz, mw and, without --into,
    /// cpus (0-3)
    #[arg(long, value_name = "FILE")]
    pub curve: Option<PathBuf>,
    /// One figure from the slope of a cumulative counter: --csv with --time, --target and --figure
    #[arg(long, requires_all = ["csv", "time", "figure"], conflicts_with_all = ["parameters", "curve"])]
    pub slope: bool,
    /// Fit the cost of calls into the framework, from recordings with measured power and probes around such calls: a
    /// table for --api-costs of `report`
    #[arg(long, conflicts_with_all = ["csv", "curve", "slope", "parameters", "list_parameters", "unconstrained", "into"])]
    pub api_costs: bool,
    /// The measured quantity. In recordings: meter, battery, rails, a component (cpu) or a rail's name. In a table: a column
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
    /// The column's unit: W, mW (default), uW, A, mA, uA, or J, mJ for the energy of a run; of a counter mAh (default), uAh,
    /// mWh, J, uJ
    #[arg(long, value_name = "UNIT", requires = "csv")]
    pub target_unit: Option<String>,
    /// The variables of the power model: parameters of the recording, or COLUMN, COLUMN=PARAMETER, FORMULA=PARAMETER of the
    /// table (red^2.2*brightness); separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub parameters: Vec<String>,
    /// List the parameters that the recordings contain, and the sources of measured power
    #[arg(long, conflicts_with_all = ["csv", "curve", "parameters"])]
    pub list_parameters: bool,
    /// Column whose rows are held out together (the app, the device), or whose values are separate series
    #[arg(long, value_name = "COLUMN", requires = "csv")]
    pub group: Option<String>,
    #[command(flatten)]
    pub counter: CounterFlags,
    #[command(flatten)]
    pub fit: FitFlags,
    /// Device model or power_profile.xml into which the result is merged; it defines the CPUs of each policy
    #[arg(long, value_name = "FILE")]
    pub into: Option<PathBuf>,
    /// Write the device model, or the table of API costs, here
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The model's or table's name [default: calibrated; with --update the name that the model has]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Write the result as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Print no tables and no progress
    #[arg(long, short)]
    pub quiet: bool,
}

impl Calibrate {
    /// The name of a new model or table.
    pub fn new_name(&self) -> &str {
        self.name.as_deref().unwrap_or("calibrated")
    }
}

/// The options of tables.
#[derive(Debug, Args)]
pub struct TableFlags {
    /// A table with the same columns that the fitted model is judged on
    #[arg(long, value_name = "FILE", requires = "csv", conflicts_with = "slope")]
    pub test: Option<PathBuf>,
    /// Column by which tables of different columns are joined
    #[arg(long, value_name = "COLUMN", requires = "csv")]
    pub key: Option<String>,
    /// Column or formula of the length of a run in seconds, for a target in joules: the constant is then a power, and
    /// parameters are totals of the run
    #[arg(long, value_name = "COLUMN", requires = "csv", conflicts_with = "slope")]
    pub duration: Option<String>,
    /// Column or formula by which rows are sorted before blocks of neighbours are held out
    #[arg(long, value_name = "COLUMN", requires = "csv", conflicts_with = "slope")]
    pub order: Option<String>,
}

/// The options of a cumulative counter.
#[derive(Debug, Args)]
pub struct CounterFlags {
    /// The column of times
    #[arg(long, value_name = "COLUMN", requires = "slope")]
    pub time: Option<String>,
    /// The unit of times: ns, ms, s (default) or h
    #[arg(long, value_name = "UNIT", requires = "slope", default_value = "s")]
    pub time_unit: String,
    /// The name of the figure, such as bluetooth.on
    #[arg(long, value_name = "NAME", requires = "slope")]
    pub figure: Option<String>,
    /// Share of the time to discard at the start of a counter, while the device settles
    #[arg(long, value_name = "SHARE", requires = "slope", default_value_t = 0.1)]
    pub warm_up: f64,
}

/// The options of a fit.
#[derive(Debug, Args)]
pub struct FitFlags {
    /// Minimum length of an observation in a recording, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub every: f64,
    /// Hold out this number of folds of whole groups, instead of each group once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..))]
    pub folds: Option<u16>,
    /// Kind of model: auto (the simplest that predicts rows held out no worse than the best, within one standard error),
    /// linear, kneed (lines with knees, relative errors), gaussian (kneed, and a Gaussian process)
    #[arg(long, value_name = "KIND", default_value = "auto")]
    pub kind: String,
    /// Penalty on the coefficients, in units of rows; 0 for none [default: chosen by inner folds]
    #[arg(long, value_name = "ROWS")]
    pub ridge: Option<f64>,
    /// Reduce the weight of outliers (a kneed or gaussian model always does)
    #[arg(long)]
    pub robust: bool,
    /// Allow negative coefficients
    #[arg(long)]
    pub unconstrained: bool,
    /// Battery voltage, for currents
    #[arg(long, value_name = "VOLTS")]
    pub voltage: Option<f64>,
}

/// `wattle model`.
#[derive(Debug, Args)]
pub struct Model {
    /// The operation.
    #[command(subcommand)]
    pub verb: ModelVerb,
}

/// The destination of a table.
#[derive(Debug, Args, Clone, Default)]
pub struct TableOutput {
    /// Write the table as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
}

/// The operations on device models and API cost tables.
#[derive(Debug, Subcommand)]
pub enum ModelVerb {
    /// List the models that come with Wattle
    List {
        #[command(flatten)]
        output: TableOutput,
    },
    /// Show one: a model or table of the library by its name, a model by its SoC, device or board, or a file
    Show {
        /// Its name, or a file
        model: String,
        /// Write it as a file
        #[arg(long, value_name = "FILE")]
        toml: Option<PathBuf>,
        #[command(flatten)]
        output: TableOutput,
    },
    /// Check files: format, units, curves that rise, placeholders, topology, costs
    Check {
        /// Device models, power profiles or tables of API costs
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        output: TableOutput,
    },
    /// Predict each row of a table by a model that was calibrated from a table; errors where the table has the measured column
    Predict {
        /// The device model
        model: PathBuf,
        /// A table of comma-separated values
        table: PathBuf,
        /// Column whose rows are one group, for the worst coverage
        #[arg(long, value_name = "COLUMN")]
        group: Option<String>,
        /// Battery voltage, for a measured column in amperes
        #[arg(long, value_name = "VOLTS")]
        voltage: Option<f64>,
        /// Write the predictions as comma-separated values, or to standard output for `-` (then nothing else is printed)
        #[arg(long, value_name = "FILE|-")]
        csv: Option<PathBuf>,
        #[command(flatten)]
        output: TableOutput,
    },
    /// Compare two models, figure by figure and clock by clock
    Diff {
        /// A name of the library, or a file
        a: String,
        /// Another
        b: String,
        #[command(flatten)]
        output: TableOutput,
    },
}
