//! The latest runs of a history, and those before them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::anyhow;
use wattle_gate::{BaselineChoice, Energy, GateRun, Policy, Subject};
use wattle_store::{KeptRun, MethodChoice, NameTest, PartialFigures, RunFilter, RunGroup, Store};

use crate::command::kept_runs::failure;
use crate::exit::Failure;

/// The most runs of a history that a growth is judged by: with five runs of each commit, 100 commits.
const MOST_RUNS: usize = 500;

/// Runs that are judged together: of one state of the code, one scenario, one device.
#[derive(Debug)]
pub(super) struct JudgedRuns {
    /// The runs of the other build, where two builds took turns.
    pub before: Vec<GateRun>,
    /// The runs.
    pub current: Vec<GateRun>,
}

/// The runs of the latest commit of an app, or of the one that is named, each scenario for itself; of runs without a commit those of
/// the latest version.
pub(super) fn latest(
    store: &mut Store,
    (app, commit): (Option<&str>, Option<&str>),
    policy: &Policy,
) -> Result<Vec<JudgedRuns>, Failure> {
    let filter = RunFilter { app: app.map(str::to_owned), ..RunFilter::default() };
    let mut runs = store.runs(&filter).map_err(failure)?;
    runs.retain(KeptRun::is_fit);
    runs.sort_by_key(|run| Reverse((run.time_ms(), run.id)));
    let newest = match commit {
        Some(commit) => Some(named(&runs, commit)?),
        None => runs.first(),
    };
    let Some(newest) = newest.cloned() else { return Ok(Vec::new()) };
    // Of each scenario the device of its newest run.
    let mut scenarios: BTreeMap<Option<String>, RunGroup> = BTreeMap::new();
    for group in RunGroup::like(&newest, runs) {
        let first = group.current.first().or(group.before.first());
        let scenario = first.and_then(|run| run.facts.circumstances.scenario.clone());
        scenarios.entry(scenario).or_insert(group);
    }
    let of_scenario = |group: RunGroup| {
        let before = judged(store, group.before, policy)?;
        Ok(JudgedRuns { before, current: judged(store, group.current, policy)? })
    };
    scenarios.into_values().map(of_scenario).collect()
}

/// The newest run of a commit whose name begins so.
fn named<'r>(runs: &'r [KeptRun], commit: &str) -> Result<&'r KeptRun, Failure> {
    let wanted = commit.to_lowercase();
    let name = |run: &KeptRun| run.facts.code.commit.clone().unwrap_or_default().to_lowercase();
    let found: Vec<&KeptRun> =
        runs.iter().filter(|run| !wanted.is_empty() && name(run).starts_with(&wanted)).collect();
    let Some(first) = found.first() else {
        return Err(Failure::Usage(anyhow!(
            "--commit {commit}: no kept run is of this commit; `wattle runs` lists them"
        )));
    };
    if let Some(other) = found.iter().find(|run| name(run) != name(first)) {
        return Err(Failure::Usage(anyhow!(
            "--commit {commit}: both {} and {} begin so; give more digits",
            name(first),
            name(other)
        )));
    }
    Ok(first)
}

/// The runs of the baseline's branch that are like these and not of their commit, the oldest first.
pub(super) fn before(
    store: &mut Store,
    current: &[GateRun],
    (choice, policy): (&BaselineChoice, &Policy),
) -> Result<Vec<GateRun>, Failure> {
    let Some(first) = current.first() else { return Ok(Vec::new()) };
    let package = first.facts.app.package.clone();
    let filter =
        RunFilter { app: Some(package), branch: choice.branch.clone(), ..RunFilter::default() };
    let mut runs = store.runs(&filter).map_err(failure)?;
    let ended = current.iter().filter_map(GateRun::began_ms).max();
    runs.retain(|run| {
        let is_current = current.iter().any(|it| it.name == run.id.to_string());
        !is_current && run.is_before(&first.facts, ended)
    });
    runs.sort_by_key(|run| (run.time_ms(), run.id));
    runs.drain(..runs.len().saturating_sub(MOST_RUNS));
    judged(store, runs, policy)
}

/// Kept runs of one app with the figures that a policy asks for.
fn judged(
    store: &mut Store,
    mut runs: Vec<KeptRun>,
    policy: &Policy,
) -> Result<Vec<GateRun>, Failure> {
    runs.sort_by_key(|run| (run.time_ms(), run.id));
    let patterns: Vec<_> = policy
        .rule
        .iter()
        .filter_map(|rule| match &rule.subject {
            Subject::Method(pattern) => Some(pattern),
            _ => None,
        })
        .collect();
    let tests: Vec<_> = patterns.iter().map(|pattern| |name: &str| pattern.accepts(name)).collect();
    let groups: Vec<NameTest<'_>> = tests.iter().map(|test| test as NameTest<'_>).collect();
    let figures = store.figures_of(&runs, MethodChoice::Summed(&groups)).map_err(failure)?;
    let with_sums = |(run, partial): (KeptRun, PartialFigures)| {
        let sums = partial.sums.iter().map(|sum| sum.as_ref().map(Energy::new));
        let sums = patterns.iter().map(ToString::to_string).zip(sums).collect();
        GateRun { method_sums: sums, ..gate_run(run, &partial) }
    };
    Ok(runs.into_iter().zip(figures).map(with_sums).collect())
}

/// A kept run with all its figures.
pub(super) fn with_methods(store: &mut Store, run: KeptRun) -> Result<GateRun, Failure> {
    let every = |_: &str| true;
    let runs = [run];
    let figures = store.figures_of(&runs, MethodChoice::Named(&every)).map_err(failure)?;
    let mut found = runs.into_iter().zip(figures).map(|(run, partial)| gate_run(run, &partial));
    found.next().ok_or_else(|| Failure::Internal(anyhow!("a run without figures")))
}

fn gate_run(run: KeptRun, partial: &PartialFigures) -> GateRun {
    let mut judged = GateRun::new(run.id.to_string(), run.facts, &partial.figures);
    judged.has_methods |= partial.has_methods;
    judged.kept_ms = Some(run.kept_ms);
    judged.ledger = Some(run.ledger.sha256);
    judged
}
