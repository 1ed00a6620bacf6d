//! Figures of components other than the CPU: currents, powers, times and energies by name.

use std::collections::BTreeMap;

use wattle_units::Provenance;

/// One named figure of a device model.
///
/// Names are those of `power_profile.xml` where it has one (`screen.full.display0`, `wifi.controller.rx`,
/// `modem.controller.tx`); others are Wattle's own, listed in `docs/device-model.md`.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// One number, or one a level (`modem.controller.tx` has five).
    pub values: Vec<f64>,
    /// Unit of the values.
    pub unit: Measure,
    /// Origin of the values; empty if it is that of the model.
    pub source: String,
    /// Measured, modelled or assumed.
    pub provenance: Provenance,
    /// Relative size of the error (one standard deviation), where it is known.
    pub error: Option<f64>,
}

/// The unit of a [`Figure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// `mA`: multiplied by the battery's voltage.
    Milliamperes,
    /// `mW`.
    Milliwatts,
    /// `mAh`.
    MilliampereHours,
    /// `V`.
    Volts,
    /// `s`.
    Seconds,
    /// `nJ/B`.
    NanojoulesPerByte,
    /// `uJ`: of one event (a packet, an access, a picture).
    Microjoules,
    /// `1`: a ratio or a count.
    Ratio,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Milliamperes,
        Self::Milliwatts,
        Self::MilliampereHours,
        Self::Volts,
        Self::Seconds,
        Self::NanojoulesPerByte,
        Self::Microjoules,
        Self::Ratio,
    ];

    /// As it is written in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Milliamperes => "mA",
            Self::Milliwatts => "mW",
            Self::MilliampereHours => "mAh",
            Self::Volts => "V",
            Self::Seconds => "s",
            Self::NanojoulesPerByte => "nJ/B",
            Self::Microjoules => "uJ",
            Self::Ratio => "1",
        }
    }

    /// By [`Self::name`].
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }
}

/// The figures of a model by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures(BTreeMap<String, Figure>);

impl Figures {
    /// One by its name.
    pub fn get(&self, name: &str) -> Option<&Figure> {
        self.0.get(name)
    }

    /// The value of one: the first of several.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.get(name)?.values.first().copied()
    }

    /// Sets one.
    pub fn insert(&mut self, name: impl Into<String>, figure: Figure) {
        self.0.insert(name.into(), figure);
    }

    /// Takes one out.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// All, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Figure)> {
        self.0.iter().map(|(name, figure)| (name.as_str(), figure))
    }

    /// Returns the number of figures.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
