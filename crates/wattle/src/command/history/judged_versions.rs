//! Judgements of versions, in JSON.

use serde::Serialize;
use wattle_change_points::{ChangePoint, Confirmation};
use wattle_history::{JudgedBranch, Level, RunEnergies, RunSeries};

/// The versions of one branch, judged by the detector of change points.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JudgedVersions {
    /// The branch; null where none is known.
    pub branch: Option<String>,
    /// Number of its versions that were judged: the latest 2,000 at most.
    pub versions: usize,
    /// Versions that are missing before a statement can be made; 0 if there are enough.
    pub missing_versions: usize,
    /// The present level; null as long as versions are missing.
    pub level: Option<PresentLevel>,
    /// Lasting changes, oldest first.
    pub changes: Vec<VersionChange>,
    /// A change that is likely and not certain; null without one.
    pub suspected: Option<SuspectedChange>,
    /// The likeliest cause, where the newest version lies outside the noise band as others did without a lasting change, or the band is too wide to judge by; else null.
    #[cfg_attr(test, schemars(extend("enum" = ["heat", "clock", "background", "two modes", "drift", "outliers", "unknown", null])))]
    pub flaky: Option<&'static str>,
    /// Whether the newest version lies outside the noise band as none did before: more runs of it, or the next versions, will tell.
    pub outside: bool,
}

/// The level since the last change.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PresentLevel {
    /// Median of the versions' means in joules.
    pub joules: f64,
    /// Joules among which the mean of the next version is expected (95 %): low, high; null of too few versions.
    pub noise_band_joules: Option<[f64; 2]>,
    /// Its first version.
    pub since: NamedVersion,
    /// Number of its versions.
    pub versions: usize,
    /// The least change of one version that lies outside the noise band with 90 %, as a share of the level; null as long as the level's scatter is not known.
    pub smallest_detectable: Option<f64>,
}

/// A lasting change.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VersionChange {
    /// `up` or `down`.
    #[cfg_attr(test, schemars(extend("enum" = ["up", "down"])))]
    pub direction: &'static str,
    /// Energy after less before, in joules.
    pub joules: f64,
    /// 90 % interval in joules: low, high.
    pub interval_joules: [f64; 2],
    /// The change as a share of the level before; null where that is 0.
    pub change: Option<f64>,
    /// Level before in joules.
    pub before_joules: f64,
    /// The last version that is surely (95 %) before the change.
    pub last_good: NamedVersion,
    /// The likeliest first version with the change.
    pub first_bad: NamedVersion,
    /// The first version that surely (95 %) has the change.
    pub surely_bad: NamedVersion,
    /// The newest version when the change was found.
    pub found_at: NamedVersion,
    /// The evidence by which it became certain: `following-versions`, `re-runs`, or `waiting` for either.
    #[cfg_attr(test, schemars(extend("enum" = ["following-versions", "re-runs", "waiting"])))]
    pub confirmation: &'static str,
    /// Probability that there is a change, if one series in 1,000 changes at a version.
    pub confidence: f64,
}

/// A likely change, and the runs that would decide it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuspectedChange {
    /// The change as it looks now.
    pub change: VersionChange,
    /// The earlier version of which more runs would decide.
    pub before: NamedVersion,
    /// The later one.
    pub after: NamedVersion,
    /// Runs of each of the two, in turns.
    pub runs_each: usize,
}

/// A version of the series.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NamedVersion {
    /// Its place in `versions` of the series, from 0.
    pub version: usize,
    /// The commit.
    pub commit: Option<String>,
    /// `versionName`.
    pub version_name: Option<String>,
    /// The run nearest to its mean.
    pub run: String,
}

impl JudgedVersions {
    /// The judgement of a branch of a series.
    pub fn new(branch: &JudgedBranch, series: &RunSeries<'_>, energies: &RunEnergies) -> Self {
        let names = VersionNames { branch, series, energies };
        let level = |level: &Level| PresentLevel {
            joules: level.joules,
            noise_band_joules: level.band.map(|band| [band.low, band.high]),
            since: names.named(level.first as u64),
            versions: level.len(),
            smallest_detectable: branch.detectable_share(),
        };
        Self {
            branch: branch.branch.clone(),
            versions: branch.versions.len(),
            missing_versions: branch.missing,
            level: branch.present().map(level),
            changes: branch.changes.iter().map(|change| names.change(change)).collect(),
            suspected: branch.suspected.as_ref().map(|(change, request)| SuspectedChange {
                change: names.change(change),
                before: names.named(request.before),
                after: names.named(request.after),
                runs_each: request.pairs,
            }),
            flaky: branch.flaky_cause(),
            outside: branch.is_outside,
        }
    }
}

/// Versions of a branch by their places.
#[derive(Clone, Copy)]
struct VersionNames<'a> {
    branch: &'a JudgedBranch,
    series: &'a RunSeries<'a>,
    energies: &'a RunEnergies,
}

impl VersionNames<'_> {
    fn named(self, place: u64) -> NamedVersion {
        let version = self.branch.versions.get(place as usize).copied().unwrap_or_default();
        let found = self.series.versions.get(version);
        let facts = found.map(|version| &version.first.facts);
        let run = found.map(|version| version.typical_run(self.energies).id.to_string());
        NamedVersion {
            version,
            commit: facts.and_then(|facts| facts.code.commit.clone()),
            version_name: facts.and_then(|facts| facts.app.version_name.clone()),
            run: run.unwrap_or_default(),
        }
    }

    fn change(self, change: &ChangePoint) -> VersionChange {
        VersionChange {
            direction: if change.size.estimate >= 0.0 { "up" } else { "down" },
            joules: change.size.estimate,
            interval_joules: wattle_history::change_interval(change),
            change: change.size.relative(),
            before_joules: change.size.before,
            last_good: self.named(change.range.last_good),
            first_bad: self.named(change.range.first_bad),
            surely_bad: self.named(change.range.surely_bad),
            found_at: self.named(change.found_at),
            confirmation: match change.confirmation {
                Confirmation::FollowingCommits => "following-versions",
                Confirmation::Reruns => "re-runs",
                Confirmation::Waiting => "waiting",
            },
            confidence: change.confidence,
        }
    }
}
