//! `cargo xtask ci`: the gate, in stages that can be run alone.
//!
//! It passes on a fresh Debian machine with a Rust toolchain, and installs what it needs where it may. A stage that
//! fails does not keep the others from running: one run shows everything that is wrong.
//!
//! ```text
//! programs ─► runtime, viewers, editor, daemon (downloads and other people's builds) ─┐
//!         └─► formatting, house, clippy, phoneless ───────────────────────────────────┴─► tests ─► …
//! ```

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

use std::thread;
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
    lane: Lane,
    run: Run,
}

/// The place of a stage among the others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    /// After all stages before it.
    InTurn,
    /// Beside the stages up to the next one in turn: waits for the network, or uses one core.
    Preparing,
    /// Beside those that prepare: needs nothing of what they make.
    OfSource,
}

/// In the order in which they run: what is quick to fail first, then what others build upon.
const STAGES: &[Stage] = &[
    stage("programs", "packages of the programs that tests ask", |_| programs::install()),
    preparing("runtime", "a real Android runtime, built once", |_| android_runtime::prepare()),
    preparing("viewers", "the programs that exports are for, made once", |_| viewers::prepare()),
    preparing("editor", "Visual Studio Code for a browser, made once", |_| code_server::prepare()),
    preparing("daemon", "a real device daemon, unpacked once", |_| daemon::prepare()),
    of_source("formatting", "cargo fmt", |_| cargo_checks::formatting()),
    of_source("house", "counts over the code have not got worse", |_| house()),
    of_source("clippy", "cargo clippy without warnings", |_| cargo_checks::clippy()),
    of_source("phoneless", "what is shipped, without the simulated phone, compiles", |_| {
        cargo_checks::phoneless()
    }),
    stage("tests", "all tests, none skipped (command two of the README)", all_tests),
    stage("documentation", "cargo doc without warnings", |_| cargo_checks::documentation()),
    stage("fuzz", "the fuzz targets build", |_| cargo_checks::fuzz_targets()),
    stage("demo", "the demo (command one of the README)", |_| cargo_checks::demo()),
    stage("pages", "completions and manual pages", |_| cargo_checks::pages()),
    stage("hostile", "a tenth of the hostile files, under limits", |_| hostile()),
    stage("clone", "the demo in a clean clone", |_| clean_clone::check()),
];

type Run = fn(&mut Totals) -> Result<()>;

const fn stage(name: &'static str, help: &'static str, run: Run) -> Stage {
    Stage { name, help, lane: Lane::InTurn, run }
}

const fn preparing(name: &'static str, help: &'static str, run: Run) -> Stage {
    Stage { name, help, lane: Lane::Preparing, run }
}

const fn of_source(name: &'static str, help: &'static str, run: Run) -> Stage {
    Stage { name, help, lane: Lane::OfSource, run }
}

/// A stage that has run.
struct Finished {
    name: &'static str,
    took: Duration,
    is_passed: bool,
}

impl Stage {
    fn perform(&self, gate_started: Instant, totals: &mut Totals) -> Finished {
        println!("\n== {}: {} ({} s)", self.name, self.help, gate_started.elapsed().as_secs());
        let begun = Instant::now();
        let result = (self.run)(totals);
        let took = begun.elapsed();
        if let Err(error) = &result {
            println!("== {} FAILED: {error:#}", self.name);
        }
        println!("== {} took {:.1} s", self.name, took.as_secs_f64());
        Finished { name: self.name, took, is_passed: result.is_ok() }
    }
}

/// Runs stages: neighbours in other lanes than [`Lane::InTurn`] beside each other, one stage of each lane at a time.
fn perform_all(stages: &[&Stage], started: Instant, totals: &mut Totals) -> Vec<Finished> {
    let mut finished = Vec::new();
    for group in stages.chunk_by(|one, next| one.lane != Lane::InTurn && next.lane != Lane::InTurn)
    {
        let (aside, here): (Vec<&&Stage>, Vec<&&Stage>) =
            group.iter().partition(|stage| stage.lane == Lane::Preparing);
        thread::scope(|scope| {
            // Preparations run no tests.
            let prepare = |it: &&&Stage| it.perform(started, &mut Totals::default());
            let beside = scope.spawn(move || aside.iter().map(prepare).collect::<Vec<_>>());
            let done: Vec<Finished> = here.iter().map(|it| it.perform(started, totals)).collect();
            match beside.join() {
                Ok(prepared) => finished.extend(prepared),
                Err(panic) => std::panic::resume_unwind(panic),
            }
            finished.extend(done);
        });
    }
    finished
}

fn house() -> Result<()> {
    match crate::house::run(&[])? {
        Verdict::Passed => Ok(()),
        Verdict::Failed => bail!("a number got worse than xtask/house.toml"),
    }
}

/// A tenth of the files, through the program that was tested.
fn hostile() -> Result<()> {
    if crate::places::data().is_none() {
        println!("NOT THE WHOLE GATE: there are no real recordings to damage");
        return Ok(());
    }
    let program = cargo_checks::program()?;
    let words = ["--every", "10", "--program"].map(str::to_owned);
    let arguments = [&words[..], &[program.display().to_string()]].concat();
    match crate::hostile::run(&arguments)? {
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
    cargo.envs(&environment.variables).env("RUST_TEST_THREADS", test_run::threads().to_string());
    test_run::run(&mut cargo, skips, totals)
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
    let wanted: Vec<&Stage> = STAGES.iter().filter(is_wanted).collect();
    let results = perform_all(&wanted, started, &mut totals);
    let failed_tests = totals.failed_tests();
    if !failed_tests.is_empty() {
        println!("\nTests that failed:{failed_tests}");
    }
    println!("\nstage             seconds");
    for Finished { name, took, is_passed } in &results {
        let state = if *is_passed { "" } else { "  FAILED" };
        println!("{name:<14} {:>10.1}{state}", took.as_secs_f64());
    }
    println!("{:<14} {:>10.1}", "all", started.elapsed().as_secs_f64());
    println!("{}", totals.summary());
    let is_passed = results.iter().all(|stage| stage.is_passed);
    Ok(if is_passed { Verdict::Passed } else { Verdict::Failed })
}
