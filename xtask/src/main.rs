//! Chores of this repository, run with `cargo xtask`.
//!
//! One file or folder per subject; [`COMMANDS`] is the list of them.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal of one developer or one log"
)]

mod api_declarations;
mod bench;
mod ci;
mod flags;
mod flips;
mod fuzz;
mod gate_bench;
mod hostile;
mod house;
mod places;
mod repository;
mod verdicts;

use std::process::ExitCode;

use anyhow::Result;

/// One command of `cargo xtask`.
struct Command {
    name: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Result<Verdict>,
}

/// The result of a command that ran to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Passed,
    /// A check failed, which the command has explained on the terminal.
    Failed,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "bench",
        help: "CPU time and memory of whole commands, beside another commit, an input of half the size or other tools",
        run: bench::run,
    },
    Command {
        name: "ci",
        help: "the gate of continuous integration, or single stages of it",
        run: ci::run,
    },
    Command {
        name: "flips",
        help: "single damaged bytes in real recordings, and whether reports say so",
        run: flips::run,
    },
    Command {
        name: "fuzz",
        help: "the fuzz targets, guided by coverage, on the stable toolchain",
        run: fuzz::run,
    },
    Command {
        name: "gate-bench",
        help: "false alarms and found changes of gates on simulated series, Wattle's beside others'",
        run: gate_bench::run,
    },
    Command {
        name: "hostile",
        help: "hostile files of every format through the commands that read them, under limits",
        run: hostile::run,
    },
    Command {
        name: "house",
        help: "counts of what should become less in the code, against xtask/house.toml",
        run: house::run,
    },
    Command {
        name: "platform-classes",
        help: "superclasses of Android's public classes, for the bytecode verifier",
        run: api_declarations::run,
    },
    Command {
        name: "verdicts",
        help: "changed code and packages, judged by `wattle verify` and by Android's own checkers",
        run: verdicts::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = arguments.first().and_then(|name| COMMANDS.iter().find(|c| c.name == name));
    let Some(command) = command else {
        print_help();
        let wants_help = arguments.first().is_some_and(|first| first.ends_with("help"));
        return if wants_help { ExitCode::SUCCESS } else { ExitCode::from(2) };
    };
    match (command.run)(&arguments[1..]) {
        Ok(Verdict::Passed) => ExitCode::SUCCESS,
        Ok(Verdict::Failed) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo xtask {}: {error:#}", command.name);
            ExitCode::from(2)
        }
    }
}

fn print_help() {
    println!("Usage: cargo xtask COMMAND [OPTION…]\n\nCommands:");
    for command in COMMANDS {
        println!("  {:<10} {}", command.name, command.help);
    }
    println!("\n`cargo xtask COMMAND --help` prints the options of a command.");
}
