//! The versions of one branch, judged by the detector of change points.

use wattle_change_points::{
    ChangePoint, FlakyCause, Monitor, MonitorOptions, RerunRequest, Verdict,
};

use crate::branch_levels::{Level, levels};
use crate::{RunEnergies, RunSeries};

/// Versions that are judged at most: the latest.
pub const MOST_COMMITS: usize = 2000;
/// Share of the level below which a change does not matter, as in comparisons.
const SMALLEST_CHANGE: f64 = 0.01;
/// Versions before the first at which a change can be found.
const BEFORE_A_CHANGE: usize = 10;
/// Versions that a branch needs before any statement is made.
pub const NEEDED_COMMITS: usize = BEFORE_A_CHANGE + 1;
/// Versions at a level from which on its own scatter is known; until then it is that of the level before.
const KNOWN_SCATTER: usize = 8;
/// Margin within which a level counts as back where it was.
const BACK_WITHIN: f64 = 0.01;

/// The versions of one branch of a series. Places in changes and levels are places in `versions`.
#[derive(Clone, Debug)]
pub struct JudgedBranch {
    /// The branch.
    pub branch: Option<String>,
    /// The judged versions: their places in the series, in order.
    pub versions: Vec<usize>,
    /// Older versions that were not judged.
    pub omitted: usize,
    /// Changes, oldest first.
    pub changes: Vec<ChangePoint>,
    /// A change that is likely and not certain, and the re-runs that would decide it.
    pub suspected: Option<(ChangePoint, RerunRequest)>,
    /// Levels between the changes; the last one is the present.
    pub levels: Vec<Level>,
    /// Versions that are missing before a statement can be made.
    pub missing: usize,
    /// The cause of scatter beyond the noise band, or of a band that is too wide.
    pub flaky: Option<FlakyCause>,
    /// Whether the newest version lies outside the noise band as none did before, so that more runs of it or the next versions must tell.
    pub is_outside: bool,
}

impl JudgedBranch {
    /// Judges the branches of a series, the one with most versions first.
    ///
    /// The sensitivity is that of the benchmark in `docs/gate-benchmark.md`: 50 watched metrics raise one false alarm in
    /// 100 versions. Changes of less than 1 % are not reported.
    pub fn judge(series: &RunSeries<'_>, energies: &RunEnergies) -> Vec<Self> {
        let branches = series.branches().into_iter();
        branches.map(|(name, versions)| Self::new(series, energies, (name, versions))).collect()
    }

    fn new(
        series: &RunSeries<'_>,
        energies: &RunEnergies,
        (branch, mut versions): (Option<&str>, Vec<usize>),
    ) -> Self {
        let omitted = versions.len().saturating_sub(MOST_COMMITS);
        versions.drain(..omitted);
        let mut monitor = Monitor::new(MonitorOptions {
            history: BEFORE_A_CHANGE,
            smallest_change: SMALLEST_CHANGE,
            ..MonitorOptions::default()
        });
        let (mut means, mut bands) = (Vec::new(), Vec::new());
        let mut newest = Verdict::NoRuns;
        for (order, place) in versions.iter().enumerate() {
            let Some(version) = series.versions.get(*place) else { continue };
            newest = monitor.push(&version.point(order, energies));
            means.push(version.mean(energies));
            bands.push(monitor.noise_band());
        }
        let changes = monitor.change_points().to_vec();
        let levels = levels(&means, &bands, &changes);
        Self {
            branch: branch.map(str::to_owned),
            omitted,
            levels,
            missing: NEEDED_COMMITS.saturating_sub(versions.len()),
            suspected: monitor.suspected(),
            flaky: match newest {
                Verdict::Flaky(cause) => Some(cause),
                _ => None,
            },
            is_outside: newest == Verdict::Outside,
            changes,
            versions,
        }
    }

    /// The present level, if there are versions enough to speak of one.
    pub fn present(&self) -> Option<&Level> {
        self.levels.last().filter(|_| self.missing == 0)
    }

    /// The least change of one version at the present level that is seen with 90 % ([`Level::detectable_share`]); `None` as long as the
    /// level's own scatter is not known.
    pub fn detectable_share(&self) -> Option<f64> {
        let is_known = |level: &&Level| self.changes.is_empty() || level.len() >= KNOWN_SCATTER;
        self.present().filter(is_known)?.detectable_share()
    }

    /// The word for the cause of scatter.
    pub fn flaky_cause(&self) -> Option<&'static str> {
        Some(match self.flaky? {
            FlakyCause::Heat => "heat",
            FlakyCause::Clock => "clock",
            FlakyCause::Background => "background",
            FlakyCause::TwoModes => "two modes",
            FlakyCause::Drift => "drift",
            FlakyCause::Outliers => "outliers",
            FlakyCause::Unknown => "unknown",
        })
    }

    /// Places in `changes` of increases after which the level was never back where it had been.
    pub fn open_regressions(&self) -> Vec<usize> {
        let is_open = |change: &ChangePoint| {
            let limit = change.size.before + change.size.before.abs() * BACK_WITHIN;
            let later =
                self.levels.iter().filter(|level| level.first as u64 >= change.range.first_bad);
            change.size.estimate > 0.0 && later.clone().all(|level| level.joules > limit)
        };
        let changes = self.changes.iter().enumerate();
        changes.filter(|(_, change)| is_open(change)).map(|(at, _)| at).collect()
    }
}
