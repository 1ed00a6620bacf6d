//! AndroWatts (Zenodo 10.5281/zenodo.14314943): runs of half a minute on one phone with on-device power rails.

mod blend;
mod import;
mod inputs;
mod models;
mod physics;

pub(crate) use import::AndroWatts;
pub(crate) use models::judge;
