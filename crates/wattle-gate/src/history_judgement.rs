//! The judgement of a commit by the commits before it.

use wattle_change_points::{
    ChangePoint, Conditions, Confirmation, FlakyCause, Monitor, MonitorOptions, NoiseBand, Point,
    Rerun, RerunRequest, Run, Verdict,
};

use crate::GateRun;
use crate::commit_series::{CommitSeries, code_name};

/// Commits before the judged one from which on change points are looked for: the first ten say how noisy a series is.
pub(crate) const LEAST_COMMITS: usize = 12;
/// Runs of the judged commit from which on it can fail at once: of fewer, one may be disturbed.
pub(crate) const RUNS_AT_ONCE: usize = 3;
/// Commits of the present level from which on a commit can fail at once.
const COMMITS_AT_ONCE: usize = 8;
/// Standard deviations of the expected mean beyond which a commit can fail at once.
const FAR: f64 = 5.0;
/// Standard deviations in half of the noise band, which covers 95 %.
const HALF_OF_95: f64 = 1.96;
/// Standard deviations in half of a 90 % interval.
const HALF_OF_90: f64 = 1.645;

/// The judgement of a commit by those before it.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryJudgement {
    /// Number of commits before it.
    pub commits: usize,
    /// The latest change that was found before this commit was measured.
    pub since: Option<CommitChange>,
    /// The finding of this commit.
    pub finding: HistoryFinding,
}

/// The finding of a commit.
#[derive(Clone, Debug, PartialEq)]
pub enum HistoryFinding {
    /// Nothing: it is as the commits before it.
    Quiet,
    /// A change at this very commit, confirmed.
    Here(CommitChange),
    /// A change at an earlier commit, which this one's runs make certain.
    Earlier(CommitChange),
    /// A change that may be none; runs of two commits in turns would decide.
    Suspected {
        /// The change as it looks now.
        change: CommitChange,
        /// The runs that would decide.
        rerun: RerunPlan,
    },
    /// It is outside of what the series usually does, as others were before, or the series does anything.
    Flaky(FlakyCause),
    /// It is outside of what the series ever did, and too little is measured to say more.
    Outside,
}

/// A change of the level.
#[derive(Clone, Debug, PartialEq)]
pub struct CommitChange {
    /// The likeliest first commit with it.
    pub commit: String,
    /// The last commit that is surely (95 %) before it.
    pub last_good: String,
    /// Commits from the first with the change to the judged one.
    pub commits_ago: usize,
    /// Its size in joules.
    pub joules: f64,
    /// The lower end of the size's 90 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The level before.
    pub before: f64,
    /// Whether runs in turns confirmed it, and not commits after it.
    pub by_reruns: bool,
}

impl CommitChange {
    /// The size as a share of the level before.
    pub fn share(&self) -> Option<f64> {
        (self.before > 0.0).then_some(self.joules / self.before)
    }
}

/// Runs that would decide a suspicion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RerunPlan {
    /// The earlier commit.
    pub before: String,
    /// The later one, which is judged.
    pub after: String,
    /// Runs of each.
    pub pairs: usize,
}

/// The judgement of a series, and what a verdict needs of it.
#[derive(Clone, Debug)]
pub(crate) struct SeriesJudgement {
    pub judgement: HistoryJudgement,
    /// The first commit of the present level, by its place in the series.
    pub level_from: usize,
    /// The first commit with a change that is suspected, or was found with the judged one, at an earlier commit.
    pub open_from: Option<usize>,
    /// Joules by which the first commit of the found or suspected change was above the level before, where these were so many that it failed
    /// at once.
    pub at_once: Option<f64>,
}

impl SeriesJudgement {
    /// Judges the last commit of a series; `None` with too few before it. `energy`: a run's figure; `metrics`: number of figures
    /// that are judged together.
    pub fn new(
        series: &CommitSeries<'_>,
        energy: impl Fn(&GateRun) -> Option<crate::Energy>,
        metrics: usize,
    ) -> Option<Self> {
        let points: Vec<Point> = series
            .commits
            .iter()
            .enumerate()
            .map(|(order, commit)| Point {
                order: order as u64,
                runs: commit.runs.iter().filter_map(|run| point_run(run, energy(run)?)).collect(),
            })
            .collect();
        let (judged, before) = points.split_last()?;
        let measured = before.iter().filter(|point| !point.runs.is_empty()).count();
        if measured < LEAST_COMMITS || judged.runs.is_empty() {
            return None;
        }
        let reruns: Vec<Rerun> = series
            .reruns
            .iter()
            .map(|paired| Rerun {
                before: paired.before as u64,
                after: paired.after as u64,
                differences: paired
                    .pairs
                    .iter()
                    .filter_map(|[one, other]| Some(energy(other)?.joules - energy(one)?.joules))
                    .collect(),
            })
            .collect();
        let options = MonitorOptions { metrics: metrics.max(1), ..MonitorOptions::default() };
        let mut watched = Watched { monitor: Monitor::new(options), far: Vec::new() };
        for point in before {
            watched.push(before, point, &reruns);
        }
        let known = watched.monitor.change_points().len();
        let level_from = watched.level_from();
        let verdict = watched.push(&points, judged, &reruns);
        let monitor = &watched.monitor;
        let named = |change: &ChangePoint| commit_change(series, change);
        let since = monitor.change_points().get(..known).and_then(<[ChangePoint]>::last).map(named);
        let finding =
            match (monitor.change_points().get(known..).and_then(<[ChangePoint]>::last), verdict) {
                (Some(change), _) if change.range.first_bad == judged.order => {
                    HistoryFinding::Here(named(change))
                }
                (Some(change), _) => HistoryFinding::Earlier(named(change)),
                (None, Verdict::Suspected { change, request }) => HistoryFinding::Suspected {
                    change: named(&change),
                    rerun: rerun_plan(series, &request),
                },
                (None, Verdict::Flaky(cause)) => HistoryFinding::Flaky(cause),
                (None, Verdict::Outside) => HistoryFinding::Outside,
                (None, _) => HistoryFinding::Quiet,
            };
        let last = series.commits.len() - 1;
        let open_from = match &finding {
            HistoryFinding::Earlier(change) | HistoryFinding::Suspected { change, .. }
                if change.commits_ago > 0 =>
            {
                Some(last - change.commits_ago)
            }
            _ => None,
        };
        let at_once = match &finding {
            HistoryFinding::Suspected { change, .. } | HistoryFinding::Earlier(change) => {
                let commit = last - change.commits_ago;
                watched.far_at(commit)
            }
            HistoryFinding::Flaky(_) | HistoryFinding::Outside | HistoryFinding::Quiet => {
                watched.far_at(last)
            }
            HistoryFinding::Here(_) => None,
        };
        let judgement = HistoryJudgement { commits: measured, since, finding };
        Some(Self { judgement, level_from, open_from, at_once })
    }
}

