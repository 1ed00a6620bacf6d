//! The flags of histories: `--keep`, `wattle runs`, `wattle history`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use wattle_store::{RunId, StoreLocation};

use super::LimitFlags;

/// The history that a command works with.
#[derive(Debug, Args, Clone, Default)]
pub struct StoreChoice {
    /// The history: a folder, or postgres://USER@HOST/DATABASE [default: `store` of wattle.toml, else a folder in the user's data]
    #[arg(
        long,
        value_name = "FOLDER|URL",
        env = "WATTLE_STORE",
        hide_env_values = true,
        help_heading = "History"
    )]
    pub store: Option<StoreLocation>,
}

/// Keeping runs.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "History")]
pub struct KeepFlags {
    /// Keep the run in the history, for `wattle history` and `wattle runs`
    #[arg(long)]
    pub keep: bool,
    /// Do not keep it, although wattle.toml says so
    #[arg(long, conflicts_with = "keep")]
    pub no_keep: bool,
    #[command(flatten)]
    pub store: StoreChoice,
    #[command(flatten)]
    pub facts: FactFlags,
}

/// Facts of a run that a file or a recording does not have, or has wrong.
#[derive(Debug, Args, Clone, Default)]
#[command(next_help_heading = "History")]
pub struct FactFlags {
    /// Version of the app that was run [default: as in the recording]
    #[arg(long, value_name = "NAME")]
    pub app_version: Option<String>,
    /// Commit that the app was built from [default: as in an exported run; else of the working folder, by git, for what is recorded or
    /// reported]
    #[arg(long, value_name = "COMMIT")]
    pub commit: Option<String>,
    /// Its branch [default: as the commit; or as the variables of continuous integration say]
    #[arg(long, value_name = "BRANCH")]
    pub branch: Option<String>,
    /// Name of the scenario: runs of different scenarios are not compared [default: as in the recording]
    #[arg(long, value_name = "NAME")]
    pub scenario_name: Option<String>,
}

/// Conditions on the runs of a history.
#[derive(Debug, Args, Clone, Default)]
pub struct RunConditions {
    /// Runs on this device: a part of its name, or its serial number
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Runs of this branch
    #[arg(long, value_name = "BRANCH")]
    pub branch: Option<String>,
    /// Runs of this scenario: a part of its name
    #[arg(long, value_name = "SCENARIO")]
    pub scenario: Option<String>,
    /// The latest N runs
    #[arg(long, value_name = "N")]
    pub last: Option<usize>,
}

/// `wattle runs`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Runs {
    /// Export, import or delete runs, instead of listing them
    #[command(subcommand)]
    pub verb: Option<RunsVerb>,
    #[command(flatten)]
    pub list: ListRuns,
}

/// `wattle runs [APP]`.
#[derive(Debug, Args, Clone)]
pub struct ListRuns {
    /// Package name of an app [default: all of them]
    #[arg(value_name = "APP")]
    pub app: Option<String>,
    #[command(flatten)]
    pub conditions: RunConditions,
    /// Write the list as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub place: HistoryPlace,
}

