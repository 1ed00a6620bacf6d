//! Options of a keeper.

use std::path::PathBuf;
use std::sync::Arc;

use crate::prepare::{Compilation, ConsoleAccess, CoolDown, Limits, Preparation};
use crate::session::HostFile;

/// Options of keeping a device during a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeeperOptions {
    /// Changes made before the first run. Statistics, log and data that it asks to be cleared are cleared again before
    /// each run.
    pub preparation: Preparation,
    /// In which states a run does not begin.
    pub limits: Limits,
    /// The rule by which the device cools down before each run. Default is until it is not hot.
    pub cool_down: CoolDown,
    /// Whether an app of another signer may be uninstalled, which deletes its data. Default is no.
    pub replace: bool,
    /// Whether the app that was installed before is put back. Default is no.
    pub restore_app: bool,
    /// All packages that the session installs, of all builds: what is put back over them is no change by somebody else.
    pub packages: Vec<PathBuf>,
    /// Whether the app gets every permission that it asks for when it is installed. Default is no.
    pub grant: bool,
    /// The part of the app that is compiled after it is installed; back to what its installation makes afterwards. Default is to leave
    /// it alone.
    pub compilation: Option<Compilation>,
    /// The folder on this machine for journals of changes that are not undone yet, and for packages to be restored.
    pub folder: PathBuf,
    /// The hardware, by which the journal knows the device whatever adb calls it; `None`: adb's name.
    pub hardware: Option<String>,
    /// The console of an emulator.
    pub console: Option<Arc<dyn ConsoleAccess>>,
    /// Files for the recording that are known before it begins: the probe map.
    pub files: Vec<HostFile>,
    /// The number of clock readings each time. Default is 8.
    pub clock_readings: u32,
}

impl KeeperOptions {
    /// Everything as it is by default.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            preparation: Preparation::default(),
            limits: Limits::default(),
            cool_down: CoolDown::default(),
            replace: false,
            restore_app: false,
            packages: Vec::new(),
            grant: false,
            compilation: None,
            folder,
            hardware: None,
            console: None,
            files: Vec::new(),
            clock_readings: 8,
        }
    }
}
