//! The program and the flags of a server.

use std::ffi::OsString;
use std::path::PathBuf;

/// The program and the flags of a server.
#[derive(Clone, Debug, Default)]
pub struct ServerSetup {
    /// This program, which is started for analyses and lookups.
    pub program: PathBuf,
    /// Arguments that make it analyse recordings; a folder for the results, flags and files follow.
    pub analysis_arguments: Vec<OsString>,
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
