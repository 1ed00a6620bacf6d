//! The devices that jobs of a server may use: those that adb has.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use wattle_device::Cancel;
use wattle_device::adb::{AdbOptions, AdbServer, AttachedDevice, DeviceState, Environment};
use wattle_serve::{DeviceSource, LentDevice};

/// Variables by which adb finds its server, its keys and itself.
const VARIABLES: [&str; 8] = [
    "ADB_SERVER_SOCKET",
    "ANDROID_ADB_SERVER_ADDRESS",
    "ANDROID_ADB_SERVER_PORT",
    "ADB_VENDOR_KEYS",
    "ADB_LOCAL_TRANSPORT_MAX_PORT",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "ANDROID_USER_HOME",
];

/// All devices that adb has, or those with some serial numbers.
pub fn source(serials: Vec<String>) -> DeviceSource {
    // The server is found, or started, at the first look.
    let server: Mutex<Option<AdbServer>> = Mutex::new(None);
    let mut source = DeviceSource::new(move || {
        let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
        let listed = listed(&mut server);
        if listed.is_err() {
            // It may be another one next time.
            *server = None;
        }
        let wanted = |device: &LentDevice| serials.is_empty() || serials.contains(&device.serial);
        listed.map(|devices| devices.into_iter().filter(wanted).collect())
    });
    source.environment = environment();
    source
}

fn listed(server: &mut Option<AdbServer>) -> Result<Vec<LentDevice>, String> {
    let found = if let Some(found) = server.take() {
        found
    } else {
        let (options, environment) = (AdbOptions::default(), Environment::of_process());
        AdbServer::find(&options, &environment, &Cancel::new()).map_err(|it| it.to_string())?
    };
    let devices = found.devices().map_err(|error| error.to_string())?;
    *server = Some(found);
    let ready = devices.into_iter().filter(|device| device.state == DeviceState::Device);
    Ok(ready.map(lent).collect())
}

fn lent(device: AttachedDevice) -> LentDevice {
    // adb writes `_` for spaces.
    let model = device.model.map(|model| model.replace('_', " "));
    LentDevice { model: model.unwrap_or_else(|| device.serial.clone()), serial: device.serial }
}

/// Variables by which jobs find adb, and share leases and journals of devices with whoever else uses them on this machine.
fn environment() -> Vec<(OsString, OsString)> {
    let mut environment: Vec<(OsString, OsString)> = VARIABLES
        .iter()
        .filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)))
        .collect();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let data = data.or_else(|| home.as_ref().map(|home| home.join(".local/share")));
    environment.extend(data.map(|folder| ("XDG_DATA_HOME".into(), folder.into_os_string())));
    // adb's own key is in the user's home.
    let user = home.filter(|_| std::env::var_os("ANDROID_USER_HOME").is_none());
    let user = user.map(|home| home.join(".android"));
    environment.extend(user.map(|folder| ("ANDROID_USER_HOME".into(), folder.into_os_string())));
    environment
}
