//! Histories from end to end.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed"
)]

mod ledgers;
mod postgres_server;
mod writers;

mod crashes;
mod histories;
mod many_runs;
mod refusals;
mod teams;
