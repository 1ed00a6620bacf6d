//! `cargo xtask bench`: CPU time and peak memory of whole commands, beside those of another commit, of an input of half
//! the size, or of other tools.
//!
//! ```text
//! commit ──git worktree──► target/bench/COMMIT/checkout ──cargo──► program A ─┐  measured in turns,
//! working tree ───────────────────────────────────────────cargo──► program B ─┴► round after round ──► table
//! ```
//!
//! Programs take turns, so that whatever else the machine does meets both alike; of all rounds the least is compared, because
//! disturbance only ever adds.

mod bench_inputs;
mod contests;
mod measured_run;
mod peers;
mod program_comparison;
mod programs;
mod run_statistics;
mod scaling;
mod workloads;

use anyhow::{Result, bail};

use crate::{Verdict, flags};

const HELP: &str = "\
Usage: cargo xtask bench --against COMMIT [OPTION…]
       cargo xtask bench --scaling [OPTION…]
       cargo xtask bench --peers [--write] [OPTION…]

Builds the release program and measures whole commands: CPU time (user + system of all threads) and peak memory.

  --against COMMIT  beside the program of that commit, which is built once below target/bench
  --scaling         each input at one and at two times its size; fails above 2.2 times the CPU time
  --peers           beside other tools that are here (dmtracedump, perf, apktool, trace_processor_shell) and beside what is wanted
  --write           with --peers: put the table into docs/performance.md
  --only NAME       workloads whose name contains NAME (repeatable)
  --rounds N        runs of each command [default: 5]
  --program FILE    measure this program instead of building the working tree
  --list            the workloads of both kinds";

/// Runs of each command, unless a number is given.
const ROUNDS: usize = 5;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
struct Options {
    against: Option<String>,
    scaling: bool,
    peers: bool,
    writes: bool,
    only: Vec<String>,
    rounds: Option<usize>,
    program: Option<String>,
    lists: bool,
    wants_help: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        options.wants_help = flags::read(arguments, HELP, |flag, value| {
            match flag {
                "--against" => options.against = Some(value.text()?),
                "--scaling" => options.scaling = true,
                "--peers" => options.peers = true,
                "--write" => options.writes = true,
                "--only" => options.only.push(value.text()?),
                "--rounds" => options.rounds = Some(value.count()?),
                "--program" => options.program = Some(value.text()?),
                "--list" => options.lists = true,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let has_work = options.against.is_some() || options.scaling || options.peers;
        if !has_work && !options.lists && !options.wants_help {
            bail!("nothing to measure: --against COMMIT, --scaling or --peers\n\n{HELP}");
        }
        Ok(options)
    }

    fn rounds(&self) -> usize {
        self.rounds.unwrap_or(ROUNDS)
    }

    fn includes(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part.as_str()))
    }
}

/// Runs `cargo xtask bench`.
pub fn run(arguments: &[String]) -> Result<Verdict> {
    // This program starts itself anew for each run: see `measured`.
    if let [flag, command @ ..] = arguments
        && flag == measured_run::FLAG
    {
        return measured_run::run_one(command).map(|()| Verdict::Passed);
    }
    let options = Options::parse(arguments)?;
    if options.wants_help {
        println!("{HELP}");
        return Ok(Verdict::Passed);
    }
    if options.lists {
        for (kind, list) in [("against", workloads::AGAINST), ("scaling", workloads::SCALING)] {
            for workload in list {
                println!("{kind}  {}", workload.name);
            }
        }
        for contest in contests::CONTESTS {
            println!("peers  {}", contest.name);
        }
        return Ok(Verdict::Passed);
    }
    let mut verdict = Verdict::Passed;
    if let Some(commit) = &options.against {
        program_comparison::run(&options, commit)?;
    }
    if options.scaling && scaling::run(&options)? == Verdict::Failed {
        verdict = Verdict::Failed;
    }
    if options.peers {
        peers::run(&options)?;
    }
    Ok(verdict)
}

#[cfg(test)]
mod tests {
    use super::Options;

    fn parse(words: &str) -> Result<Options, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words)
            .map_err(|error| error.to_string().lines().next().unwrap_or("").into())
    }

    #[test]
    fn arguments_are_parsed() {
        let options = parse("--against cc9ba1c --only rails --only dex --rounds 3").expect("valid");
        assert_eq!((options.against.as_deref(), options.rounds()), (Some("cc9ba1c"), 3));
        assert!(options.includes("rails terminal") && !options.includes("logcat"));
        let options = parse("--scaling").expect("valid");
        assert!(options.scaling && options.includes("anything"));
        let check = |words, error: &str| assert_eq!(parse(words), Err(error.to_owned()));
        check("", "nothing to measure: --against COMMIT, --scaling or --peers");
        check("--against", "--against needs a value");
        check("--scaling --rounds 0", "--rounds needs a number from 1");
        check("--fast", "unknown argument --fast");
    }
}
