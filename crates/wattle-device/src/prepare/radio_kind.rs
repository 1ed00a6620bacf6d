//! Radios of a device.

use serde::{Deserialize, Serialize};

/// The radio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Radio {
    AirplaneMode,
    Wifi,
}

impl Radio {
    /// The command that switches it.
    pub(crate) const fn command(self, on: bool) -> &'static str {
        match (self, on) {
            // Before Android 11 only the system itself may do this.
            (Self::AirplaneMode, true) => "cmd connectivity airplane-mode enable",
            (Self::AirplaneMode, false) => "cmd connectivity airplane-mode disable",
            (Self::Wifi, true) => "svc wifi enable",
            (Self::Wifi, false) => "svc wifi disable",
        }
    }

    /// The name for the reader.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::AirplaneMode => "airplane mode",
            Self::Wifi => "Wi-Fi",
        }
    }
}
