//! The flags of `wattle bisect`.

use clap::Args;

/// `wattle bisect`.
#[derive(Debug, Args)]
pub struct Bisect {
    /// A commit before the change
    #[arg(long, value_name = "COMMIT")]
    pub good: String,
    /// A commit after the change
    #[arg(long, value_name = "COMMIT", default_value = "HEAD")]
    pub bad: String,
    /// Package name of the app [default: that of the runs]
    #[arg(long, value_name = "APP")]
    pub app: Option<String>,
    /// Probability that the commit found must have
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    pub confidence: f64,
    /// The most runs
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub most_runs: usize,
    /// Print only the result
    #[arg(long, short)]
    pub quiet: bool,
    /// The command (after `--`) that builds the app in the working folder and keeps `$WATTLE_RUNS` runs of it: `./gradlew
    /// assembleDebug && wattle run … --repeat $WATTLE_RUNS --keep`
    #[arg(last = true, value_name = "COMMAND", required = true)]
    pub build: Vec<String>,
}
