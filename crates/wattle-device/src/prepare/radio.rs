//! Airplane mode and Wi-Fi, which are left alone unless somebody asks.

use std::time::Duration;

use crate::command::{run, settle};
use crate::prepare::radio_kind::Radio;
use crate::prepare::{Before, Change, Need, Undo, UndoOutcome, setting};
use crate::{Device, DeviceError};

/// Switching radios takes seconds.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(500);

fn is_on(radio: Radio, device: &dyn Device) -> Result<bool, DeviceError> {
    let key = match radio {
        Radio::AirplaneMode => "airplane_mode_on",
        Radio::Wifi => "wifi_on",
    };
    // `wifi_on`: 1 on, 2 on in spite of airplane mode, 0 and 3 off (`WifiSettingsStore`).
    let value = setting::get(device, "global", key)?;
    Ok(matches!(value.as_deref(), Some("1" | "2")))
}

/// A radio is switched for the run.
#[derive(Clone, Debug)]
pub(crate) struct Switched {
    pub(crate) radio: Radio,
    pub(crate) on: bool,
}

impl Change for Switched {
    fn description(&self) -> String {
        format!("{} {}", self.radio.name(), word(self.on))
    }

    fn need(&self) -> Need {
        Need::Must
    }

    fn look(&self, device: &dyn Device) -> Result<Before, DeviceError> {
        let before = is_on(self.radio, device)?;
        let cuts_off = match self.radio {
            Radio::AirplaneMode => self.on,
            Radio::Wifi => !self.on,
        };
        if before != self.on && cuts_off && is_wireless(device.serial()) {
            return Err(DeviceError::Refused {
                what: self.description(),
                said: "adb itself goes over Wi-Fi here; attach the phone with a cable for this"
                    .into(),
            });
        }
        Ok(Before {
            state: Some(word(before).into()),
            as_wanted: before == self.on,
            undo: Some(Undo::Radio { radio: self.radio, before }),
        })
    }

    fn apply(&self, device: &dyn Device) -> Result<(), DeviceError> {
        run(device, self.radio.command(self.on)).map(drop)
    }

    fn verify(&self, device: &dyn Device, _undo: Option<&mut Undo>) -> Result<String, DeviceError> {
        wait(device, self.radio, self.on).map(|()| word(self.on).into())
    }
}

pub(crate) fn restore(
    device: &dyn Device,
    radio: Radio,
    before: bool,
) -> Result<UndoOutcome, DeviceError> {
    if is_on(radio, device)? != before {
        run(device, radio.command(before))?;
        wait(device, radio, before)?;
    }
    Ok(UndoOutcome::Back)
}

fn wait(device: &dyn Device, radio: Radio, on: bool) -> Result<(), DeviceError> {
    if settle(LOOKS, PAUSE, || is_on(radio, device), |found| *found == on)? == on {
        return Ok(());
    }
    Err(DeviceError::Unexpected {
        what: radio.command(on).into(),
        expected: format!("{} {}", radio.name(), word(on)),
        found: word(!on).into(),
    })
}

const fn word(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// Serials of devices over the network are `host:port`, or mDNS names (`adb-…._adb-tls-connect._tcp`).
pub(crate) fn is_wireless(serial: &str) -> bool {
    serial.contains(':') || serial.contains("._adb")
}
