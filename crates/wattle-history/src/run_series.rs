//! Kept runs sorted into series of comparable runs.

use std::cmp::Reverse;
use std::collections::HashMap;

use wattle_change_points::{Conditions, Point, Run};
use wattle_compare::MeanEnergy;
use wattle_store::{KeptRun, RunDevice, RunId};
use wattle_units::{Estimate, Interval, Joules};

/// Half of a 90 % interval in standard deviations of a normal distribution.
const HALF_OF_NINETY: f64 = 1.645;

/// The energies that a history is of, by run.
pub type RunEnergies = HashMap<RunId, Estimate>;

/// Runs that are comparable: of one device, device model and scenario.
#[derive(Clone, Debug)]
pub struct RunSeries<'r> {
    /// The device and its model.
    pub device: &'r RunDevice,
    /// The scenario.
    pub scenario: Option<&'r str>,
    /// Versions, in the order of their first runs.
    pub versions: Vec<RunVersion<'r>>,
}

/// The runs of one version, build label and commit, at least one.
#[derive(Clone, Debug)]
pub struct RunVersion<'r> {
    /// Its first run.
    pub first: &'r KeptRun,
    /// All of them, the first included.
    pub runs: Vec<&'r KeptRun>,
}

impl<'r> RunSeries<'r> {
    /// Sorts runs into series, the one with the latest run first, and says how many were left out: those that did not pass, and those
    /// without an energy.
    pub fn sort(runs: &'r [KeptRun], energies: &RunEnergies) -> (Vec<Self>, usize) {
        let mut ordered: Vec<&KeptRun> = runs.iter().collect();
        ordered.sort_by_key(|run| (run.time_ms(), run.id));
        let mut series: Vec<(Self, HashMap<VersionKey<'r>, usize>)> = Vec::new();
        let mut left_out = 0;
        for run in ordered {
            let passed = run.facts.circumstances.outcome.as_deref().is_none_or(|it| it == "passed");
            let has_energy = energies.get(&run.id).is_some_and(|it| it.joules.value().is_finite());
            if !passed || !has_energy {
                left_out += 1;
                continue;
            }
            let place = series.iter().position(|(known, _)| known.is_of(run));
            let place = place.unwrap_or_else(|| {
                series.push((Self::starting_with(run), HashMap::new()));
                series.len() - 1
            });
            let Some((of, places)) = series.get_mut(place) else { continue };
            let next = of.versions.len();
            let key = Some(VersionKey::new(run)).filter(VersionKey::is_known);
            let known = key.map(|key| *places.entry(key).or_insert(next));
            match known.and_then(|place| of.versions.get_mut(place)) {
                Some(version) => version.runs.push(run),
                None => of.versions.push(RunVersion { first: run, runs: vec![run] }),
            }
        }
        let mut series: Vec<Self> = series.into_iter().map(|(series, _)| series).collect();
        series.sort_by_key(|it| Reverse(it.latest()));
        (series, left_out)
    }

    /// The branches of its versions, the one with most versions first. Versions of unknown branches are a branch without a name.
    pub fn branches(&self) -> Vec<(Option<&'r str>, Vec<usize>)> {
        let mut branches: Vec<(Option<&str>, Vec<usize>)> = Vec::new();
        for (at, version) in self.versions.iter().enumerate() {
            let branch = version.branch();
            match branches.iter_mut().find(|(name, _)| *name == branch) {
                Some((_, places)) => places.push(at),
                None => branches.push((branch, vec![at])),
            }
        }
        branches.sort_by_key(|(_, places)| Reverse(places.len()));
        branches
    }

    fn starting_with(run: &'r KeptRun) -> Self {
        let scenario = run.facts.circumstances.scenario.as_deref();
        Self { device: &run.facts.device, scenario, versions: Vec::new() }
    }

    fn is_of(&self, run: &KeptRun) -> bool {
        *self.device == run.facts.device
            && self.scenario == run.facts.circumstances.scenario.as_deref()
    }

    fn latest(&self) -> Option<(i64, RunId)> {
        let runs = self.versions.iter().flat_map(|version| &version.runs);
        runs.map(|run| (run.time_ms(), run.id)).max()
    }
}

impl<'r> RunVersion<'r> {
    /// The branch.
    pub fn branch(&self) -> Option<&'r str> {
        self.first.facts.code.branch.as_deref()
    }

