//! The device that is meant, ready to be talked to.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;
use wattle_device::Cancel;
use wattle_device::adb::{AdbDevice, AdbOptions, AdbServer, Environment, Limits};
use wattle_device::prepare::{ConsoleAccess, ConsoleOnDemand};

use super::failure::failure;
use super::simulated::Simulated;
use crate::cli::DeviceChoice;
use crate::exit::Failure;

/// A device, with whatever has to live as long as it.
#[derive(Debug)]
pub struct Connection {
    /// The device.
    pub device: AdbDevice,
    /// The console, where it is an emulator that has one.
    pub console: Option<Arc<dyn ConsoleAccess>>,
    /// The phone itself, where it is simulated. The last field: it goes when nothing talks to it any more.
    simulated: Option<Simulated>,
}

impl Connection {
    /// The folder for journals and leases.
    pub fn journals(&self) -> Result<PathBuf, Failure> {
        journals(self.simulated.as_ref())
    }
}

impl Devices {
    /// The folder for journals and leases.
    pub fn journals(&self) -> Result<PathBuf, Failure> {
        journals(self.simulated.as_ref())
    }
}

/// The folder for journals of device changes until they are undone, and for leases. That of a simulated phone goes with
/// the phone.
fn journals(simulated: Option<&Simulated>) -> Result<PathBuf, Failure> {
    if let Some(simulated) = simulated {
        return Ok(simulated.folder().to_owned());
    }
    let folder = wattle_apk::data_folder().ok_or_else(|| {
        Failure::Environment(anyhow!(
            "no folder for the journal of changes to the device: set $XDG_DATA_HOME or $HOME"
        ))
    })?;
    Ok(folder.join("devices"))
}

/// The adb server that holds the devices, simulated ones included.
#[derive(Debug)]
pub struct Devices {
    /// The server.
    pub server: AdbServer,
    /// The serial that is meant, where one is simulated.
    simulated: Option<Simulated>,
}

/// Finds the adb server, or starts it.
pub fn devices(choice: &DeviceChoice, cancel: &Cancel) -> Result<Devices, Failure> {
    devices_within(choice, Limits::default(), cancel)
}

/// The same with other time limits.
pub fn devices_within(
    choice: &DeviceChoice,
    limits: Limits,
    cancel: &Cancel,
) -> Result<Devices, Failure> {
    let mut options = AdbOptions::default();
    options.limits = limits;
    options.adb.clone_from(&choice.adb);
    if let Some(kind) = choice.simulate {
        let simulated = Simulated::start(kind, choice, options, cancel)?;
        return Ok(Devices { server: simulated.server().clone(), simulated: Some(simulated) });
    }
    let server = AdbServer::find(&options, &Environment::of_process(), cancel).map_err(failure)?;
    Ok(Devices { server, simulated: None })
}

/// Opens the device that is meant.
pub fn open(choice: &DeviceChoice, cancel: &Cancel) -> Result<Connection, Failure> {
    let Devices { server, simulated } = devices(choice, cancel)?;
    let environment = Environment::of_process();
    let serial = match &simulated {
        Some(simulated) => simulated.serial().to_owned(),
        None => server.choose(choice.serial.as_deref(), &environment).map_err(failure)?.serial,
    };
    let device = server.device(&serial).map_err(failure)?;
    let console = console(&serial);
    Ok(Connection { device, console, simulated })
}

/// The console of an emulator of this machine.
pub fn console(serial: &str) -> Option<Arc<dyn ConsoleAccess>> {
    let is_emulator = serial.starts_with("emulator-");
    is_emulator.then(|| {
        let (environment, limits) = (Environment::of_process(), Limits::default());
        Arc::new(ConsoleOnDemand { serial: serial.to_owned(), environment, limits })
            as Arc<dyn ConsoleAccess>
    })
}
