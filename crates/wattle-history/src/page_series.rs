//! A judged branch as a series of the page.

use wattle_change_points::{ChangePoint, Confirmation};
use wattle_report::{
    HistoryBudget, HistoryChange, HistoryConfirmation, HistoryLevel, HistoryPlace, HistoryRange,
    HistorySeries, HistoryStanding, HistorySuspicion,
};

use crate::page_commits::{commit, release};
use crate::{JudgedBranch, Level, RunEnergies, RunSeries, RunVersion};

/// The budget of a scenario, where somebody has set one.
pub type BudgetOf<'a> = dyn Fn(Option<&str>) -> Option<HistoryBudget> + 'a;

/// The branch without its components and methods, and without blame.
pub(crate) fn page_series(
    series: &RunSeries<'_>,
    branch: &JudgedBranch,
    energies: &RunEnergies,
    budget: &BudgetOf<'_>,
) -> HistorySeries {
    let versions = versions(series, branch);
    let device = series.device;
    let change = |change: &ChangePoint| page_change(change, &versions, energies);
    HistorySeries {
        place: HistoryPlace {
            device: device.title.clone(),
            device_key: device.key.clone(),
            model: device.model_name.clone(),
            model_version: device.model_version,
            scenario: series.scenario.map(str::to_owned),
            branch: branch.branch.clone(),
        },
        commits: versions.iter().map(|version| commit(version, energies)).collect(),
        omitted: branch.omitted,
        standing: HistoryStanding {
            budget: budget(series.scenario),
            ..standing(branch, &versions, energies)
        },
        levels: branch.levels.iter().map(page_level).collect(),
        changes: branch.changes.iter().map(change).collect(),
        suspected: branch.suspected.as_ref().map(|(suspect, request)| HistorySuspicion {
            change: change(suspect),
            before: request.before as usize,
            after: request.after as usize,
            pairs: request.pairs,
        }),
        components: Vec::new(),
        methods: Vec::new(),
    }
}

/// The judged versions of a branch, in order.
pub(crate) fn versions<'s, 'r>(
    series: &'s RunSeries<'r>,
    branch: &JudgedBranch,
) -> Vec<&'s RunVersion<'r>> {
    branch.versions.iter().filter_map(|place| series.versions.get(*place)).collect()
}

fn standing(
    branch: &JudgedBranch,
    versions: &[&RunVersion<'_>],
    energies: &RunEnergies,
) -> HistoryStanding {
    let Some(level) = branch.levels.last() else { return HistoryStanding::default() };
    let mut runs: Vec<usize> = versions[level.first.min(versions.len())..]
        .iter()
        .map(|version| version.runs.len())
        .collect();
    runs.sort_unstable();
    HistoryStanding {
        joules: level.joules,
        band_joules: branch.present().and_then(band),
        since: level.first,
        commits: level.len(),
        missing: branch.missing,
        flaky: branch.flaky_cause(),
        outside: branch.is_outside,
        budget: None,
        release: release(versions, &branch.levels, energies),
        open: branch.open_regressions(),
        detectable_share: branch.detectable_share(),
        runs_per_commit: runs.get(runs.len() / 2).copied().unwrap_or_default(),
    }
}

fn page_level(level: &Level) -> HistoryLevel {
    HistoryLevel {
        first: level.first,
        last: level.last,
        joules: level.joules,
        band_joules: band(level),
    }
}

fn band(level: &Level) -> Option<[f64; 2]> {
    level.band.map(|band| [band.low, band.high])
}

/// 90 % interval of a change in joules: no version falls by more than the level that there was.
pub fn change_interval(change: &ChangePoint) -> [f64; 2] {
    let size = &change.size;
    [size.low.max((-size.before).min(size.estimate)), size.high]
}

fn page_change(
    change: &ChangePoint,
    versions: &[&RunVersion<'_>],
    energies: &RunEnergies,
) -> HistoryChange {
    let range = &change.range;
    let run = |place: u64| {
        let version = versions.get(place as usize);
        version.map(|it| it.typical_run(energies).id.to_string()).unwrap_or_default()
    };
    HistoryChange {
        range: HistoryRange {
            last_good: range.last_good as usize,
            first_bad: range.first_bad as usize,
            surely_bad: range.surely_bad as usize,
            found_at: change.found_at as usize,
        },
        joules: change.size.estimate,
        interval_joules: change_interval(change),
        before_joules: change.size.before,
        confidence: change.confidence,
        confirmation: match change.confirmation {
            Confirmation::FollowingCommits => HistoryConfirmation::FollowingCommits,
            Confirmation::Reruns => HistoryConfirmation::Reruns,
            Confirmation::Waiting => HistoryConfirmation::Waiting,
        },
        blame: None,
        runs: [run(range.last_good), run(range.surely_bad)],
    }
}
