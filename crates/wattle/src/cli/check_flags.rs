//! The flags of `wattle check` and `wattle baseline`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{HistoryPlace, ServerAccess};

/// `wattle check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The runs to check: kept runs (run:12), saved ledgers, folders of `wattle run`. Of a folder with two builds the first is the
    /// baseline [default: the latest kept runs of one commit]
    #[arg(value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Check the kept runs of this commit, by the first digits of its name [default: the commit of the latest run]
    #[arg(long, value_name = "COMMIT", conflicts_with = "runs")]
    pub commit: Option<String>,
    /// Package name of the app [default: `app` of wattle.toml, else that of the runs]
    #[arg(long, value_name = "APP")]
    pub app: Option<String>,
    #[command(flatten)]
    pub against: Against,
    /// Findings of one of the runs: the JSON of `wattle diagnose` (repeatable)
    #[arg(long, value_name = "FILE")]
    pub findings: Vec<PathBuf>,
    /// Fail unless every rule has passed: also where runs cannot tell
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub forms: CheckForms,
    /// Judge by the history of a project on this server instead of the local one
    #[arg(long, value_name = "URL", conflicts_with = "store", help_heading = "Server")]
    pub server: Option<String>,
    #[command(flatten)]
    pub access: ServerAccess,
    #[command(flatten)]
    pub place: HistoryPlace,
}

/// The runs that a growth is measured against.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Baseline")]
pub struct Against {
    /// A baseline that was written by `wattle baseline set` [default: wattle-baseline.json, where it is there]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline_branch", "last"])]
    pub baseline: Option<PathBuf>,
    /// The branch whose latest runs are the baseline [default: `branch` of wattle.toml, else every branch]
    #[arg(long, value_name = "BRANCH")]
    pub baseline_branch: Option<String>,
    /// The number of its latest runs that are compared with directly; changes are looked for in its whole history [default: `last` of
    /// wattle.toml, else 10]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub last: Option<usize>,
}

/// The forms that a check is written in.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "Output")]
pub struct CheckForms {
    /// Write the check as JSON into FILE, or to standard output for `-`
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Write a comment for a pull request
    #[arg(long, value_name = "FILE|-")]
    pub markdown: Option<PathBuf>,
    /// Write JUnit XML
    #[arg(long, value_name = "FILE|-")]
    pub junit: Option<PathBuf>,
    /// Write a SARIF 2.1.0 log
    #[arg(long, value_name = "FILE|-")]
    pub sarif: Option<PathBuf>,
    /// Write a report of GitLab's code quality
    #[arg(long, value_name = "FILE|-")]
    pub gitlab: Option<PathBuf>,
    /// Write an SVG badge
    #[arg(long, value_name = "FILE|-")]
    pub badge: Option<PathBuf>,
    /// Print annotations of GitHub Actions [default: on, in GitHub Actions]
    #[arg(long)]
    pub github: bool,
}

/// `wattle baseline`.
#[derive(Debug, Args)]
pub struct Baseline {
    /// The operation
    #[command(subcommand)]
    pub verb: BaselineVerb,
}

/// The operations on baselines.
#[derive(Debug, Subcommand)]
pub enum BaselineVerb {
    /// Write runs as the baseline, for a file that is committed
    Set(SetBaseline),
    /// Show the runs of a baseline
    Show {
        /// The file
        #[arg(value_name = "FILE", default_value = "wattle-baseline.json")]
        file: PathBuf,
    },
}

/// `wattle baseline set`.
#[derive(Debug, Args)]
pub struct SetBaseline {
    /// The runs: kept runs (run:12), saved ledgers, folders of `wattle run`
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// The file
    #[arg(long, short, value_name = "FILE", default_value = "wattle-baseline.json")]
    pub out: PathBuf,
    /// Package name of the app [default: that of the runs]
    #[arg(long, value_name = "APP")]
    pub app: Option<String>,
    #[command(flatten)]
    pub place: HistoryPlace,
}

/// A number of runs.
fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "expected a number of runs, 1 or more".to_owned())
}