/// The place of the history, and its defaults.
#[derive(Debug, Args, Clone, Default)]
pub struct HistoryPlace {
    #[command(flatten)]
    pub store: StoreChoice,
    /// Read defaults from this file instead of `wattle.toml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// The operations on runs.
#[derive(Debug, Subcommand)]
pub enum RunsVerb {
    /// Write the ledger of a run, with the run's facts, as a file
    Export {
        /// The run
        #[arg(value_name = "RUN")]
        run: RunId,
        /// The file (`X.ledger.json.zst`)
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        place: HistoryPlace,
    },
    /// Keep runs of files: saved ledgers, and results of Macrobenchmark (`…benchmarkData.json`) with the traces beside them
    Import(ImportRuns),
    /// Delete runs with their ledgers
    Delete {
        /// The runs
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<RunId>,
        #[command(flatten)]
        place: HistoryPlace,
    },
    /// Delete old runs with their ledgers: those that meet all of the conditions
    Prune(Prune),
}

/// `wattle runs import`.
#[derive(Debug, Args)]
pub struct ImportRuns {
    /// Saved ledgers, and results of Macrobenchmark
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Package name of the app [default: as in the file]
    #[arg(long, value_name = "PACKAGE")]
    pub app: Option<String>,
    #[command(flatten)]
    pub facts: FactFlags,
    #[command(flatten)]
    pub place: HistoryPlace,
    #[command(flatten)]
    pub limits: LimitFlags,
}

/// `wattle runs prune`.
#[derive(Debug, Args)]
pub struct Prune {
    /// Package name of an app [default: all of them]
    #[arg(value_name = "APP")]
    pub app: Option<String>,
    /// Keep the latest N runs of each app, device, scenario and branch
    #[arg(long, value_name = "N", required_unless_present = "older_than")]
    pub keep_last: Option<usize>,
    /// Delete runs that are older than this (`90d`, `12h`, `2w`)
    #[arg(long, value_name = "AGE", value_parser = age)]
    pub older_than: Option<i64>,
    /// List the runs that would be deleted, and delete none
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub conditions: RunConditions,
    #[command(flatten)]
    pub place: HistoryPlace,
}

/// `wattle history`.
#[derive(Debug, Args)]
pub struct History {
    /// Package name of the app [default: the only one of the history]
    #[arg(value_name = "APP")]
    pub app: Option<String>,
    /// Energy of the methods whose names match this pattern with `*` and `?`, with all that they called
    #[arg(long, value_name = "PATTERN", group = "what")]
    pub method: Option<String>,
    /// Energy of the app's use of this component (`cpu`, `display`)
    #[arg(long, value_name = "COMPONENT", group = "what")]
    pub component: Option<String>,
    /// Energy of the whole device instead of the app's
    #[arg(long, conflicts_with = "method")]
    pub total: bool,
    #[command(flatten)]
    pub page: HistoryPageFlags,
    #[command(flatten)]
    pub conditions: RunConditions,
    /// Write the history as JSON into FILE, or to standard output for `-` (then nothing else is printed)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub place: HistoryPlace,
}

/// The page of `wattle history`.
#[derive(Debug, Args, Default)]
pub struct HistoryPageFlags {
    /// Write the history as one self-contained HTML page, and comparisons of the runs around its newest changes into a folder beside it
    #[arg(long, value_name = "FILE", conflicts_with = "what")]
    pub html: Option<PathBuf>,
    /// Open the page in the browser; without --html, a page in the folder for temporary files
    #[arg(long, conflicts_with = "what")]
    pub open: bool,
    /// Write comparisons of the N newest pairs of neighbouring versions, too
    #[arg(long, value_name = "N")]
    pub with_comparisons: Option<usize>,
}

/// An age in milliseconds, from `90d`.
fn age(text: &str) -> Result<i64, String> {
    const UNITS: [(&str, i64); 4] =
        [("w", 7 * 86_400_000), ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000)];
    let expected =
        || format!("expected a number of days, hours or weeks such as 90d; found {text:?}");
    let (unit, milliseconds) =
        UNITS.into_iter().find(|(unit, _)| text.ends_with(unit)).ok_or_else(expected)?;
    let number: i64 =
        text.strip_suffix(unit).and_then(|it| it.parse().ok()).ok_or_else(expected)?;
    if number < 0 {
        return Err(expected());
    }
    number.checked_mul(milliseconds).ok_or_else(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_units() {
        assert_eq!(age("90d"), Ok(90 * 86_400_000));
        assert_eq!(age("2w"), Ok(14 * 86_400_000));
        assert_eq!(age("12h"), Ok(12 * 3_600_000));
        for text in ["90", "d", "-1d", "1y", "99999999999999d"] {
            assert!(age(text).is_err(), "{text}");
        }
    }
}
