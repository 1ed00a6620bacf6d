//! Damaged recordings say so, and undamaged ones do not.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed, and a measurement prints its figures"
)]

mod read_totals;
mod real_files;
mod single_flips;
mod unpack_budget;
