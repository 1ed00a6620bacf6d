//! A run as the gate sees it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wattle_store::{RunFacts, RunFigures};
use wattle_units::{Estimate, Joules};

use crate::Subject;

/// A run as the gate sees it: its facts, and the energies that rules can be about. Baseline files hold them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GateRun {
    /// Its name: `run:12`, or a file.
    pub name: String,
    /// Its facts.
    pub facts: RunFacts,
    /// SHA-256 of its ledger, by which the same run is known under another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
    /// Names of the files of its recording, where its ledger was read.
    #[serde(skip)]
    pub files: Vec<String>,
    /// When it was kept, Unix milliseconds: its place in time where its facts have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_ms: Option<i64>,
    /// Whether it has methods, of which [`Self::methods`] may be a part: one that is not there costs nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_methods: bool,
    /// The energy of the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Energy>,
    /// The app's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<Energy>,
    /// The app's parts of components; of a run without an app the components.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub components: BTreeMap<String, Energy>,
    /// Methods without what they call.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub methods: BTreeMap<String, Energy>,
    /// Sums over the methods of patterns, by the pattern, where they are known and the methods are not; `None` where none occurred.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub method_sums: BTreeMap<String, Option<Energy>>,
    /// Energies of findings; absent where nobody looked for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<Vec<FindingEnergy>>,
}

/// An energy in joules with its 90 % interval.
///
/// Read from a file it is checked: finite, not negative, inside of its interval, and no more than a power plant makes in a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenEnergy")]
pub struct Energy {
    /// The estimate.
    pub joules: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// An energy as a file has it.
#[derive(Deserialize)]
struct WrittenEnergy {
    joules: f64,
    low: f64,
    high: f64,
}

/// The most that an energy of a file can be, in joules.
const MOST: f64 = 1e9;
/// An energy of less than 0 J by rounding: ledgers close to a nanojoule.
const ROUNDING: f64 = 1e-9;

impl TryFrom<WrittenEnergy> for Energy {
    type Error = String;

    fn try_from(WrittenEnergy { joules, low, high }: WrittenEnergy) -> Result<Self, String> {
        let is_sane = |number: &f64| (-ROUNDING..=MOST).contains(number);
        if let Some(wrong) = [joules, low, high].iter().find(|number| !is_sane(number)) {
            return Err(format!("expected an energy from 0 to {MOST:e} J, found {wrong} J"));
        }
        if low > joules + ROUNDING || high < joules - ROUNDING {
            return Err(format!("{joules} J is outside of its interval, {low} J to {high} J"));
        }
        Ok(Self { joules, low, high })
    }
}

/// The energy of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingEnergy {
    /// The rule that found it.
    pub rule: String,
    /// Its energy; 0 is the least.
    pub energy: Energy,
}

/// The figure of a run that a rule is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RunFigure {
    /// It is known.
    Known(Energy),
    /// It does not occur in the run, and was looked for: it costs nothing.
    Absent,
    /// The run cannot tell.
    Unknown,
}

impl Energy {
    /// The energy of an estimate.
    pub fn new(estimate: &Estimate) -> Self {
        let Estimate { joules, interval, .. } = estimate;
        Self { joules: joules.value(), low: interval.low.value(), high: interval.high.value() }
    }

    fn is_finite(&self) -> bool {
        [self.joules, self.low, self.high].iter().all(|number| number.is_finite())
    }

    /// The sum, as if both errors had one cause: the widest that it can be.
    fn plus(self, other: Self) -> Self {
        Self {
            joules: self.joules + other.joules,
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }

    /// Half of its interval as a part of it.
    pub(crate) fn half_share(&self) -> f64 {
        if self.joules.abs() > 0.0 { (self.high - self.low) / 2.0 / self.joules.abs() } else { 0.0 }
    }

    /// The estimate in joules.
    pub fn value(&self) -> Joules {
        Joules::new(self.joules)
    }
}

impl GateRun {
    /// A run of a ledger.
    pub fn new(name: String, facts: RunFacts, figures: &RunFigures) -> Self {
        let has_app = !facts.app.package.is_empty();
        let components = figures.components.iter().filter(|it| it.is_app == has_app);
        Self {
            name,
            facts,
            ledger: None,
            files: Vec::new(),
            kept_ms: None,
            has_methods: !figures.methods.is_empty(),
            total: figures.total.as_ref().map(Energy::new),
            app: figures.app.as_ref().map(Energy::new),
            components: components.map(|it| (it.name.clone(), Energy::new(&it.energy))).collect(),
            methods: figures
                .methods
                .iter()
                .map(|method| (method.name.clone(), Energy::new(&method.own)))
                .collect(),
            method_sums: BTreeMap::new(),
            findings: None,
        }
    }

    /// When it began, else when it was kept. Unix milliseconds.
    pub fn began_ms(&self) -> Option<i64> {
        self.facts.circumstances.started_ms.or(self.kept_ms)
    }

    /// The figure of a subject.
    pub fn figure(&self, subject: &Subject) -> RunFigure {
        let known = |energy: Option<Energy>| match energy {
            Some(energy) if energy.is_finite() => RunFigure::Known(energy),
            _ => RunFigure::Unknown,
        };
        // What does not occur in a run that has such things costs nothing.
        let sum = |energies: &mut dyn Iterator<Item = Energy>, were_looked_for: bool| match energies
            .reduce(Energy::plus)
        {
            Some(energy) => known(Some(energy)),
            None if were_looked_for => RunFigure::Absent,
            None => RunFigure::Unknown,
        };
        match subject {
            Subject::App => known(self.app),
            Subject::Total => known(self.total),
            Subject::Component(name) => {
                let mut found = self.components.get(name).copied().into_iter();
                sum(&mut found, !self.components.is_empty())
            }
            Subject::Method(pattern) => {
                if let Some(known) = self.method_sums.get(&pattern.to_string()) {
                    return sum(&mut known.iter().copied(), self.has_methods);
                }
                let named = self.methods.iter().filter(|(name, _)| pattern.accepts(name));
                let were_looked_for = self.has_methods || !self.methods.is_empty();
                sum(&mut named.map(|(_, energy)| *energy), were_looked_for)
            }
            Subject::Finding(pattern) => {
                let found = self.findings.iter().flatten().filter(|it| pattern.accepts(&it.rule));
                sum(&mut found.map(|it| it.energy), self.findings.is_some())
            }
        }
    }

    /// The temperature of the battery before the run, in degrees Celsius.
    pub(crate) fn celsius(&self) -> Option<f64> {
        self.facts.circumstances.conditions.as_ref()?.pointer("/battery/temperature")?.as_f64()
    }

    /// The state of heat protection before the run: 0 means not throttled.
    pub(crate) fn thermal_status(&self) -> Option<u64> {
        self.facts.circumstances.conditions.as_ref()?.get("thermal_status")?.as_u64()
    }
}
