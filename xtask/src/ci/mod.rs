//! `cargo xtask ci`: the gate, in stages that can be run alone.
//!
//! It passes on a fresh Debian machine with a Rust toolchain, and installs what it needs where it may. A stage that
//! fails does not keep the others from running: one run shows everything that is wrong.

mod android_runtime;
mod cargo_checks;
mod child_process;
mod clean_clone;
mod code_server;
mod daemon;
mod programs;
mod test_environment;
mod test_run;
mod viewers;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::Verdict;
pub use child_process::is_program;
use test_environment::Environment;
use test_run::{Skips, Totals};

const HELP: &str = "\
Usage: cargo xtask ci [STAGE…]

Runs the gate, or the named stages of it. Ends with the number of tests that passed, failed and were skipped.

  --list  the stages";

/// One stage of the gate.
struct Stage {
    name: &'static str,
    help: &'static str,
    run: fn(&mut Totals) -> Result<()>,
}

/// In the order in which they run: what is quick to fail first, then what others build upon.
const STAGES: &[Stage] = &[
    stage("programs", "packages of the programs that tests ask", |_| programs::install()),
    stage("runtime", "a real Android runtime, built once", |_| android_runtime::prepare()),
    stage("viewers", "the programs that exports are for, made once", |_| viewers::prepare()),
    stage("editor", "Visual Studio Code for a browser, made once", |_| code_server::prepare()),
    stage("daemon", "a real device daemon, unpacked once", |_| daemon::prepare()),
    stage("formatting", "cargo fmt", |_| cargo_checks::formatting()),
    stage("house", "counts over the code have not got worse", |_| house()),
    stage("clippy", "cargo clippy without warnings", |_| cargo_checks::clippy()),
    stage("phoneless", "what is shipped, without the simulated phone, compiles", |_| {
        cargo_checks::phoneless()
    }),
    stage("tests", "all tests, none skipped (command two of the README)", all_tests),
    stage("hostile", "a tenth of the hostile files, under limits", |_| hostile()),
    stage("documentation", "cargo doc without warnings", |_| cargo_checks::documentation()),
    stage("fuzz", "the fuzz targets build", |_| cargo_checks::fuzz_targets()),
    stage("demo", "the demo (command one of the README)", |_| cargo_checks::demo()),
    stage("pages", "completions and manual pages", |_| cargo_checks::pages()),
    stage("clone", "the demo and the integration tests in a clean clone", |_| clean_clone::check()),
];

const fn stage(
    name: &'static str,
    help: &'static str,
    run: fn(&mut Totals) -> Result<()>,
) -> Stage {
    Stage { name, help, run }
}

fn house() -> Result<()> {
    match crate::house::run(&[])? {
        Verdict::Passed => Ok(()),
        Verdict::Failed => bail!("a number got worse than xtask/house.toml"),
    }
}

/// A tenth of the files: two minutes at most.
fn hostile() -> Result<()> {
    if crate::places::data().is_none() {
        println!("NOT THE WHOLE GATE: there are no real recordings to damage");
        return Ok(());
    }
    match crate::hostile::run(&["--every".to_owned(), "10".to_owned()])? {
        Verdict::Passed => Ok(()),
        Verdict::Failed => bail!("a hostile file is a defect: `cargo xtask hostile` shows it"),
    }
}

fn all_tests(totals: &mut Totals) -> Result<()> {
    let environment = Environment::detect();
    for (name, value) in &environment.variables {
        println!("{name}={}", value.display());
    }
    if !environment.is_strict {
        println!("NOT THE WHOLE GATE: nothing is in ../shared, so tests that need it are ignored");
    }
    let skips = if environment.is_strict { Skips::Forbidden } else { Skips::WithReason };
    let mut cargo = child_process::cargo("test --workspace --locked --no-fail-fast");
    test_run::run(cargo.envs(&environment.variables), skips, totals)
}

/// Runs `cargo xtask ci`.
pub fn run(arguments: &[String]) -> Result<Verdict> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("{HELP}");
        return Ok(Verdict::Passed);
    }
    if arguments.iter().any(|argument| argument == "--list") {
        for stage in STAGES {
            println!("{:<14} {}", stage.name, stage.help);
        }
        return Ok(Verdict::Passed);
    }
    if let Some(unknown) = arguments.iter().find(|name| STAGES.iter().all(|s| s.name != **name)) {
        bail!("no stage {unknown}; `cargo xtask ci --list` prints them");
    }
    let is_wanted = |stage: &&Stage| match arguments {
        [] => true,
        names => names.iter().any(|name| name == stage.name),
    };
    let started = Instant::now();
    let mut totals = Totals::default();
    let mut results: Vec<(&str, Duration, bool)> = Vec::new();
    for stage in STAGES.iter().filter(is_wanted) {
        println!("\n== {}: {} ({} s)", stage.name, stage.help, started.elapsed().as_secs());
        let begun = Instant::now();
        let result = (stage.run)(&mut totals);
        let took = begun.elapsed();
        if let Err(error) = &result {
            println!("== {} FAILED: {error:#}", stage.name);
        }
        println!("== {} took {:.1} s", stage.name, took.as_secs_f64());
        results.push((stage.name, took, result.is_ok()));
    }
    let failed_tests = totals.failed_tests();
    if !failed_tests.is_empty() {
        println!("\nTests that failed:{failed_tests}");
    }
    println!("\nstage             seconds");
    for (name, took, is_passed) in &results {
        let state = if *is_passed { "" } else { "  FAILED" };
        println!("{name:<14} {:>10.1}{state}", took.as_secs_f64());
    }
    println!("{:<14} {:>10.1}", "all", started.elapsed().as_secs_f64());
    println!("{}", totals.summary());
    let is_passed = results.iter().all(|(_, _, is_passed)| *is_passed);
    Ok(if is_passed { Verdict::Passed } else { Verdict::Failed })
}
