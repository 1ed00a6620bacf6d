//! Which of the attached devices is meant.

use super::{AttachedDevice, DeviceState};
use crate::DeviceError;

/// The device with the wanted serial; without one, the only device.
///
/// With several devices none is guessed, not even when only one is ready: a run on the wrong phone costs more than a
/// second try.
pub(super) fn choose(
    devices: Vec<AttachedDevice>,
    wanted: Option<&str>,
    address: &str,
) -> Result<AttachedDevice, DeviceError> {
    let chosen = match wanted {
        Some(serial) => match devices.iter().find(|device| device.serial == serial) {
            Some(device) => device.clone(),
            None => return Err(DeviceError::UnknownSerial { serial: serial.to_owned(), devices }),
        },
        None => match devices.as_slice() {
            [] => return Err(DeviceError::NoDevice { address: address.to_owned() }),
            [only] => only.clone(),
            _ => return Err(DeviceError::SeveralDevices { devices }),
        },
    };
    if chosen.state == DeviceState::Device {
        Ok(chosen)
    } else {
        Err(DeviceError::NotReady { serial: chosen.serial, state: chosen.state })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(list: &str, wanted: Option<&str>, expected: Result<&str, &[&str]>) {
        let found = choose(AttachedDevice::parse_list(list), wanted, "127.0.0.1:5037");
        match (found, expected) {
            (Ok(device), Ok(serial)) => assert_eq!(device.serial, serial),
            (Err(error), Err(parts)) => {
                let text = error.to_string();
                for part in parts {
                    assert!(text.contains(part), "{text} does not say {part}");
                }
            }
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn the_device_is_the_wanted_or_the_only_one() {
        let two = "A device model:Pixel_8\nemulator-5554 offline";
        check("A device", None, Ok("A"));
        check("A device", Some("A"), Ok("A"));
        check(two, Some("A"), Ok("A"));
        check(
            two,
            None,
            Err(&["2 devices", "--serial", "ANDROID_SERIAL", "A device Pixel_8", "emulator-5554"]),
        );
        check(two, Some("B"), Err(&["no device B", "A device Pixel_8", "emulator-5554 offline"]));
        check("", Some("B"), Err(&["no device B", "none"]));
        check("", None, Err(&["no device is attached", "127.0.0.1:5037", "USB debugging"]));
    }

    #[test]
    fn a_device_that_is_not_ready_comes_with_advice() {
        check("A unauthorized", None, Err(&["A is unauthorized", "unlock the phone", "accept"]));
        check("A offline", None, Err(&["A is offline", "plug it in again"]));
        check("A no permissions (x); see [y]", None, Err(&["no permissions (x)", "udev"]));
        check("A recovery", None, Err(&["A is recovery", "reboot"]));
    }
}
