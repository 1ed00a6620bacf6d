//! Scores of one tool on one kind of series.

use crate::gate_report::{GateReport, LISTED_COMMITS};
use crate::simulated_suite::{STEP_SIZES, SimulatedSuite};

/// Commits after a step within which it counts as found.
pub const HORIZON: usize = 30;
/// Commits, the first with the step included, within which a step should be found.
const SOON: usize = 5;

/// Counts of one size of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SizeCounts {
    /// Series with a step of this size.
    pub series: usize,
    /// Of these, those with the right alarm within five commits.
    pub soon: usize,
    /// Of these, those with the right alarm at all.
    pub found: usize,
}

/// Scores of one tool on one kind of series.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct KindScore {
    null_alarms: usize,
    null_commits: usize,
    null_runs: usize,
    by_size: [SizeCounts; STEP_SIZES.len()],
    first_alarms: usize,
    right_signs: usize,
    wrong_alarms: usize,
    delays: f64,
    similarities: f64,
    similarity_count: usize,
    runs: usize,
    commits: usize,
}

impl KindScore {
    /// Adds the report on one suite.
    pub fn add(&mut self, suite: &SimulatedSuite, report: &GateReport) {
        let Some(at) = suite.step_at else {
            self.null_alarms += report.alarms.len();
            self.null_commits += suite.plan.judged();
            self.null_runs += report.runs - suite.plan.history * report.base_runs;
            return;
        };
        self.runs += report.runs - suite.plan.history * report.base_runs;
        self.commits += suite.plan.judged();
        // All metrics of the suite, so that false alarms beside true ones count.
        let similarities = report.neighbour_similarities(at, at + LISTED_COMMITS);
        self.similarities += similarities.iter().sum::<f64>();
        self.similarity_count += similarities.len();
        for (metric, series) in suite.series.iter().enumerate() {
            let alarms = || report.alarms.iter().filter(move |alarm| alarm.metric == metric);
            let Some(step) = series.step else {
                self.wrong_alarms += alarms().count();
                continue;
            };
            let is_right = |raised: usize, is_up: bool| {
                is_up == (step.relative > 0.0) && (step.at..step.at + HORIZON).contains(&raised)
            };
            self.wrong_alarms += alarms().filter(|a| !is_right(a.raised, a.is_up)).count();
            if let Some(first) =
                alarms().filter(|alarm| alarm.raised >= step.at).map(|a| (a.raised, a.is_up)).min()
            {
                self.first_alarms += 1;
                self.right_signs += usize::from(first.1 == (step.relative > 0.0));
            }
            let found =
                alarms().filter(|a| is_right(a.raised, a.is_up)).map(|a| a.raised - step.at).min();
            let size = STEP_SIZES.iter().position(|size| (size - step.relative.abs()).abs() < 1e-9);
            if let Some(counts) = size.and_then(|size| self.by_size.get_mut(size)) {
                counts.series += 1;
                counts.soon += usize::from(found.is_some_and(|delay| delay < SOON));
                counts.found += usize::from(found.is_some());
            }
            self.delays += found.unwrap_or(HORIZON) as f64;
        }
    }

    /// Adds the scores of other suites.
    #[must_use]
    pub fn joined(mut self, other: &Self) -> Self {
        self.null_alarms += other.null_alarms;
        self.null_commits += other.null_commits;
        self.null_runs += other.null_runs;
        for (mine, theirs) in self.by_size.iter_mut().zip(&other.by_size) {
            mine.series += theirs.series;
            mine.soon += theirs.soon;
            mine.found += theirs.found;
        }
        self.first_alarms += other.first_alarms;
        self.right_signs += other.right_signs;
        self.wrong_alarms += other.wrong_alarms;
        self.delays += other.delays;
        self.similarities += other.similarities;
        self.similarity_count += other.similarity_count;
        self.runs += other.runs;
        self.commits += other.commits;
        self
    }

    /// False alarms in 100 commits of a suite without steps.
    pub fn false_alarms(&self) -> f64 {
        share(self.null_alarms as f64, self.null_commits) * 100.0
    }

    /// Share of steps of one size (in the order of `STEP_SIZES`) that were found within five commits.
    pub fn found_soon(&self, size: usize) -> f64 {
        self.by_size.get(size).map_or(f64::NAN, |counts| share(counts.soon as f64, counts.series))
    }

    /// Share of steps that were found within 30 commits.
    pub fn found(&self) -> f64 {
        let found: usize = self.by_size.iter().map(|counts| counts.found).sum();
        share(found as f64, self.steps())
    }

    /// Share of first alarms after a step that name the right direction.
    pub fn right_signs(&self) -> f64 {
        share(self.right_signs as f64, self.first_alarms)
    }

    /// Commits from a step to its alarm; 30 where there is none.
    pub fn delay(&self) -> f64 {
        share(self.delays, self.steps())
    }

    /// F1 score over suites with steps: found steps against missed ones and wrong alarms.
    pub fn f1(&self) -> f64 {
        let found: usize = self.by_size.iter().map(|counts| counts.found).sum();
        let missed = self.steps() - found;
        share(2.0 * found as f64, 2 * found + missed + self.wrong_alarms)
    }

    /// Mean similarity (Jaccard) of the alerts of neighbouring commits after a step.
    pub fn similarity(&self) -> f64 {
        share(self.similarities, self.similarity_count)
    }

    /// Runs of a suite without steps for each commit.
    pub fn quiet_runs_per_commit(&self) -> f64 {
        share(self.null_runs as f64, self.null_commits)
    }

    /// Runs of a suite with steps for each commit.
    pub fn runs_per_commit(&self) -> f64 {
        share(self.runs as f64, self.commits)
    }

    fn steps(&self) -> usize {
        self.by_size.iter().map(|counts| counts.series).sum()
    }
}

/// A ratio; not a number where there is nothing to count.
fn share(part: f64, whole: usize) -> f64 {
    if whole == 0 { f64::NAN } else { part / whole as f64 }
}
