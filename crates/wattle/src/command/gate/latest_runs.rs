//! The latest runs of a history, and those before them.

use std::cmp::Reverse;

use wattle_gate::{BaselineChoice, GateRun};
use wattle_store::{KeptRun, RunFilter, Store};

use super::checked_runs;
use crate::command::kept_runs::failure;
use crate::exit::Failure;

/// The runs of the latest commit of an app; of runs without a commit the latest one. They have one scenario and one device.
pub(super) fn latest(store: &mut Store, app: Option<&str>) -> Result<Vec<GateRun>, Failure> {
    let filter = RunFilter { app: app.map(str::to_owned), ..RunFilter::default() };
    let mut runs = store.runs(&filter).map_err(failure)?;
    runs.retain(is_fit);
    runs.sort_by_key(|run| Reverse((run.time_ms(), run.id)));
    let Some(newest) = runs.first().cloned() else { return Ok(Vec::new()) };
    let commit = newest.facts.code.commit.clone();
    let dirty = newest.facts.code.dirty;
    let is_same = |run: &&KeptRun| {
        // What was changed and not committed is another state of the code.
        let code = &run.facts.code;
        let same_code = commit.is_some() && code.commit == commit && code.dirty == dirty;
        run.id == newest.id || (same_code && is_alike(run, &newest))
    };
    let mut ids: Vec<_> = runs.iter().filter(is_same).map(|run| run.id).collect();
    ids.sort();
    ids.into_iter().map(|id| checked_runs::kept(store, id, app)).collect()
}

/// The latest runs of the baseline's branch that are like these and not of their commit, the oldest first.
pub(super) fn before(
    store: &mut Store,
    current: &[GateRun],
    choice: &BaselineChoice,
    app: Option<&str>,
) -> Result<Vec<GateRun>, Failure> {
    let Some(first) = current.first() else { return Ok(Vec::new()) };
    let package = first.facts.app.package.clone();
    let filter =
        RunFilter { app: Some(package), branch: choice.branch.clone(), ..RunFilter::default() };
    let mut runs = store.runs(&filter).map_err(failure)?;
    let commit = &first.facts.code.commit;
    let scenario = &first.facts.circumstances.scenario;
    runs.retain(|run| {
        let is_current = current.iter().any(|it| it.name == run.id.to_string());
        let code = &run.facts.code;
        let same_code =
            commit.is_some() && code.commit == *commit && code.dirty == first.facts.code.dirty;
        is_fit(run)
            && !is_current
            && !same_code
            && run.facts.circumstances.scenario == *scenario
            && run.facts.device.key == first.facts.device.key
    });
    runs.sort_by_key(|run| Reverse((run.time_ms(), run.id)));
    runs.truncate(choice.last);
    runs.into_iter().rev().map(|run| checked_runs::kept(store, run.id, app)).collect()
}

/// Runs that failed say nothing of energy.
fn is_fit(run: &KeptRun) -> bool {
    run.facts.circumstances.outcome.as_deref().is_none_or(|outcome| outcome == "passed")
}

fn is_alike(one: &KeptRun, other: &KeptRun) -> bool {
    one.facts.app.package == other.facts.app.package
        && one.facts.circumstances.scenario == other.facts.circumstances.scenario
        && one.facts.device.key == other.facts.device.key
}
