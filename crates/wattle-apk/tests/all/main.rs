//! Tests of packages: our own, made while testing, and real ones; Android's tools are the judges.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod apksigner;
mod fuzz_replay;
mod hostile;
mod keys;
mod manifest;
mod packages;
mod sets;
mod signing;
mod support;
mod verification;
