//! Calibrations of simulated recordings whose truth is known.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod api_costs;
mod app_energies;
mod curve;
mod linear;
mod rail_update;
mod slope;
