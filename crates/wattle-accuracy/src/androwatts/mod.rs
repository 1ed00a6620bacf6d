//! AndroWatts (Zenodo 10.5281/zenodo.14314943): runs of half a minute on one phone with on-device power rails.

mod androwatts_models;
mod calibrated;
mod import;
mod model_inputs;

pub(crate) use androwatts_models::judge;
pub(crate) use import::AndroWatts;
