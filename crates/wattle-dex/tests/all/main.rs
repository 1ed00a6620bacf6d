//! Tests of Dalvik executables: our own, made while testing, and real ones; Android's tools are the judges.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail the test"
)]

mod frames;
mod hostile;
mod linkage;
mod mutations;
mod probes;
mod rewrite;
mod round_trip;
mod runtime_rules;
mod samples;
mod sections;
mod split;
mod support;
mod verify_real;
mod versions;
mod wrapping;
