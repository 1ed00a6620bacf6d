//! A corpus of programs, run in a real Android runtime before and after they got probes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail the test"
)]

pub mod command;
pub mod event;
pub mod expectation;
pub mod generated;
pub mod method_trace;
pub mod probe_map;
pub mod programs;
pub mod recording;
pub mod records;
pub mod sections;
pub mod tools;
