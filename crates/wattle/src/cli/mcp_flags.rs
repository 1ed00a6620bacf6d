//! The flags of `wattle mcp`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::HistoryPlace;

/// `wattle mcp`.
#[derive(Debug, Args)]
pub struct Mcp {
    /// Speak HTTP at this address of this machine (`127.0.0.1:8765`; port 0 for a free one) instead of standard input
    /// and output
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// Read recordings only below this folder (repeatable) [default: all of this user's files; with --listen the
    /// working folder]
    #[arg(long, value_name = "FOLDER")]
    pub root: Vec<PathBuf>,
    /// Let agents use attached devices (install, run, record) without asking
    #[arg(long)]
    pub allow_device: bool,
    /// Give every command that uses a device this argument (repeatable), such as `--device-argument=--serial=X`
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    pub device_argument: Vec<String>,
    /// Folder for recordings that agents make on devices
    #[arg(long, value_name = "FOLDER", default_value = "wattle-recordings")]
    pub recordings: PathBuf,
    #[command(flatten)]
    pub place: HistoryPlace,
    /// For the server itself: analyse recordings into this folder and end
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub analyse: Option<PathBuf>,
    /// The app of --analyse
    #[arg(long, value_name = "PACKAGE", hide = true, requires = "analyse")]
    pub app: Option<String>,
    /// The device model of --analyse
    #[arg(long, value_name = "FILE", hide = true, requires = "analyse")]
    pub device_model: Option<PathBuf>,
    /// The recordings of --analyse
    #[arg(value_name = "TRACE", hide = true, requires = "analyse")]
    pub traces: Vec<PathBuf>,
}
