//! Power.

use crate::quantity::quantity;
use crate::{Joules, Nanos};

quantity!(
    /// Power in watts.
    Watts,
    "W"
);

impl Watts {
    /// From milliwatts, the unit of published power curves.
    pub const fn from_milliwatts(value: f64) -> Self {
        Self::new(value * 1e-3)
    }

    /// In milliwatts.
    pub const fn milliwatts(self) -> f64 {
        self.value() * 1e3
    }
}

/// `J = W·s`.
impl std::ops::Mul<Nanos> for Watts {
    type Output = Joules;
    fn mul(self, duration: Nanos) -> Joules {
        Joules::new(self.value() * duration.seconds())
    }
}

/// The mean power that spends this energy in this time. A time of zero gives an infinite or NaN
/// power; callers that may divide by nothing ask first.
impl std::ops::Div<Nanos> for Joules {
    type Output = Watts;
    fn div(self, duration: Nanos) -> Watts {
        Watts::new(self.value() / duration.seconds())
    }
}
