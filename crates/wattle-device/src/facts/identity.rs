//! The identity of a device that does not depend on the way to it.

use std::time::Duration;

use crate::questions::{Answers, Questions};
use crate::{Device, DeviceError};

const LIMIT: Duration = Duration::from_secs(20);
/// Serial numbers that many devices have: of factories that never set one, and of boards.
const PLACEHOLDERS: [&str; 6] =
    ["", "unknown", "0123456789abcdef", "0123456789", "1234567890", "null"];
/// Longest number that is kept.
const LONGEST: usize = 128;

/// The hardware and the boot of a device, whatever adb calls it: the same over USB, over Wi-Fi and on any port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceIdentity {
    /// The serial number of the hardware, or what stands in for it.
    pub hardware: String,
    /// The identifier of the boot; `None` if the device does not say.
    pub boot: Option<String>,
    /// Why `hardware` may change with the way to the device; `None` if it does not.
    pub doubt: Option<String>,
}

impl DeviceIdentity {
    /// Asks the device.
    ///
    /// # Errors
    /// If it is gone, or somebody asked to stop.
    pub fn read(device: &dyn Device) -> Result<Self, DeviceError> {
        let answers = Questions::new()
            .ask("serial", "getprop ro.serialno")
            .ask("boot serial", "getprop ro.boot.serialno")
            .ask("avd", "getprop ro.boot.qemu.avd_name")
            .ask("old avd", "getprop ro.kernel.qemu.avd_name")
            .ask("android id", "settings get secure android_id")
            .ask("boot", "cat /proc/sys/kernel/random/boot_id")
            .put(device, LIMIT)?;
        let word = |name: &str| word(&answers, name);
        let boot = word("boot");
        let serial = ["serial", "boot serial"].into_iter().filter_map(word).find(is_unique);
        if let Some(serial) = serial {
            // All emulators of one version have one serial number.
            let avd = word("avd").or_else(|| word("old avd"));
            let hardware = avd.map_or_else(|| serial.clone(), |avd| format!("{serial}-{avd}"));
            return Ok(Self { hardware, boot, doubt: None });
        }
        if let Some(id) = word("android id").filter(is_unique) {
            return Ok(Self { hardware: format!("android-{id}"), boot, doubt: None });
        }
        let address = device.serial();
        let doubt = format!(
            "the device has no serial number of its own: it is known by adb's name {address}, and under another name it is \
             taken for another device"
        );
        Ok(Self { hardware: address.to_owned(), boot, doubt: Some(doubt) })
    }

    /// The hardware as part of a file name.
    pub(crate) fn file_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        self.hardware.chars().map(plain).take(64).collect()
    }
}

/// The single word that a question was answered with.
fn word(answers: &Answers, name: &str) -> Option<String> {
    let text = answers.text(name).ok()?.trim();
    let is_word = !text.is_empty()
        && text.len() <= LONGEST
        && text.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    is_word.then(|| text.to_owned())
}

#[expect(clippy::ptr_arg, reason = "a filter of owned text")]
fn is_unique(text: &String) -> bool {
    let lower = text.to_ascii_lowercase();
    !PLACEHOLDERS.contains(&lower.as_str()) && !lower.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use super::is_unique;

    #[test]
    fn numbers_that_many_devices_have_identify_none() {
        for (number, expected) in [
            ("R58N12ABCDE", true),
            ("0123456789ABCDEF", false),
            ("unknown", false),
            ("0000000000000000", false),
            ("9f3a0c1b2d4e5f60", true),
        ] {
            assert_eq!(is_unique(&number.to_owned()), expected, "{number}");
        }
    }
}
