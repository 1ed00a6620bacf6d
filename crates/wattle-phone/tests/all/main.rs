//! The simulated phone behind Debian's adb, and programs on a real Android runtime.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod art_bench;
mod support;

mod adb;
mod art;
mod art_probed;
mod closed;
mod conformance;
mod counters;
mod faults;
mod packages;
mod real_adbd;
mod recording;
mod services;
