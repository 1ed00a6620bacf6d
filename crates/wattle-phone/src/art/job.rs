//! A job for the runtime.

use std::path::PathBuf;
use std::time::Duration;

use wattle_units::Nanos;

use super::TestMethod;

/// The entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArtEntry {
    /// A class's `main(String[])`, named as `some.pack.Class`.
    Main {
        /// The class.
        class: String,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// Tests, one after the other, each with an object of its own.
    Tests(Vec<TestMethod>),
}

/// A process to run.
#[derive(Clone, Debug)]
pub struct ArtJob {
    /// The packages whose code it has, in the order they are searched: the app's with its splits, the tests'.
    pub packages: Vec<PathBuf>,
    /// Its entry point.
    pub entry: ArtEntry,
    /// The process's number on the simulated phone. Its threads have the numbers that follow.
    pub pid: u32,
    /// Its uid there.
    pub uid: u32,
    /// The offset from the host's monotonic clock to the phone's boot time.
    pub boot_ahead: Nanos,
    /// System properties, such as `wattle.dir` with the folder that probes write their files into.
    pub properties: Vec<(String, String)>,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// After so long it is killed.
    pub timeout: Duration,
}

impl ArtJob {
    /// A process that runs in a folder, of a minute at most, on a phone whose boot time is the host's monotonic clock.
    pub fn new(packages: Vec<PathBuf>, entry: ArtEntry, pid: u32, folder: PathBuf) -> Self {
        Self {
            packages,
            entry,
            pid,
            uid: 10_000,
            boot_ahead: Nanos::ZERO,
            properties: Vec::new(),
            folder,
            timeout: Duration::from_mins(1),
        }
    }
}
