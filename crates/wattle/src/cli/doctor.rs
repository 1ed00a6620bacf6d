//! The flags of `wattle doctor`.

use std::path::PathBuf;

use clap::Args;

use super::DeviceChoice;

/// `wattle doctor`.
#[derive(Debug, Args)]
pub struct Doctor {
    #[command(flatten)]
    pub choice: DeviceChoice,
    /// Write the checks as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Print nothing: only the exit code and errors
    #[arg(long, short)]
    pub quiet: bool,
}