/// A monitor, and the commits that were so far from their level that they failed at once.
struct Watched {
    monitor: Monitor,
    far: Vec<(usize, f64)>,
}

impl Watched {
    /// The first commit of the present level.
    fn level_from(&self) -> usize {
        let change = self.monitor.change_points().last();
        change.map_or(0, |change| usize::try_from(change.range.first_bad).unwrap_or(0))
    }

    /// Joules by which a commit was so far above its level that it failed at once.
    fn far_at(&self, commit: usize) -> Option<f64> {
        self.far.iter().find(|(far, _)| *far == commit).map(|(_, joules)| *joules)
    }

    /// Takes in the next of all points, with the runs that measured it again.
    fn push(&mut self, points: &[Point], point: &Point, reruns: &[Rerun]) -> Verdict {
        let (band, level_from) = (self.monitor.noise_band(), self.level_from());
        let mut verdict = self.monitor.push(point);
        let mut was_remeasured = false;
        for rerun in reruns.iter().filter(|rerun| rerun.after == point.order) {
            was_remeasured |= !rerun.differences.is_empty();
            verdict = self.monitor.push_rerun(rerun);
        }
        // Runs in turns were asked for, and say more than a comparison with other days.
        let is_open = match &verdict {
            Verdict::Suspected { change, .. } => change.range.first_bad == point.order,
            // The detector lets no single commit prove a change.
            Verdict::Flaky(_) | Verdict::Outside | Verdict::Flat => true,
            _ => false,
        };
        if is_open
            && !was_remeasured
            && let Ok(at) = usize::try_from(point.order)
            && let Some(level) = points.get(level_from..at)
            && let Some(joules) = far_from_level(point, level, band)
        {
            self.far.push((at, joules));
        }
        verdict
    }
}

/// The distance of a commit from the present level, if it is beyond every run of that level and far beyond what is expected.
fn far_from_level(judged: &Point, level: &[Point], band: Option<NoiseBand>) -> Option<f64> {
    let band = band?;
    let measured = level.iter().filter(|point| !point.runs.is_empty()).count();
    if judged.runs.len() < RUNS_AT_ONCE || measured < COMMITS_AT_ONCE {
        return None;
    }
    let most = level
        .iter()
        .flat_map(|point| &point.runs)
        .map(|run| run.value)
        .fold(f64::NEG_INFINITY, f64::max);
    let mean = judged.runs.iter().map(|run| run.value).sum::<f64>() / judged.runs.len() as f64;
    let deviation = (band.high - band.low) / 2.0 / HALF_OF_95;
    let is_beyond = judged.runs.iter().all(|run| run.value > most);
    // A session may be disturbed as a whole; by more than twice what any was so far is no disturbance that the series knows.
    let is_far = mean - band.level > (FAR * deviation).max(2.0 * (most - band.level));
    (is_beyond && is_far).then_some(mean - band.level)
}

fn point_run(run: &GateRun, energy: crate::Energy) -> Option<Run> {
    let half = (energy.high - energy.low) / 2.0;
    energy.joules.is_finite().then(|| Run {
        value: energy.joules,
        uncertainty: Some(half / HALF_OF_90).filter(|it| it.is_finite() && *it > 0.0),
        conditions: Conditions {
            temperature: run.celsius(),
            clock: None,
            background: run.total.map(|total| total.joules - energy.joules),
        },
    })
}

fn commit_change(series: &CommitSeries<'_>, change: &ChangePoint) -> CommitChange {
    let last = series.commits.len().saturating_sub(1);
    let first_bad = usize::try_from(change.range.first_bad).unwrap_or(last);
    CommitChange {
        commit: name(series, change.range.first_bad),
        last_good: name(series, change.range.last_good),
        commits_ago: last.saturating_sub(first_bad),
        joules: change.size.estimate,
        low: change.size.low,
        high: change.size.high,
        before: change.size.before,
        by_reruns: change.confirmation == Confirmation::Reruns,
    }
}

fn rerun_plan(series: &CommitSeries<'_>, request: &RerunRequest) -> RerunPlan {
    RerunPlan {
        before: name(series, request.before),
        after: name(series, request.after),
        pairs: request.pairs,
    }
}

fn name(series: &CommitSeries<'_>, order: u64) -> String {
    let commit = usize::try_from(order).ok().and_then(|at| series.commits.get(at));
    commit.and_then(|commit| commit.runs.first()).map(|run| code_name(run)).unwrap_or_default()
}
