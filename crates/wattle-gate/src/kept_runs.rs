//! The latest runs of a history, and those before them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wattle_store::{
    KeptRun, MethodChoice, NameTest, PartialFigures, RunFacts, RunFilter, RunGroup, RunId, Store,
    StoreError,
};

use crate::{BaselineOrigin, Energy, GateRun, NamePattern, Policy, Subject};

/// The most runs of a history that a growth is judged by: with five runs of each commit, 100 commits.
const MOST_RUNS: usize = 500;

/// Runs that are judged together: of one state of the code, one scenario, one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgedRuns {
    /// The runs of the other build, where two builds took turns.
    #[serde(default)]
    pub before: Vec<GateRun>,
    /// The runs.
    pub current: Vec<GateRun>,
}

impl JudgedRuns {
    /// The runs of the other build, where two builds took turns: what these are measured against, whatever else is known.
    pub fn other_build(&self) -> Option<(Vec<GateRun>, BaselineOrigin)> {
        let label = self.before.first()?.facts.labels.build.as_ref();
        let label = label.map_or_else(|| "the first build".to_owned(), |it| format!("build {it}"));
        Some((self.before.clone(), BaselineOrigin::Named(label)))
    }
}

/// The latest runs that are wanted of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatestRuns {
    /// Package name of the app; absent for that of the newest run.
    #[serde(default)]
    pub app: Option<String>,
    /// The first digits of a commit; absent for that of the newest run.
    #[serde(default)]
    pub commit: Option<String>,
    /// The patterns of methods whose sums are wanted.
    #[serde(default)]
    pub methods: Vec<NamePattern>,
}

/// The earlier runs that are wanted of a history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlierRuns {
    /// Facts of the first judged run: earlier ones are of the same app, scenario and device, and of other code.
    pub facts: RunFacts,
    /// Names of the judged runs, which are not their own baseline.
    #[serde(default)]
    pub names: Vec<String>,
    /// The time at which the last judged run began, Unix milliseconds.
    #[serde(default)]
    pub until_ms: Option<i64>,
    /// The branch; absent for runs of every branch.
    #[serde(default)]
    pub branch: Option<String>,
    /// The patterns of methods whose sums are wanted.
    #[serde(default)]
    pub methods: Vec<NamePattern>,
}

/// Why a history does not give runs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeptRunsError {
    /// It cannot be read, or has no such run.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No run is of the commit.
    #[error("--commit {0}: no kept run is of this commit; `wattle runs` lists them")]
    NoCommit(String),
    /// Several commits begin so.
    #[error("--commit {commit}: both {first} and {second} begin so; give more digits")]
    TwoCommits {
        /// The digits.
        commit: String,
        /// A commit.
        first: String,
        /// Another one.
        second: String,
    },
}

impl Policy {
    /// The patterns of methods that its rules are about.
    pub fn method_patterns(&self) -> Vec<NamePattern> {
        let pattern = |subject: &Subject| match subject {
            Subject::Method(pattern) => Some(pattern.clone()),
            _ => None,
        };
        self.rule.iter().filter_map(|rule| pattern(&rule.subject)).collect()
    }
}

impl EarlierRuns {
    /// The earlier runs that the growth of runs is measured against.
    pub fn of_runs(current: &[GateRun], policy: &Policy) -> Option<Self> {
        let first = current.first()?;
        Some(Self {
            facts: first.facts.clone(),
            names: current.iter().map(|run| run.name.clone()).collect(),
            until_ms: current.iter().filter_map(GateRun::began_ms).max(),
            branch: policy.baseline.branch.clone(),
            methods: policy.method_patterns(),
        })
    }
}

/// The runs of the latest commit of an app, or of the one that is named, each scenario for itself; of runs without a commit those of
/// the latest version.
///
/// # Errors
/// If the history cannot be read, or the commit is not one of it.
pub fn latest_runs(
    store: &mut Store,
    wanted: &LatestRuns,
) -> Result<Vec<JudgedRuns>, KeptRunsError> {
    let filter = RunFilter { app: wanted.app.clone(), ..RunFilter::default() };
    let mut runs = store.runs(&filter)?;
    runs.retain(KeptRun::is_fit);
    runs.sort_by_key(|run| Reverse((run.time_ms(), run.id)));
    let newest = match &wanted.commit {
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
        let before = judged(store, group.before, &wanted.methods)?;
        Ok(JudgedRuns { before, current: judged(store, group.current, &wanted.methods)? })
    };
    scenarios.into_values().map(of_scenario).collect()
}

