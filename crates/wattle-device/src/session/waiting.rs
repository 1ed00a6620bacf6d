//! Waiting for a device that went away.

use std::time::{Duration, Instant};

use crate::{Cancel, Device, DeviceError};

/// Time limit of one request.
const ASK: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(500);
const BOOT_ID: &str = "cat /proc/sys/kernel/random/boot_id";

/// Whether a device that did not answer does so again within the time. adb over Wi-Fi drops for seconds, and a reboot
/// takes a minute.
pub(super) fn comes_back(device: &dyn Device, cancel: &Cancel, patience: Duration) -> bool {
    let began = Instant::now();
    loop {
        match device.shell("echo wattle", ASK) {
            Ok(output) if output.text().trim() == "wattle" => return true,
            Err(DeviceError::Cancelled) => return false,
            _ => device.reconnect(),
        }
        let left = patience.saturating_sub(began.elapsed());
        if left.is_zero() || cancel.sleep(PAUSE.min(left)).is_err() {
            return false;
        }
    }
}

/// The identifier of a device's boot; `None` if it has none.
pub(super) fn boot_id(device: &dyn Device) -> Result<Option<String>, DeviceError> {
    let found = device.shell(BOOT_ID, ASK)?;
    let id = found.text().trim().to_owned();
    Ok((found.is_success() && !id.is_empty()).then_some(id))
}
