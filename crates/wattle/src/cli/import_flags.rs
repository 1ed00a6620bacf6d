//! The flags of `wattle import`.

use std::path::PathBuf;

use clap::Args;

/// `wattle import`.
#[derive(Debug, Args)]
pub struct Import {
    /// Results of another tool: a benchmarkData.json of Macrobenchmark or the folder with it, an output folder of Android
    /// Runner, a trace that Android Studio exported or a folder of them
    #[arg(value_name = "FILE|FOLDER")]
    pub results: PathBuf,
    /// Folder for the recordings, which must not exist or be empty [default: the name of the results with -recordings]
    #[arg(long, short, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Write the list of recordings as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Print nothing: only errors
    #[arg(long, short)]
    pub quiet: bool,
}
