//! Versions of the page.

use wattle_report::{HistoryCommit, HistoryRelease};

use crate::{Level, RunEnergies, RunVersion, VersionMean, utc_time};

/// A version as the page has it.
pub(crate) fn commit(version: &RunVersion<'_>, energies: &RunEnergies) -> HistoryCommit {
    let facts = &version.first.facts;
    let energy = version.energy(energies);
    let known = |of: fn(&VersionMean) -> f64| energy.as_ref().map_or(0.0, of);
    let interval = [known(|it| it.interval.low.value()), known(|it| it.interval.high.value())];
    HistoryCommit {
        commit: facts.code.commit.clone(),
        version_name: facts.app.version_name.clone(),
        version_code: facts.app.version_code,
        build: facts.labels.build.clone(),
        dirty: facts.code.dirty,
        first: utc_time::minutes(version.first.time_ms()),
        runs: version.runs.len(),
        run: version.typical_run(energies).id.to_string(),
        joules: rounded(known(|it| it.joules.value())),
        interval_joules: interval.map(rounded),
        deviation_joules: energy.and_then(|it| it.deviation).map(|it| rounded(it.value())),
    }
}

/// The version name before the newest one: the mean of its versions, those of its last level where the level changed within it.
pub(crate) fn release(
    versions: &[&RunVersion<'_>],
    levels: &[Level],
    energies: &RunEnergies,
) -> Option<HistoryRelease> {
    let name = |version: &&RunVersion<'_>| version.first.facts.app.version_name.clone();
    let newest = name(versions.last()?)?;
    let last = versions.iter().rposition(|it| name(it).is_some_and(|name| name != newest))?;
    let of = name(&versions[last])?;
    let level = levels.iter().find(|level| (level.first..=level.last).contains(&last));
    let first = level.map_or(0, |level| level.first);
    let of_release = versions[first..=last].iter().filter(|it| name(it).as_ref() == Some(&of));
    let means: Vec<f64> = of_release.map(|version| version.mean(energies)).collect();
    let joules = means.iter().sum::<f64>() / means.len().max(1) as f64;
    Some(HistoryRelease { name: of, joules })
}

/// Six significant digits: more says nothing, and takes room in the page.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
