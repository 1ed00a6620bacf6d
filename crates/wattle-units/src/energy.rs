//! Energy.

use crate::quantity::quantity;

quantity!(
    /// Energy in joules (W·s). The one unit of every account of a ledger; mAh, mWh and percent of a
    /// battery are views of it.
    Joules,
    "J"
);

impl Joules {
    /// From the microwatt-seconds that on-device power monitors count (Perfetto's `energy` field of
    /// `PowerRails.EnergyData`).
    pub const fn from_microjoules(value: f64) -> Self {
        Self::new(value * 1e-6)
    }

    /// From millijoules (mW·s), the unit of Wattson's outputs.
    pub const fn from_millijoules(value: f64) -> Self {
        Self::new(value * 1e-3)
    }

    /// In millijoules.
    pub const fn millijoules(self) -> f64 {
        self.value() * 1e3
    }
}
