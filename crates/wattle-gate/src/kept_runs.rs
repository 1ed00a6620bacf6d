//! The latest runs of a history, and those before them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wattle_store::{
    KeptRun, MethodChoice, NameTest, PartialFigures, RunFacts, RunFilter, RunId, Store, StoreError,
};

use crate::{Energy, GateRun, NamePattern, Policy, Subject};

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
    runs.retain(is_fit);
    runs.sort_by_key(|run| Reverse((run.time_ms(), run.id)));
    let newest = match &wanted.commit {
        Some(commit) => Some(named(&runs, commit)?),
        None => runs.first(),
    };
    let Some(newest) = newest.cloned() else { return Ok(Vec::new()) };
    let is_same = |run: &KeptRun| {
        let same_code = is_same_code(&run.facts, &newest.facts);
        run.id == newest.id || (same_code && run.facts.app.package == newest.facts.app.package)
    };
    runs.retain(is_same);
    let mut scenarios: BTreeMap<Option<String>, Vec<KeptRun>> = BTreeMap::new();
    for run in runs {
        scenarios.entry(run.facts.circumstances.scenario.clone()).or_default().push(run);
    }
    let of_scenario = |mut runs: Vec<KeptRun>| {
        // The newest one is the first.
        let device = runs.first().and_then(|run| run.facts.device.key.clone());
        runs.retain(|run| run.facts.device.key == device);
        let (before, current) = builds(runs);
        let before = judged(store, before, &wanted.methods)?;
        Ok(JudgedRuns { before, current: judged(store, current, &wanted.methods)? })
    };
    scenarios.into_values().map(of_scenario).collect()
}

/// Whether runs are known to be of one state of the code: of one commit, or, where no commit is known, of one version of the app. What was
/// changed and not committed is another state.
fn is_same_code(one: &RunFacts, other: &RunFacts) -> bool {
    let version = |facts: &RunFacts| (facts.app.version_name.clone(), facts.app.version_code);
    match (&one.code.commit, &other.code.commit) {
        (Some(commit), Some(same)) => commit == same && one.code.dirty == other.code.dirty,
        (None, None) => version(one) != (None, None) && version(one) == version(other),
        _ => false,
    }
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

/// The runs of both builds, where some are of a series in which two took turns: those of its newest series, which were made under the
/// same conditions. Else all runs are of one build.
fn builds(runs: Vec<KeptRun>) -> (Vec<KeptRun>, Vec<KeptRun>) {
    let label = |run: &KeptRun| run.facts.labels.build.clone();
    let series = |run: &KeptRun| run.facts.labels.series.clone();
    let newest = runs.iter().find(|run| {
        let mut others = runs.iter().filter(|other| series(other) == series(run));
        series(run).is_some()
            && label(run).is_some()
            && others.any(|other| label(other) != label(run))
    });
    let Some(newest) = newest.and_then(series) else { return (Vec::new(), runs) };
    let runs: Vec<KeptRun> =
        runs.into_iter().filter(|run| series(run).as_ref() == Some(&newest)).collect();
    // Labels are given in the order of the builds.
    let first = runs.iter().map(label).min().flatten();
    runs.into_iter().partition(|run| label(run) == first)
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
        let same_code = is_same_code(&run.facts, facts);
        // Later commits of the same branch came after this one.
        let is_later = facts.code.commit.is_some()
            && run.facts.code.branch == facts.code.branch
            && wanted.until_ms.is_some_and(|until| run.time_ms() > until);
        is_fit(run)
            && !is_current
            && !same_code
            && !is_later
            && run.facts.circumstances.scenario == facts.circumstances.scenario
            && run.facts.device.key == facts.device.key
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

/// Runs that failed say nothing of energy.
fn is_fit(run: &KeptRun) -> bool {
    run.facts.circumstances.outcome.as_deref().is_none_or(|outcome| outcome == "passed")
}