/// The newest run of a commit whose name begins so.
fn named<'r>(runs: &'r [KeptRun], commit: &str) -> Result<&'r KeptRun, KeptRunsError> {
    let wanted = commit.to_lowercase();
    let name = |run: &KeptRun| run.facts.code.commit.clone().unwrap_or_default().to_lowercase();
    let found: Vec<&KeptRun> =
        runs.iter().filter(|run| !wanted.is_empty() && name(run).starts_with(&wanted)).collect();
    let first = found.first().ok_or_else(|| KeptRunsError::NoCommit(commit.to_owned()))?;
    match found.iter().find(|run| name(run) != name(first)) {
        Some(other) => Err(KeptRunsError::TwoCommits {
            commit: commit.to_owned(),
            first: name(first),
            second: name(other),
        }),
        None => Ok(first),
    }
}

/// The runs of the baseline's branch that are like these and not of their commit, the oldest first.
///
/// # Errors
/// If the history cannot be read.
pub fn earlier_runs(
    store: &mut Store,
    wanted: &EarlierRuns,
) -> Result<Vec<GateRun>, KeptRunsError> {
    let facts = &wanted.facts;
    let filter = RunFilter {
        app: Some(facts.app.package.clone()),
        branch: wanted.branch.clone(),
        ..RunFilter::default()
    };
    let mut runs = store.runs(&filter)?;
    runs.retain(|run| {
        let is_current = wanted.names.contains(&run.id.to_string());
        !is_current && run.is_before(facts, wanted.until_ms)
    });
    runs.sort_by_key(|run| (run.time_ms(), run.id));
    runs.drain(..runs.len().saturating_sub(MOST_RUNS));
    judged(store, runs, &wanted.methods)
}

/// Kept runs of one app with the figures that are wanted.
fn judged(
    store: &mut Store,
    mut runs: Vec<KeptRun>,
    patterns: &[NamePattern],
) -> Result<Vec<GateRun>, KeptRunsError> {
    runs.sort_by_key(|run| (run.time_ms(), run.id));
    let tests: Vec<_> = patterns.iter().map(|pattern| |name: &str| pattern.accepts(name)).collect();
    let groups: Vec<NameTest<'_>> = tests.iter().map(|test| test as NameTest<'_>).collect();
    let figures = store.figures_of(&runs, MethodChoice::Summed(&groups))?;
    let with_sums = |(run, partial): (KeptRun, PartialFigures)| {
        let sums = partial.sums.iter().map(|sum| sum.as_ref().map(Energy::new));
        let sums = patterns.iter().map(ToString::to_string).zip(sums).collect();
        GateRun { method_sums: sums, ..gate_run(run, &partial) }
    };
    Ok(runs.into_iter().zip(figures).map(with_sums).collect())
}

/// One kept run with all its figures; `None` where the history has none of it.
///
/// # Errors
/// If the history cannot be read, or has no such run.
pub fn kept_run(store: &mut Store, id: RunId) -> Result<Option<GateRun>, KeptRunsError> {
    let every = |_: &str| true;
    let runs = [store.run(id)?];
    let figures = store.figures_of(&runs, MethodChoice::Named(&every))?;
    let mut found = runs.into_iter().zip(figures).map(|(run, partial)| gate_run(run, &partial));
    Ok(found.next())
}

fn gate_run(run: KeptRun, partial: &PartialFigures) -> GateRun {
    let mut judged = GateRun::new(run.id.to_string(), run.facts, &partial.figures);
    judged.has_methods |= partial.has_methods;
    judged.kept_ms = Some(run.kept_ms);
    judged.ledger = Some(run.ledger.sha256);
    judged
}
