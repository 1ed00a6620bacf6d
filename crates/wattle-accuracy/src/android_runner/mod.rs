//! Results of Android Runner: joules of a Monsoon meter per run, joules that its batterystats plugin calculated per run.

mod metered_runs;
mod runner_models;

pub(crate) use metered_runs::Runs;
pub(crate) use runner_models::judge;
