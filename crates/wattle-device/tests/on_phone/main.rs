//! This client, Debian's own adb server and the simulated phone.
//!
//! The phone's shell runs this program for the phone's own commands, so `main` is not the test harness's.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed, and main says which tests there were"
)]

mod bench;
mod leases;
mod prepared;
mod simulated;

fn main() -> std::process::ExitCode {
    bench::run(&[leases::TESTS, prepared::TESTS, simulated::TESTS].concat())
}
