//! The flags of `wattle push`.

use std::path::PathBuf;

use clap::Args;

use super::{FactFlags, ServerAccess};

/// `wattle push`.
#[derive(Debug, Args)]
pub struct Push {
    /// Traces, logs, recordings, saved ledgers, or a package; several files and folders of one recording are one job, each run in a folder of several is one of its own
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The server
    #[arg(long, value_name = "URL", env = "WATTLE_SERVER")]
    pub server: String,
    #[command(flatten)]
    pub access: ServerAccess,
    /// Name of the job [default: that of the first file]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Package name of the app whose energy the history is of [default: as in the recording]
    #[arg(long, value_name = "PACKAGE")]
    pub app: Option<String>,
    #[command(flatten)]
    pub facts: FactFlags,
    /// Do not wait for the job: print its address and return
    #[arg(long)]
    pub no_wait: bool,
    /// Write the job as JSON (of several, their list) into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}
