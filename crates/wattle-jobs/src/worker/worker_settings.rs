//! Settings of a worker.

use std::ffi::OsString;
use std::path::PathBuf;

use super::ChildLimits;
use crate::queue::LentDevice;

/// Settings of a worker.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// The name, which no other worker of the server has. The same after a restart, or a new one each time.
    pub name: String,
    /// A description to be shown, such as the machine's name.
    pub title: String,
    /// The `wattle` program, which jobs run.
    pub program: PathBuf,
    /// The program and first arguments that lead to [`confined_child`](crate::confined_child).
    pub launcher: Vec<OsString>,
    /// Limits of jobs.
    pub limits: ChildLimits,
    /// Whether jobs that use no device reach only their own folder, and no network, as far as the kernel can do that.
    pub confines: bool,
    /// Variables of the environment that jobs get besides `PATH`, `HOME`, `TMPDIR` and `LANG`.
    pub environment: Vec<(OsString, OsString)>,
    /// Variables that jobs on devices get besides: where adb's server is, and where leases and journals of devices are.
    pub device_environment: Vec<(OsString, OsString)>,
    /// Whether jobs may run shell scripts of users on devices.
    pub allows_scripts: bool,
    /// The devices of the machine at first: [`Worker::devices`](crate::Worker::devices).
    pub devices: Vec<LentDevice>,
}

impl WorkerSettings {
    /// A worker that runs this very program: `PROGRAM confined-child …` must call [`confined_child`](crate::confined_child).
    pub fn new(name: impl Into<String>, program: impl Into<PathBuf>) -> Self {
        let (name, program) = (name.into(), program.into());
        Self {
            title: name.clone(),
            name,
            launcher: vec![program.clone().into_os_string(), "confined-child".into()],
            program,
            limits: ChildLimits::default(),
            confines: true,
            environment: Vec::new(),
            device_environment: Vec::new(),
            allows_scripts: false,
            devices: Vec::new(),
        }
    }
}
