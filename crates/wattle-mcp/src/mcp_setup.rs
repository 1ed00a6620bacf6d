//! The program and the flags of a server.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The program and the flags of a server.
#[derive(Clone, Debug, Default)]
pub struct ServerSetup {
    /// This program, which is started for analyses and lookups.
    pub program: PathBuf,
    /// Arguments that make it analyse recordings; a folder for the results, flags and files follow.
    pub analysis_arguments: Vec<OsString>,
    /// Finds a history for a folder that was asked about: in a folder around it, or by the configuration there. `None` where a flag or a
    /// configuration names the history.
    pub history_near: Option<fn(&Path) -> Option<PathBuf>>,
    /// Arguments that name the history.
    pub store_arguments: Vec<OsString>,
    /// Arguments that name the configuration.
    pub config_arguments: Vec<OsString>,
    /// Arguments of every command that uses a device.
    pub device_arguments: Vec<OsString>,
    /// Folders that may be read, in their whole form; none for all.
    pub roots: Vec<PathBuf>,
    /// The folder for recordings of runs on devices.
    pub recordings: PathBuf,
    /// Whether devices may be used without asking.
    pub allows_devices: bool,
    /// Version of the program.
    pub version: String,
}