    /// Mean and interval of the runs' energies: the interval of one run, of several the model's error, which all of them have in common,
    /// with the scatter between them. `None` without a known energy.
    pub fn energy(&self, energies: &RunEnergies) -> Option<VersionMean> {
        let known: Vec<&Estimate> =
            self.runs.iter().filter_map(|run| energies.get(&run.id)).collect();
        let joules: Vec<Joules> = known.iter().map(|it| it.joules).collect();
        let mean = MeanEnergy::new(&joules)?;
        let interval = match known.as_slice() {
            [only] => only.interval,
            several => {
                let sum: f64 = several.iter().map(|it| half_share(it)).sum();
                mean.interval_with(mean.joules.abs() * (sum / several.len() as f64))
            }
        };
        Some(VersionMean { joules: mean.joules, interval, deviation: mean.deviation })
    }

    /// Mean of the runs' energies.
    pub fn mean(&self, energies: &RunEnergies) -> f64 {
        let values = self.runs.iter().filter_map(|run| energies.get(&run.id));
        let (sum, count) =
            values.fold((0.0, 0.0), |(sum, count), it| (sum + it.joules.value(), count + 1.0));
        sum / f64::max(count, 1.0)
    }

    /// The run whose energy is nearest to the mean, which stands for the version where one run is looked at.
    pub fn typical_run(&self, energies: &RunEnergies) -> &'r KeptRun {
        let mean = self.mean(energies);
        let distance = |run: &&&KeptRun| {
            energies.get(&run.id).map_or(f64::INFINITY, |it| (it.joules.value() - mean).abs())
        };
        let nearest = self.runs.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.copied().unwrap_or(self.first)
    }

    /// The version as the detector takes it in: values, their own uncertainty, and what was recorded of the conditions.
    pub(crate) fn point(&self, order: usize, energies: &RunEnergies) -> Point {
        let run = |run: &&KeptRun| {
            let energy = energies.get(&run.id)?;
            let half = (energy.interval.high.value() - energy.interval.low.value()) / 2.0;
            let conditions = run.facts.circumstances.conditions.as_ref();
            let temperature = conditions.and_then(|it| it.pointer("/battery/temperature"));
            let rest = run.total.filter(|_| run.app.is_some());
            Some(Run {
                value: energy.joules.value(),
                uncertainty: Some(half / HALF_OF_NINETY).filter(|it| it.is_finite() && *it > 0.0),
                conditions: Conditions {
                    temperature: temperature.and_then(serde_json::Value::as_f64),
                    clock: None,
                    // The rest of the device: what other programs did.
                    background: rest.map(|total| total.joules.value() - energy.joules.value()),
                },
            })
        };
        Point { order: order as u64, runs: self.runs.iter().filter_map(run).collect() }
    }
}

/// The energy of a version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VersionMean {
    /// Mean of its runs.
    pub joules: Joules,
    /// 90 % interval.
    pub interval: Interval,
    /// Standard deviation between runs; `None` of a single one.
    pub deviation: Option<Joules>,
}

/// Half of an interval as a part of its energy.
fn half_share(energy: &Estimate) -> f64 {
    let (size, interval) = (energy.joules.value().abs(), energy.interval);
    if size > 0.0 { (interval.high - interval.low).value() / 2.0 / size } else { 0.0 }
}

/// The facts that make runs one version.
#[derive(PartialEq, Eq, Hash)]
struct VersionKey<'r> {
    name: Option<&'r str>,
    code: Option<u64>,
    sha256: Option<&'r str>,
    commit: Option<&'r str>,
    branch: Option<&'r str>,
    dirty: Option<bool>,
    build: Option<&'r str>,
}

impl<'r> VersionKey<'r> {
    fn new(run: &'r KeptRun) -> Self {
        let (app, code) = (&run.facts.app, &run.facts.code);
        Self {
            name: app.version_name.as_deref(),
            code: app.version_code,
            sha256: app.sha256.as_deref(),
            commit: code.commit.as_deref(),
            branch: code.branch.as_deref(),
            dirty: code.dirty,
            build: run.facts.labels.build.as_deref(),
        }
    }

    /// Whether anything says that two runs are of one version.
    fn is_known(&self) -> bool {
        self.name.is_some() || self.code.is_some() || self.sha256.is_some() || self.commit.is_some()
    }
}
