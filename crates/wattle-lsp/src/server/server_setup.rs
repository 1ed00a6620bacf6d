//! The program around the server.

use std::ffi::OsString;
use std::path::PathBuf;

/// The program around the server.
#[derive(Clone, Debug, Default)]
pub struct ServerSetup {
    /// The program that writes digests and runs commands: this one.
    pub program: PathBuf,
    /// The arguments by which it writes the energies of the project.
    pub energy_arguments: Vec<OsString>,
    /// The arguments by which it writes the calls of a run; the run's name follows.
    pub call_arguments: Vec<OsString>,
    /// Environment variables of all commands: the history, where it is not the usual one.
    pub variables: Vec<(String, OsString)>,
    /// The file that changes when a run is kept, where it is one.
    pub watched: Option<PathBuf>,
    /// Files of `wattle diagnose --json`.
    pub findings: Vec<PathBuf>,
    /// The version of the program.
    pub version: String,
}
