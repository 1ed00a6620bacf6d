//! Runs that are judged together.

use std::cmp::Reverse;

use crate::{KeptRun, RunFacts};

/// Runs of one state of the code, in one scenario, on one device; the newest run first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunGroup {
    /// The runs of the other build, where two builds took turns.
    pub before: Vec<KeptRun>,
    /// The runs.
    pub current: Vec<KeptRun>,
}

impl RunGroup {
    /// The groups of all runs that are of the same app and state of the code as this one: the one with the newest run first.
    pub fn like(newest: &KeptRun, runs: impl IntoIterator<Item = KeptRun>) -> Vec<Self> {
        let is_same = |run: &KeptRun| {
            let is_same_app = run.facts.app.package == newest.facts.app.package;
            // The other build of a series is what this one took turns with, whatever code it is of.
            let is_same_series = newest.facts.labels.build.is_some()
                && newest.facts.labels.series.is_some()
                && newest.facts.labels.series == run.facts.labels.series;
            let is_same_code = run.facts.is_same_code(&newest.facts);
            run.id == newest.id || (is_same_app && (is_same_code || is_same_series))
        };
        let mut runs: Vec<KeptRun> = runs.into_iter().filter(is_same).collect();
        runs.sort_by_key(|run| Reverse((run.time_ms(), run.id)));
        let mut groups: Vec<Vec<KeptRun>> = Vec::new();
        for run in runs {
            let facts = &run.facts;
            let of_group = groups.iter_mut().find(|group| {
                group.first().is_some_and(|first| first.facts.has_same_conditions(facts))
            });
            match of_group {
                Some(group) => group.push(run),
                None => groups.push(vec![run]),
            }
        }
        groups.into_iter().map(Self::of_builds).collect()
    }

    /// The runs of both builds, where some are of a series in which two took turns: those of its newest series, which were made under
    /// the same conditions. Else all runs are of one build.
    fn of_builds(runs: Vec<KeptRun>) -> Self {
        let label = |run: &KeptRun| run.facts.labels.build.clone();
        let series = |run: &KeptRun| run.facts.labels.series.clone();
        let newest = runs.iter().find(|run| {
            let mut others = runs.iter().filter(|other| series(other) == series(run));
            series(run).is_some()
                && label(run).is_some()
                && others.any(|other| label(other) != label(run))
        });
        let Some(newest) = newest.and_then(series) else {
            return Self { before: Vec::new(), current: runs };
        };
        let runs: Vec<KeptRun> =
            runs.into_iter().filter(|run| series(run).as_ref() == Some(&newest)).collect();
        // Labels are given in the order of the builds.
        let first = runs.iter().map(label).min().flatten();
        let (before, current) = runs.into_iter().partition(|run| label(run) == first);
        Self { before, current }
    }
}

impl RunFacts {
    /// Whether runs are known to be of one state of the code: of one commit, or, where no commit is known, of one version of the app. What was
    /// changed and not committed is another state.
    pub fn is_same_code(&self, other: &Self) -> bool {
        let version = |facts: &Self| (facts.app.version_name.clone(), facts.app.version_code);
        match (&self.code.commit, &other.code.commit) {
            (Some(commit), Some(same)) => commit == same && self.code.dirty == other.code.dirty,
            (None, None) => version(self) != (None, None) && version(self) == version(other),
            _ => false,
        }
    }

    /// Whether runs are of one scenario on one device.
    pub fn has_same_conditions(&self, other: &Self) -> bool {
        self.circumstances.scenario == other.circumstances.scenario
            && self.device.key == other.device.key
    }
}

impl KeptRun {
    /// Whether it did not fail: a run that did says nothing of energy.
    pub fn is_fit(&self) -> bool {
        self.facts.circumstances.outcome.as_deref().is_none_or(|outcome| outcome == "passed")
    }

    /// Whether it is part of what a run with these facts, that ended at this time, is compared with: fit, under the same conditions, of another
    /// state of the code, and no later run of the same branch.
    pub fn is_before(&self, facts: &RunFacts, ended_ms: Option<i64>) -> bool {
        let is_later = self.facts.code.branch == facts.code.branch
            && ended_ms.is_some_and(|ended| self.time_ms() > ended);
        self.is_fit()
            && !self.facts.is_same_code(facts)
            && !is_later
            && self.facts.has_same_conditions(facts)
    }
}
