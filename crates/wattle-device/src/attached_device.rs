//! Devices attached to an adb server.

use std::fmt;

/// A device that the adb server knows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttachedDevice {
    /// adb's name of it: a serial number, `host:port`, or `emulator-5554`.
    pub serial: String,
    /// Whether it can be used.
    pub state: DeviceState,
    /// `ro.product.name`, where the device told it.
    pub product: Option<String>,
    /// `ro.product.model`; adb writes `_` for what is no letter or digit.
    pub model: Option<String>,
    /// `ro.product.device`.
    pub device: Option<String>,
    /// The server's number of this connection; another after each reconnection.
    pub transport: Option<u64>,
}

impl AttachedDevice {
    /// Reads the answer to `host:devices-l`: a line for each device, `<serial> <state> <key>:<value> …`
    /// (`append_transport` in adb's `transport.cpp`). Lines without a state are left out: they name no device.
    pub(crate) fn parse_list(text: &str) -> Vec<Self> {
        text.lines().filter_map(Self::parse).collect()
    }

    fn parse(line: &str) -> Option<Self> {
        let (serial, rest) = line.trim_start().split_once([' ', '\t'])?;
        // The state may be words (`no permissions (…); see […]`), so the facts are taken from the end.
        let mut words: Vec<&str> = rest.split_whitespace().collect();
        let mut device = Self {
            serial: serial.to_owned(),
            state: DeviceState::Offline,
            product: None,
            model: None,
            device: None,
            transport: None,
        };
        while let Some((key, value)) = words.last().and_then(|word| word.split_once(':')) {
            match key {
                "product" => device.product = Some(value.to_owned()),
                "model" => device.model = Some(value.to_owned()),
                "device" => device.device = Some(value.to_owned()),
                "transport_id" => device.transport = value.parse().ok(),
                // Where it is plugged in: `usb:1-4`; kept by nobody.
                "usb" | "features" => {}
                _ => break,
            }
            words.pop();
        }
        // A serial of a USB port without a name (`1-4`) stands where newer servers omit `usb:`.
        if words.len() > 1 && words.first().is_some_and(|word| DeviceState::is_one_word(word)) {
            words.truncate(1);
        }
        (!words.is_empty()).then(|| {
            device.state = DeviceState::parse(&words.join(" "));
            device
        })
    }
}

impl fmt::Display for AttachedDevice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.serial, self.state)?;
        self.model.as_ref().map_or(Ok(()), |model| write!(formatter, " {model}"))
    }
}

/// Whether a device can be used (`ConnectionState` in adb's `adb.h`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceState {
    /// It runs Android and answers.
    Device,
    /// It does not answer.
    Offline,
    /// It waits for its user to allow this computer.
    Unauthorized,
    /// It is being asked whether this computer may.
    Authorizing,
    /// The connection is being made.
    Connecting,
    /// It runs the recovery system.
    Recovery,
    /// It runs the rescue party's system.
    Rescue,
    /// It waits for an update to be sent.
    Sideload,
    /// It runs its boot loader.
    Bootloader,
    /// This computer may not open its USB port; with adb's explanation.
    NoPermissions(String),
    /// A word that this version does not know.
    Other(String),
}

impl DeviceState {
    fn is_one_word(word: &str) -> bool {
        !matches!(Self::parse(word), Self::Other(_) | Self::NoPermissions(_))
    }

