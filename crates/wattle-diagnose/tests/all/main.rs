//! Diagnoses of timelines made by hand, at random, by simulated machines and of real recordings.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod any_machine;
mod built;
mod planted;
mod real_files;
mod region_details;
mod regions;
mod rules;
