//! A server's data from end to end, in SQLite and in PostgreSQL.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed"
)]

#[path = "../../../wattle-store/tests/all/ledgers.rs"]
#[allow(dead_code, reason = "another crate's tests use more of it")]
mod ledgers;
#[path = "../../../wattle-store/tests/all/postgres_server.rs"]
#[allow(dead_code, reason = "another crate's tests use more of it")]
mod postgres_server;
mod server_place;
mod test_server;

mod accounts;
mod apartness;
mod backups;
mod children;
mod clocks;
mod kills;
mod limits;
mod postgres;
mod queue;
mod real_program;
mod refusals;
mod retention;
mod uploads;
