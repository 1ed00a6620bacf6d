//! `wattle`: which method, on which thread, through which hardware component, spent the energy of a run.
//!
//! The command line only: flags become a plan, the plan becomes calls into the library crates. What a verb
//! prints goes to standard output, progress and errors to standard error.

mod cli;
mod command;
mod config;
mod exit;
mod interrupt;
mod progress;

fn main() -> std::process::ExitCode {
    exit::report(&command::run(std::env::args_os().collect()))
}
