//! One run of a series.

use serde::{Serialize, Serializer};
use wattle_units::{Joules, Nanos};

use crate::{EnergyPart, Figure, HumanFigure};

/// One run of a series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesRun {
    /// Its number, from 0.
    pub number: u32,
    /// Its file, folder or name, where runs were named one by one.
    pub name: Option<String>,
    /// The build that ran, where there are several.
    pub build: Option<String>,
    /// `passed`, `failed`, `crashed`, `skipped`, `interrupted`, `warm-up`.
    pub outcome: String,
    /// Message about that outcome.
    pub message: Option<String>,
    /// Length of what was accounted for.
    #[serde(rename = "duration_s", serialize_with = "seconds")]
    pub duration: Option<Nanos>,
    /// Energy of the whole device.
    #[serde(flatten)]
    pub total: Figure,
    /// The components and the time that the total covers, in words; `None` without energy.
    pub coverage: Option<String>,
    /// Why there is no energy; `None` where there is, and where the run could not be read.
    pub no_energy_reason: Option<String>,
    /// Energy of the app's own threads.
    pub app: Figure,
    /// The compared energy, in human units; `None` without a figure.
    pub human: Option<HumanFigure>,
    /// The compared energy by component.
    #[serde(skip)]
    pub components: Vec<EnergyPart>,
    /// Self energies of the app's methods, in order of their names ([`EnergyPart::sorted`]); empty if unknown.
    #[serde(skip)]
    pub methods: Vec<EnergyPart>,
}

impl SeriesRun {
    /// Whether it counts: a run that did not do its work says nothing of what the work costs.
    pub fn counts(&self) -> bool {
        self.outcome == "passed"
    }

    /// The name that people know it by: its own, else its number.
    pub(super) fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.number.to_string())
    }

    /// A component by its name.
    pub(super) fn component(&self, name: &str) -> Option<&EnergyPart> {
        self.components.iter().find(|part| part.name == name)
    }

    /// The self energy of a method by its name; `None` for one that the run did not see.
    pub(super) fn method(&self, name: &str) -> Option<&EnergyPart> {
        let at = self.methods.binary_search_by(|part| part.name.as_str().cmp(name));
        at.ok().and_then(|at| self.methods.get(at))
    }

    /// Returns the compared energy: the app's, if an app was looked at.
    pub fn compared(&self) -> Option<Joules> {
        self.app.joules().or(self.total.joules())
    }
}

/// Writes a time in seconds.
#[expect(clippy::ref_option, reason = "serde passes fields by reference")]
fn seconds<S: Serializer>(time: &Option<Nanos>, to: S) -> Result<S::Ok, S::Error> {
    time.map(Nanos::seconds).serialize(to)
}
