//! Suites of metrics of one app over its commits.

use wattle_random::SplitMix64;

use crate::noise_process::NoiseProcess;
use crate::series_kind::SeriesKind;

/// Sizes of steps, as shares of the level.
pub const STEP_SIZES: [f64; 5] = [0.01, 0.02, 0.03, 0.05, 0.10];

/// Extent of a suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SuitePlan {
    /// Metrics of the suite.
    pub metrics: usize,
    /// Metrics with a step.
    pub with_step: usize,
    /// Commits of the suite.
    pub commits: usize,
    /// Commits of history before the first that is judged.
    pub history: usize,
    /// Runs of each commit.
    pub runs: usize,
}

impl SuitePlan {
    /// A suite of 50 metrics over 100 commits, of which 50 are judged, with fifteen runs each.
    pub const fn new(with_step: usize) -> Self {
        Self { metrics: 50, with_step, commits: 100, history: 50, runs: 15 }
    }

    /// Commits that are judged.
    pub const fn judged(&self) -> usize {
        self.commits - self.history
    }
}

/// The one lasting change of a series.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrueStep {
    /// First commit with it.
    pub at: usize,
    /// Its size as a share of the level before.
    pub relative: f64,
}

/// One metric over all commits.
#[derive(Clone, Debug)]
pub struct SimulatedSeries {
    /// Its step, if it has one.
    pub step: Option<TrueStep>,
    /// Values by commit and run.
    pub runs: Vec<Vec<f64>>,
    level: f64,
    kind: SeriesKind,
    random: SplitMix64,
}

impl SimulatedSeries {
    fn new(
        kind: SeriesKind,
        step: Option<TrueStep>,
        plan: &SuitePlan,
        random: &SplitMix64,
    ) -> Self {
        let level = 10.0_f64.powf(random.fork(1).between(-3.0, 2.0));
        let mut series = Self { step, runs: Vec::new(), level, kind, random: random.fork(2) };
        let mut noise = NoiseProcess::new(kind, random.fork(3));
        for commit in 0..plan.commits {
            noise.begin_commit();
            let expected = series.expected(commit);
            series.runs.push((0..plan.runs).map(|_| expected * (1.0 + noise.next_run())).collect());
        }
        series
    }

    /// Value of a commit without noise.
    fn expected(&self, commit: usize) -> f64 {
        let step = self.step.filter(|step| commit >= step.at).map_or(0.0, |step| step.relative);
        self.level * (1.0 + step)
    }

    /// Mean of each commit's runs.
    pub fn means(&self) -> Vec<f64> {
        self.runs.iter().map(|runs| runs.iter().sum::<f64>() / runs.len() as f64).collect()
    }

    /// Measures two commits again, in turns (first one, then the other first) and at another time: differences of the pairs.
    pub fn rerun(&self, (before, after): (usize, usize), pairs: usize, session: u64) -> Vec<f64> {
        let session = (session << 48) | ((before as u64) << 24) | after as u64;
        let mut noise = NoiseProcess::new(self.kind, self.random.fork(session));
        noise.begin_commit();
        (0..pairs)
            .map(|pair| {
                let mut run = |commit: usize| self.expected(commit) * (1.0 + noise.next_run());
                if pair % 2 == 0 {
                    let first = run(before);
                    run(after) - first
                } else {
                    run(after) - run(before)
                }
            })
            .collect()
    }
}

/// All metrics of one app; those with a step have it at the same commit.
#[derive(Clone, Debug)]
pub struct SimulatedSuite {
    /// Kind of noise of all metrics.
    pub kind: SeriesKind,
    /// Extent.
    pub plan: SuitePlan,
    /// First commit with steps, if any metric has one.
    pub step_at: Option<usize>,
    /// Its metrics.
    pub series: Vec<SimulatedSeries>,
}

impl SimulatedSuite {
    /// A suite whose metrics follow from the seed. The first `plan.with_step` metrics have a step of each size in turn, up or
    /// down.
    pub fn new(kind: SeriesKind, plan: SuitePlan, seed: u64) -> Self {
        let random = SplitMix64::new(seed).fork(kind as u64 + 1);
        let mut choices = random.fork(0);
        // Enough commits remain for a step of 1 % to be found.
        let latest = plan.commits.saturating_sub(plan.history + 31) as u64;
        let at = plan.history + choices.below(latest.max(1)) as usize;
        let series = (0..plan.metrics)
            .map(|metric| {
                let sign = if choices.chance(0.5) { 1.0 } else { -1.0 };
                let step = (metric < plan.with_step).then(|| TrueStep {
                    at,
                    relative: sign * STEP_SIZES[metric % STEP_SIZES.len()],
                });
                SimulatedSeries::new(kind, step, &plan, &random.fork(10 + metric as u64))
            })
            .collect();
        Self { kind, plan, step_at: (plan.with_step > 0).then_some(at), series }
    }
}
