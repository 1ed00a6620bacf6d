//! The versions of a series, and parts of their energy.

use serde::Serialize;

/// The runs of one version, build label and commit.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HistoryCommit {
    /// The commit.
    pub commit: Option<String>,
    /// `versionName`.
    pub version_name: Option<String>,
    /// `versionCode`.
    pub version_code: Option<u64>,
    /// Label of the build.
    pub build: Option<String>,
    /// Whether files differed from the commit.
    pub dirty: Option<bool>,
    /// Time of the first run, UTC.
    pub first: String,
    /// Number of runs.
    pub runs: usize,
    /// The run that is nearest to the mean, `run:12`.
    pub run: String,
    /// Mean of the runs in joules.
    pub joules: f64,
    /// 90 % interval of the mean: of one run its own; of several the model's error, which they share, with the scatter between them.
    pub interval_joules: [f64; 2],
    /// Standard deviation of the runs; absent of a single one.
    pub deviation_joules: Option<f64>,
}

/// The energy of a component or method over the versions of a series.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HistoryPart {
    /// Its name.
    pub name: String,
    /// Mean of the version's runs in joules, for each version; absent where no run has it.
    pub joules: Vec<Option<f64>>,
}
