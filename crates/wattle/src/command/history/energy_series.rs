//! The energies of runs that are comparable, by version.

use std::collections::HashMap;

use serde::Serialize;
use wattle_history::{JudgedBranch, RunEnergies, RunSeries, RunVersion, utc_time};
use wattle_store::{KeptRun, RunId};
use wattle_units::{Estimate, Joules};

use super::judged_versions::JudgedVersions;
use super::run_list::EnergyCells;

/// The history of one quantity, in JSON.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnergyHistory {
    /// Name and version of the form.
    #[cfg_attr(test, schemars(extend("const" = "wattle-history/1")))]
    pub schema: &'static str,
    /// Package name of the app; empty for runs of the whole device.
    pub app: String,
    /// The energy that the series are of: `app`, `total`, `component` or `method`.
    #[cfg_attr(test, schemars(extend("enum" = ["app", "total", "component", "method"])))]
    pub quantity: &'static str,
    /// The component or method; null for the app and the total.
    pub name: Option<String>,
    /// Runs on one device with one model and scenario, the latest first.
    pub series: Vec<EnergySeries>,
    /// Runs without this energy, and runs that did not pass, which are left out.
    pub left_out: usize,
}

/// Runs that are comparable: of one device, device model and scenario.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EnergySeries {
    /// Name of the device.
    pub device: Option<String>,
    /// Identity of the very device.
    pub device_key: Option<String>,
    /// The device model.
    pub model: Option<String>,
    /// Its version.
    pub model_version: Option<u32>,
    /// The scenario.
    pub scenario: Option<String>,
    /// Versions, in the order of their first runs.
    pub versions: Vec<VersionEnergy>,
    /// Judgements of the versions, by branch: changes, the present level. The branch with most versions first.
    pub judged: Vec<JudgedVersions>,
}

/// The runs of one version.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VersionEnergy {
    /// `versionName`.
    pub version_name: Option<String>,
    /// `versionCode`.
    pub version_code: Option<u64>,
    /// The commit.
    pub commit: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// Whether files differed from the commit.
    pub dirty: Option<bool>,
    /// Label of the build.
    pub build: Option<String>,
    /// Time of the first run, UTC.
    pub first: String,
    /// Mean of the runs. Its interval is that of one run, or of several the model's error, which all of them have in common, and the
    /// scatter between them.
    pub mean: EnergyCells,
    /// Standard deviation of the runs in joules; null of a single run.
    pub deviation_joules: Option<f64>,
    /// Mean less that of the version before, as a share of it; null of the first version.
    pub change: Option<f64>,
    /// The runs.
    pub runs: Vec<RunEnergy>,
}

/// The energy of one run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunEnergy {
    /// Its name, `run:12`.
    pub run: String,
    /// The energy.
    pub energy: EnergyCells,
    /// Calls of the method; null of other quantities.
    pub calls: Option<u64>,
}

/// The form of the JSON.
pub const SCHEMA: &str = "wattle-history/1";

/// An energy of a run, and calls where it is a method's.
pub type RunValue = (Estimate, Option<u64>);

/// Sorts runs into series and versions, and judges the versions of each branch. Returns the number of runs that are left out as well.
pub fn series(runs: &[KeptRun], values: &HashMap<RunId, RunValue>) -> (Vec<EnergySeries>, usize) {
    let energies = values.iter().map(|(run, (energy, _))| (*run, *energy)).collect();
    let (series, left_out) = RunSeries::sort(runs, &energies);
    let series = series.iter().map(|series| energy_series(series, values, &energies)).collect();
    (series, left_out)
}

fn energy_series(
    series: &RunSeries<'_>,
    values: &HashMap<RunId, RunValue>,
    energies: &RunEnergies,
) -> EnergySeries {
    let mut versions: Vec<VersionEnergy> =
        series.versions.iter().filter_map(|it| version_energy(it, (values, energies))).collect();
    for at in 1..versions.len() {
        let before = versions[at - 1].mean.joules;
        if before > 0.0 {
            versions[at].change = Some((versions[at].mean.joules - before) / before);
        }
    }
    let judged = JudgedBranch::judge(series, energies);
    EnergySeries {
        device: series.device.title.clone(),
        device_key: series.device.key.clone(),
        model: series.device.model_name.clone(),
        model_version: series.device.model_version,
        scenario: series.scenario.map(str::to_owned),
        versions,
        judged: judged.iter().map(|branch| JudgedVersions::new(branch, series, energies)).collect(),
    }
}

fn version_energy(
    version: &RunVersion<'_>,
    (values, energies): (&HashMap<RunId, RunValue>, &RunEnergies),
) -> Option<VersionEnergy> {
    let first = version.first;
    let group = &version.runs;
    let runs: Vec<RunEnergy> = group
        .iter()
        .filter_map(|run| {
            let (energy, calls) = *values.get(&run.id)?;
            Some(RunEnergy { run: run.id.to_string(), energy: energy.into(), calls })
        })
        .collect();
    let mean = version.energy(energies)?;
    let weakest = group.iter().filter_map(|run| values.get(&run.id)).map(|(it, _)| it.provenance);
    let mut cells = runs.first()?.energy;
    cells.joules = mean.joules.value();
    cells.interval_joules = [mean.interval.low.value(), mean.interval.high.value()];
    if let Some(provenance) = weakest.max() {
        cells.provenance = EnergyCells::word(provenance);
    }
    let facts = &first.facts;
    Some(VersionEnergy {
        version_name: facts.app.version_name.clone(),
        version_code: facts.app.version_code,
        commit: facts.code.commit.clone(),
        branch: facts.code.branch.clone(),
        dirty: facts.code.dirty,
        build: facts.labels.build.clone(),
        first: utc_time::seconds(first.time_ms()),
        mean: cells,
        deviation_joules: mean.deviation.map(Joules::value),
        change: None,
        runs,
    })
}
