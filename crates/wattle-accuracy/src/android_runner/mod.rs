//! Results of Android Runner: joules of a Monsoon meter per run, joules that its batterystats plugin calculated per run.

mod models;
mod runs;

pub(crate) use models::judge;
pub(crate) use runs::Runs;
