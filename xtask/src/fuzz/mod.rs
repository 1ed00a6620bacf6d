//! `cargo xtask fuzz`: the fuzz targets, guided by coverage, on the stable toolchain.
//!
//! ```text
//! real recordings ─► corpus (outside the checkout) ──► libFuzzer + mutators ──► findings
//!                      ▲                                    │
//!                      └──────────── minimised ─────────────┘
//! ```
//!
//! The engine is libFuzzer. The code is instrumented by a pass of LLVM that the stable compiler has, too; only sanitizers need a
//! nightly one, and there is no unsafe code that they could judge.

mod engine;
mod seed_files;
#[path = "../../../fuzz/src/target_list.rs"]
mod target_list;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::{Verdict, flags, places};
use engine::{Engine, Outcome};
use target_list::{TARGETS, Target};

const HELP: &str = "\
Usage: cargo xtask fuzz [OPTION…] [TARGET…]

Runs the fuzz targets (all, or those named) on inputs that grow by coverage. An input that panics, takes more than 5 s or more than
600 MB is written to a file, and how to replay it is printed. Corpora are kept in $WATTLE_FUZZ [default: the cache folder of this user]
and minimised at the end.

  --seconds N       time of each target [default: 60]
  --replay FILE     run one target on one file
  --list            the targets";

/// Time of each target unless flags say otherwise, seconds.
const SECONDS: u64 = 60;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Options {
    targets: Vec<String>,
    seconds: Option<u64>,
    replay: Option<String>,
    lists: bool,
    wants_help: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        options.wants_help = flags::read(arguments, HELP, |flag, value| {
            match flag {
                "--seconds" => options.seconds = Some(value.number()?),
                "--replay" => options.replay = Some(value.text()?),
                "--list" => options.lists = true,
                name if !name.starts_with('-') => options.targets.push(name.to_owned()),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(options)
    }

    /// The targets that were asked for.
    fn targets(&self) -> Result<Vec<Target>> {
        if self.targets.is_empty() {
            return Ok(TARGETS.to_vec());
        }
        let named = |name: &String| {
            let target = TARGETS.iter().find(|target| target.name == name);
            target.copied().with_context(|| format!("no target {name}; --list prints them"))
        };
        self.targets.iter().map(named).collect()
    }
}

/// Runs `cargo xtask fuzz`.
pub fn run(arguments: &[String]) -> Result<Verdict> {
    let options = Options::parse(arguments)?;
    if options.wants_help {
        println!("{HELP}");
        return Ok(Verdict::Passed);
    }
    let targets = options.targets()?;
    if options.lists {
        for target in targets {
            println!("{:<22} {:?}", target.name, target.structure);
        }
        return Ok(Verdict::Passed);
    }
    let engine = Engine::build(places::fuzz())?;
    if let Some(file) = &options.replay {
        let [target] = targets.as_slice() else { bail!("--replay needs one target") };
        return engine.replay(*target, &PathBuf::from(file));
    }
    let seconds = options.seconds.unwrap_or(SECONDS);
    let outcomes = wattle_workers::ordered(wattle_workers::available(0), &targets, |target| {
        let outcome = engine.fuzz(*target, seconds);
        println!(
            "{}",
            if outcome.is_ok() { "done" } else { "FAILED" }.to_owned() + " " + target.name
        );
        outcome
    });
    let outcomes: Vec<Outcome> = outcomes.into_iter().collect::<Result<_>>()?;
    Ok(print(&outcomes))
}

fn print(outcomes: &[Outcome]) -> Verdict {
    println!(
        "\n{:<22} {:>12} {:>8} {:>8} {:>7}",
        "target", "executions", "a second", "edges", "inputs"
    );
    for outcome in outcomes {
        println!(
            "{:<22} {:>12} {:>8} {:>8} {:>7}",
            outcome.target, outcome.executions, outcome.a_second, outcome.edges, outcome.inputs
        );
    }
    let executions: u64 = outcomes.iter().map(|outcome| outcome.executions).sum();
    let findings: usize = outcomes.iter().map(|outcome| outcome.findings.len()).sum();
    println!("{} targets, {executions} executions, {findings} findings", outcomes.len());
    for outcome in outcomes {
        for finding in &outcome.findings {
            println!("cargo xtask fuzz {} --replay {}", outcome.target, finding.display());
        }
    }
    if findings == 0 { Verdict::Passed } else { Verdict::Failed }
}

#[cfg(test)]
mod tests {
    use super::{Options, TARGETS};
    use crate::repository;

    fn parse(words: &str) -> Options {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words).expect("valid")
    }

    #[test]
    fn targets_are_chosen_by_name() {
        assert_eq!(parse("--seconds 5").targets().expect("all").len(), TARGETS.len());
        let options = parse("dex_reader --seconds 5 etl_reader");
        let names: Vec<_> = options.targets().expect("there").iter().map(|it| it.name).collect();
        assert_eq!((names, options.seconds), (vec!["dex_reader", "etl_reader"], Some(5)));
        assert!(parse("no_reader").targets().is_err());
        assert!(Options::parse(&["--none".to_owned()]).is_err());
    }

    #[test]
    fn each_body_is_a_target() {
        let folder = repository::root().join("fuzz/bodies");
        let files = std::fs::read_dir(folder).expect("bodies").flatten();
        let mut names: Vec<String> = files
            .filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned()))
            // What bodies share.
            .filter(|name| name != "timeline")
            .collect();
        names.sort();
        let mut listed: Vec<_> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
        listed.sort();
        assert_eq!(names, listed);
    }
}
