use std::path::PathBuf;

use clap::Args;

/// `wattle accuracy`.
#[derive(Debug, Args)]
pub struct Accuracy {
    /// Data sets: files, archives or folders (repeatable). Each is recognized by its content: AndroWatts (.csv),
    /// freqbench (joined .csv, or results as folder or .tar.gz), Android Runner with a Monsoon meter (folder or .tar.gz),
    /// traces with power rails and a scheduler (.perfetto-trace, .pftrace)
    #[arg(long, required = true, value_name = "DIR|FILE", num_args = 1..)]
    pub data: Vec<PathBuf>,
    /// Evaluate this data set only: androwatts, freqbench, android-runner or rails
    #[arg(long, value_name = "NAME")]
    pub set: Option<String>,
    /// Random seed: the same seed gives the same table
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Number of folds of time that are held out in turn, for a data set of one device
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(2..=50))]
    pub folds: u8,
    /// Exit with code 1 unless this holds (repeatable): `ratio<=1`, `mape<=0.08`, `weighted<=0.1`, `p95<=0.3`, `coverage>=0.85`,
    /// `coverage<=0.95`. For every best model; `freqbench:ratio<=1` for those of one set
    #[arg(long, value_name = "[SET:]FIGURE<=|>=VALUE")]
    pub require: Vec<String>,
    /// Write the table as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Print no table and no progress
    #[arg(long, short)]
    pub quiet: bool,
}
