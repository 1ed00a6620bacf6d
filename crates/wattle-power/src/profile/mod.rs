//! Android's own power numbers: `power_profile.xml`.
//!
//! Every Android device carries one (`frameworks/base/core/res/res/xml/power_profile.xml`, overlaid by the
//! maker): currents in milliamperes by state. The names of the CPU's items changed over the years; all eras
//! are read, see [`CpuProfile`].

mod canonical_names;
mod copied;
mod cpu_profile;
mod parse;
mod placeholder;
mod profile_figures;

pub use cpu_profile::{ClusterProfile, CpuProfile};
pub use placeholder::Placeholder;

use std::collections::BTreeMap;

use wattle_units::Amperes;

/// A power profile, as read.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerProfile {
    /// The device attribute of `<device name="…">`, or the file's name.
    pub name: String,
    /// Origin, with licence; empty for a user's own.
    pub source: String,
    /// `<item name="…">`: one number. Milliamperes for currents.
    pub items: BTreeMap<String, f64>,
    /// `<array name="…">`: several numbers.
    pub arrays: BTreeMap<String, Vec<f64>>,
    /// The CPU's currents; `None` when the profile does not hold them.
    pub cpu: Option<CpuProfile>,
    /// Why the figures are placeholders of a build that nobody measured, if they are.
    pub placeholder: Option<String>,
}

impl PowerProfile {
    /// From the text of a `power_profile.xml`; `name` is for messages.
    pub fn parse(name: &str, text: &str) -> Result<Self, crate::PowerError> {
        parse::parse(name, text)
    }

    /// One current.
    pub fn current(&self, item: &str) -> Option<Amperes> {
        let first = || self.arrays.get(item).and_then(|values| values.first().copied());
        self.items.get(item).copied().or_else(first).map(Amperes::from_milliamperes)
    }
}
