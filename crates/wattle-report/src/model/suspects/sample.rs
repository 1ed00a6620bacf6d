//! The parts of a ledger that the suspects need.

use std::collections::{BTreeMap, BTreeSet};

use wattle_ledger::Ledger;
use wattle_power::{ErrorModel, SourceTotals};
use wattle_units::Nanos;

use super::super::gathered::Gathered;
use super::super::watched::Watched;
use super::super::{Estimator, Tally};
use super::known_methods::known_methods;
use super::method_name::MethodName;
use super::usable::{Usable, UsableTest};
use crate::Figure;

/// The parts of a ledger that the suspects need: its tests and methods. Much smaller than the ledger, so that hundreds
/// can be compared.
#[derive(Clone, Debug)]
pub struct SuspectsSample {
    pub(super) name: Option<String>,
    pub(super) device: Option<String>,
    pub(super) duration: Nanos,
    /// Tests in the ledger.
    pub(super) recorded: usize,
    pub(super) left_out: BTreeMap<&'static str, usize>,
    pub(super) overlap: bool,
    pub(super) tests: Vec<UsableTest>,
    pub(super) methods: BTreeMap<MethodName, SampleMethod>,
    /// By class, how many methods it has.
    pub(super) classes: BTreeMap<String, u64>,
    errors: ErrorModel,
    totals: SourceTotals,
}

/// A method that ran in tests.
#[derive(Clone, Debug, Default)]
pub(super) struct SampleMethod {
    /// Indices into [`SuspectsSample::tests`].
    pub tests: BTreeSet<usize>,
    pub calls: u64,
    /// Its own energy over the whole recording.
    pub own: Figure,
}

impl SuspectsSample {
    /// Of a ledger that was saved under this name.
    pub fn new(name: &str, ledger: &Ledger) -> Self {
        let gathered = Gathered::new(ledger);
        let watched = Watched::new(ledger, &gathered);
        let mut sample = Self::for_ledger(ledger, &gathered, &Estimator::new(ledger), watched);
        sample.name = Some(name.to_owned());
        sample
    }

    /// Of the ledger of a report.
    pub(in super::super) fn for_ledger(
        ledger: &Ledger,
        gathered: &Gathered,
        estimator: &Estimator<'_>,
        watched: Watched,
    ) -> Self {
        let usable = Usable::new(ledger, estimator, watched);
        let device =
            ledger.recording.device.model.as_deref().or(ledger.recording.device.device_name());
        Self {
            name: None,
            device: device.map(str::to_owned),
            duration: ledger.recording.window.duration(),
            recorded: ledger.test_runs.tests.len(),
            methods: methods(ledger, gathered, estimator, &usable.index),
            classes: known_methods(ledger),
            left_out: usable.left_out,
            overlap: usable.overlap,
            tests: usable.tests,
            errors: ledger.power.errors.clone(),
            totals: estimator.totals().clone(),
        }
    }

    /// Returns the estimator that turns its energies into figures.
    pub(super) fn estimator(&self) -> Estimator<'_> {
        Estimator::with(&self.errors, self.totals.clone())
    }
}

/// The methods that ran in usable tests, and what they drew.
fn methods(
    ledger: &Ledger,
    gathered: &Gathered,
    estimator: &Estimator<'_>,
    usable: &[Option<usize>],
) -> BTreeMap<MethodName, SampleMethod> {
    let name = |site: u32| ledger.rows.sites.get(site as usize).and_then(MethodName::from_site);
    let mut methods: BTreeMap<MethodName, SampleMethod> = BTreeMap::new();
    for entry in &ledger.test_runs.methods {
        let Some(test) = usable.get(entry.test as usize).copied().flatten() else { continue };
        let Some(name) = name(entry.site).filter(|_| entry.calls > 0) else { continue };
        let method = methods.entry(name).or_default();
        method.tests.insert(test);
        method.calls = method.calls.saturating_add(entry.calls);
    }
    let mut sums: BTreeMap<MethodName, Tally> = BTreeMap::new();
    for (path, tally) in ledger.rows.paths.iter().zip(&gathered.paths) {
        if let Some(name) = path.site.and_then(name)
            && methods.contains_key(&name)
        {
            sums.entry(name).or_default().merge(tally);
        }
    }
    for (name, tally) in sums {
        if let Some(method) = methods.get_mut(&name) {
            method.own = estimator.figure(&tally, None);
        }
    }
    methods
}
