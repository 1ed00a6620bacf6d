//! States of a device in which a measurement says little, and what is made of them.

use std::collections::BTreeMap;
use std::fmt;

/// A state that spoils measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Condition {
    /// It is plugged in.
    Charging,
    /// Battery or chip are hot: the clocks may be throttled.
    Hot,
    /// The battery is nearly empty.
    LowCharge,
    /// Power-save mode is on.
    PowerSave,
    /// The screen is dark.
    ScreenOff,
    /// It is an emulator, which has no currents.
    Emulator,
    /// Somebody has set the battery's state by hand, and it does not follow the hardware.
    FakedBattery,
    /// It does not say how it is.
    Unknown,
}

/// The consequence of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing is said.
    Ignore,
    /// It is said, and the run goes on.
    Warn,
    /// The run does not begin.
    Refuse,
}

/// A condition that a device is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which.
    pub condition: Condition,
    /// Its consequence.
    pub level: Level,
    /// The finding, its meaning and what to do.
    pub text: String,
}

/// From where on a condition is one, and what is made of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Degrees Celsius of the battery from which it is hot. Default is 40.
    pub hot_celsius: f64,
    /// Percent of charge below which it is low. Default is 20.
    pub least_charge: f64,
    /// Reaction to each condition. Default: hot, low charge and power-save mode refuse, a dark screen is ignored, as it
    /// will be lit, and everything else warns.
    pub levels: BTreeMap<Condition, Level>,
}

impl Default for Limits {
    fn default() -> Self {
        let levels = [
            (Condition::Charging, Level::Warn),
            (Condition::Hot, Level::Refuse),
            (Condition::LowCharge, Level::Refuse),
            (Condition::PowerSave, Level::Refuse),
            (Condition::ScreenOff, Level::Ignore),
            (Condition::Emulator, Level::Warn),
            (Condition::FakedBattery, Level::Warn),
            (Condition::Unknown, Level::Warn),
        ];
        Self { hot_celsius: 40.0, least_charge: 20.0, levels: levels.into() }
    }
}

impl Limits {
    /// The consequence of a condition.
    pub fn level(&self, condition: Condition) -> Level {
        self.levels.get(&condition).copied().unwrap_or(Level::Warn)
    }
}

impl Condition {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Charging,
        Self::Hot,
        Self::LowCharge,
        Self::PowerSave,
        Self::ScreenOff,
        Self::Emulator,
        Self::FakedBattery,
        Self::Unknown,
    ];

    /// Its name in options (`low-charge`).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Charging => "charging",
            Self::Hot => "hot",
            Self::LowCharge => "low-charge",
            Self::PowerSave => "power-save",
            Self::ScreenOff => "screen-off",
            Self::Emulator => "emulator",
            Self::FakedBattery => "faked-battery",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