    /// Reads adb's word.
    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "device" => Self::Device,
            "offline" => Self::Offline,
            "unauthorized" => Self::Unauthorized,
            "authorizing" => Self::Authorizing,
            "connecting" => Self::Connecting,
            "recovery" => Self::Recovery,
            "rescue" => Self::Rescue,
            "sideload" => Self::Sideload,
            "bootloader" => Self::Bootloader,
            other => other.strip_prefix("no permissions").map_or_else(
                || Self::Other(other.to_owned()),
                |why| Self::NoPermissions(why.trim().to_owned()),
            ),
        }
    }

    /// Advice for the user.
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::Device => "it is ready",
            Self::Offline => {
                "unplug it and plug it in again, or restart it; over Wi-Fi, connect it again"
            }
            Self::Unauthorized => {
                "unlock the phone and accept the question whether this computer may debug it; if no question comes, \
                 revoke the USB debugging authorizations in its developer options and plug it in again"
            }
            Self::Authorizing | Self::Connecting => "wait a moment and try again",
            Self::Recovery | Self::Rescue | Self::Sideload | Self::Bootloader => {
                "restart it into Android (`adb reboot`, or `fastboot reboot` in the boot loader)"
            }
            Self::NoPermissions(_) => {
                "this user may not open its USB port: on Linux add a udev rule for the phone (the package \
                 android-sdk-platform-tools-common has them) and plug it in again, on others restart the adb server"
            }
            Self::Other(_) => "wait until adb calls it `device`",
        }
    }
}

impl fmt::Display for DeviceState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Device => "device",
            Self::Offline => "offline",
            Self::Unauthorized => "unauthorized",
            Self::Authorizing => "authorizing",
            Self::Connecting => "connecting",
            Self::Recovery => "recovery",
            Self::Rescue => "rescue",
            Self::Sideload => "sideload",
            Self::Bootloader => "bootloader",
            Self::NoPermissions(why) if why.is_empty() => "no permissions",
            Self::NoPermissions(why) => return write!(formatter, "no permissions {why}"),
            Self::Other(word) => word,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, serial: &str, state: &DeviceState, model: Option<&str>) {
        let devices = AttachedDevice::parse_list(line);
        let [device] = devices.as_slice() else { panic!("{devices:?}") };
        assert_eq!((device.serial.as_str(), &device.state), (serial, state));
        assert_eq!(device.model.as_deref(), model);
    }

    #[test]
    fn every_state_of_adb_is_read() {
        let pixel = "38071FDJH00DX8         device usb:1-4 product:shiba model:Pixel_8 device:shiba transport_id:3";
        check(pixel, "38071FDJH00DX8", &DeviceState::Device, Some("Pixel_8"));
        // Newer servers print the port without `usb:`.
        check("X1 device 1-4 product:a model:B device:c", "X1", &DeviceState::Device, Some("B"));
        check(
            "emulator-5554          offline transport_id:1",
            "emulator-5554",
            &DeviceState::Offline,
            None,
        );
        check("R58M unauthorized usb:1-1 transport_id:2", "R58M", &DeviceState::Unauthorized, None);
        check("192.168.1.7:5555\tdevice", "192.168.1.7:5555", &DeviceState::Device, None);
        check("S1 recovery", "S1", &DeviceState::Recovery, None);
        check("S1 sideload", "S1", &DeviceState::Sideload, None);
        check("S1 detached", "S1", &DeviceState::Other("detached".to_owned()), None);
        check(
            "???????????? no permissions (user in plugdev group; are your udev rules wrong?); \
             see [http://developer.android.com/tools/device.html] usb:1-4 transport_id:5",
            "????????????",
            &DeviceState::NoPermissions(
                "(user in plugdev group; are your udev rules wrong?); \
                 see [http://developer.android.com/tools/device.html]"
                    .to_owned(),
            ),
            None,
        );
    }

    #[test]
    fn what_is_no_device_is_left_out() {
        for text in ["", "\n\n", "lonely", "x ", " \t "] {
            assert_eq!(AttachedDevice::parse_list(text), [], "{text:?}");
        }
    }

    #[test]
    fn the_number_of_the_connection_is_read() {
        let devices =
            AttachedDevice::parse_list("A device transport_id:7\nB device transport_id:x\n");
        let numbers: Vec<_> = devices.iter().map(|device| device.transport).collect();
        assert_eq!(numbers, [Some(7), None]);
    }
}
