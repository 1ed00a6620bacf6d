//! `wattle`: which method, on which thread, through which hardware component, spent the energy of a run.
//!
//! The command line only: flags become a plan, the plan becomes calls into the library crates. What a verb
//! prints goes to standard output, progress and errors to standard error.

mod bounded_file;
mod cli;
mod command;
mod config;
mod exit;
mod interrupt;
mod parent_watch;
mod progress;

fn main() -> std::process::ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    // Jobs of a server: this program again, within limits that it puts on itself.
    if words.get(1).is_some_and(|word| word == "confined-child") {
        let error = wattle_jobs::confined_child(&words[2..]);
        return exit::report(&Err(exit::Failure::Environment(error.into())));
    }
    parent_watch::start();
    exit::report(&command::run(words))
}
