//! Radios with a controller of their own: `ControllerActivityCounter`.

use wattle_timeline::{NameId, Quantity, Uid};

use super::dump_findings::Findings;

/// Which radio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Controller {
    Wifi,
    Modem,
    Bluetooth,
}

impl Controller {
    pub fn idle(self) -> Quantity {
        match self {
            Self::Wifi => Quantity::WifiIdle,
            Self::Modem => Quantity::CellIdle,
            Self::Bluetooth => Quantity::BluetoothIdle,
        }
    }

    pub fn receive(self) -> Quantity {
        match self {
            Self::Wifi => Quantity::WifiReceive,
            Self::Modem => Quantity::CellReceive,
            Self::Bluetooth => Quantity::BluetoothReceive,
        }
    }

    pub fn transmit(self, level: u8) -> Quantity {
        match self {
            Self::Wifi => Quantity::WifiTransmit(level),
            Self::Modem => Quantity::CellTransmit(level),
            Self::Bluetooth => Quantity::BluetoothTransmit,
        }
    }

    pub fn charge(self) -> Quantity {
        match self {
            Self::Wifi => Quantity::WifiCharge,
            Self::Modem => Quantity::CellCharge,
            Self::Bluetooth => Quantity::BluetoothCharge,
        }
    }

    /// Returns the name of the consumer that the device measures for this controller.
    pub fn rail(self) -> &'static str {
        match self {
            Self::Wifi => "wifi",
            Self::Modem => "mobile_radio",
            Self::Bluetooth => "bluetooth",
        }
    }
}

/// Activity counted by one controller: milliseconds and milliampere-hours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity {
    pub idle_ms: i64,
    pub receive_ms: i64,
    pub transmit_ms: Vec<i64>,
    pub charge: f64,
    pub rail: f64,
}

impl Activity {
    /// Says it. A charge of nothing is one that the radio does not count.
    pub fn say(
        &self,
        controller: Controller,
        uid: Option<Uid>,
        rail: NameId,
        found: &mut Findings,
    ) {
        found.time(controller.idle(), uid, None, self.idle_ms);
        found.time(controller.receive(), uid, None, self.receive_ms);
        if controller == Controller::Bluetooth {
            let sum = self.transmit_ms.iter().fold(0_i64, |sum, ms| sum.saturating_add(*ms));
            found.time(Quantity::BluetoothTransmit, uid, None, sum);
        } else {
            for (level, ms) in (0_u8..).zip(&self.transmit_ms) {
                found.time(controller.transmit(level), uid, None, *ms);
            }
        }
        if self.charge != 0.0 {
            found.total(controller.charge(), uid, None, self.charge);
        }
        if self.rail != 0.0 {
            found.total(Quantity::MeasuredCharge, uid, Some(rail), self.rail);
        }
    }
}
