//! Electric quantities: what batteries and power profiles speak of.

use crate::quantity::quantity;
use crate::{Nanos, Watts};

quantity!(
    /// Electric current in amperes. Positive is out of the battery (discharge).
    Amperes,
    "A"
);

quantity!(
    /// Electric potential in volts.
    Volts,
    "V"
);

quantity!(
    /// Electric charge in coulombs (A·s).
    Coulombs,
    "C"
);

impl Amperes {
    /// From milliamperes, the unit of Android's `power_profile.xml`.
    pub const fn from_milliamperes(value: f64) -> Self {
        Self::new(value * 1e-3)
    }

    /// From microamperes, the unit of the battery's `current_now`.
    pub const fn from_microamperes(value: f64) -> Self {
        Self::new(value * 1e-6)
    }

    /// In milliamperes.
    pub const fn milliamperes(self) -> f64 {
        self.value() * 1e3
    }
}

impl Volts {
    /// From microvolts, the unit of the battery's `voltage_now`.
    pub const fn from_microvolts(value: f64) -> Self {
        Self::new(value * 1e-6)
    }
}

impl Coulombs {
    /// From microampere-hours, the unit of the battery's `charge_counter`.
    pub const fn from_microampere_hours(value: f64) -> Self {
        Self::new(value * 3600.0 * 1e-6)
    }

    /// In milliampere-hours.
    pub const fn milliampere_hours(self) -> f64 {
        self.value() / 3.6
    }
}

/// `W = A·V`.
impl std::ops::Mul<Volts> for Amperes {
    type Output = Watts;
    fn mul(self, volts: Volts) -> Watts {
        Watts::new(self.value() * volts.value())
    }
}

/// `W = V·A`.
impl std::ops::Mul<Amperes> for Volts {
    type Output = Watts;
    fn mul(self, amperes: Amperes) -> Watts {
        amperes * self
    }
}

/// `C = A·s`.
impl std::ops::Mul<Nanos> for Amperes {
    type Output = Coulombs;
    fn mul(self, duration: Nanos) -> Coulombs {
        Coulombs::new(self.value() * duration.seconds())
    }
}
