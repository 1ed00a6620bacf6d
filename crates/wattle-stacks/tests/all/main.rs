//! The raw readers of perf.data and of method traces, on files of the tests' own writers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod art_events;
mod perf_file;
