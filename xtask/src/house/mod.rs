//! `cargo xtask house`: counts over the code, and a ratchet that keeps them from getting worse.

mod house_measure;
mod modules;
mod prose;
mod ratchet;
mod rust_source;
mod syntax;

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};

use crate::repository::{self, File};
use crate::{Verdict, flags};
use house_measure::Measure;
use rust_source::{Kind, Source};

const HELP: &str = "\
Usage: cargo xtask house [OPTION…]

Counts over all Rust files, against the committed numbers of xtask/house.toml. Fails if one got worse.

  --against COMMIT  the counts of that commit in the column `before` [default: those of house.toml]
  --crates          files and lines by crate
  --list MEASURE    the places behind one number
  --save            write better numbers to xtask/house.toml";

const LIMITS: &str = "xtask/house.toml";

#[derive(Default)]
struct Options {
    against: Option<String>,
    list: Option<String>,
    shows_crates: bool,
    saves: bool,
    wants_help: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        options.wants_help = flags::read(arguments, HELP, |flag, value| {
            match flag {
                "--against" => options.against = Some(value.text()?),
                "--list" => options.list = Some(value.text()?),
                "--crates" => options.shows_crates = true,
                "--save" => options.saves = true,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(options)
    }
}

/// Runs `cargo xtask house`.
pub fn run(arguments: &[String]) -> Result<Verdict> {
    let options = Options::parse(arguments)?;
    if options.wants_help {
        println!("{HELP}");
        return Ok(Verdict::Passed);
    }
    let sources = parse(repository::files_of_checkout()?);
    let measures = house_measure::all(&sources);
    if let Some(key) = &options.list {
        let measure = measures.iter().find(|measure| measure.key == key);
        let measure = measure.with_context(|| format!("no measure {key}"))?;
        measure.places.iter().for_each(|place| println!("{place}"));
        return Ok(Verdict::Passed);
    }
    let before = match &options.against {
        Some(commit) => Some(parse(repository::files_of_commit(commit)?)),
        None => None,
    };
    if options.shows_crates || options.against.is_some() {
        print_crates(&sources, before.as_deref());
    }
    let before = before.map(|sources| house_measure::all(&sources));
    check(&measures, before.as_deref(), options.saves)
}

fn parse(files: Vec<File>) -> Vec<Source> {
    files.into_iter().map(Source::from_file).collect()
}

/// Prints the table of measures and compares them with the limits.
fn check(measures: &[Measure], before: Option<&[Measure]>, saves: bool) -> Result<Verdict> {
    let path = repository::root().join(LIMITS);
    let limits =
        ratchet::parse(&std::fs::read_to_string(&path).unwrap_or_default()).context(LIMITS)?;
    println!("{:<20} {:>8} {:>8} {:>10} {:>6}  ", "measure", "before", "now", "committed", "goal");
    let mut verdict = Verdict::Passed;
    for measure in measures {
        let before = before.and_then(|all| all.iter().find(|one| one.key == measure.key));
        let limit = limits.get(measure.key);
        let before = before.map(|measure| measure.value).or(limit.and_then(|limit| limit.before));
        let before = before.map_or_else(|| "–".to_owned(), |value| value.to_string());
        let (committed, goal) = limit.map_or((String::new(), String::new()), |limit| {
            (limit.committed.to_string(), limit.goal.to_string())
        });
        let state = match limit {
            None => "not in house.toml",
            Some(limit) if measure.direction.is_worse(measure.value, limit.committed) => {
                verdict = Verdict::Failed;
                "WORSE"
            }
            Some(limit) if !measure.direction.is_worse(measure.value, limit.goal) => "",
            Some(limit) if measure.direction.is_worse(limit.committed, measure.value) => {
                "goal (better than committed)"
            }
            Some(_) => "goal",
        };
        println!(
            "{:<20} {before:>8} {:>8} {committed:>10} {goal:>6}  {:<50} {state}",
            measure.key, measure.value, measure.title
        );
    }
    if saves {
        std::fs::write(&path, ratchet::write(&ratchet::tightened(&limits, measures)))?;
    }
    if verdict == Verdict::Failed {
        println!("\n`cargo xtask house --list MEASURE` prints the places behind a number.");
    }
    Ok(verdict)
}

/// Files and lines of one crate.
#[derive(Clone, Copy, Default)]
struct Size {
    files: usize,
    library_lines: usize,
    other_lines: usize,
}

fn sizes(sources: &[Source]) -> BTreeMap<&str, Size> {
    let mut sizes: BTreeMap<&str, Size> = BTreeMap::new();
    for source in sources {
        let lines = source.text.lines().count();
        for key in [source.package.as_str(), "all"] {
            let size = sizes.entry(key).or_default();
            size.files += 1;
            match source.kind {
                Kind::Library => size.library_lines += lines,
                Kind::Other => size.other_lines += lines,
            }
        }
    }
    sizes
}

fn print_crates(sources: &[Source], before: Option<&[Source]>) {
    let now = sizes(sources);
    let before = before.map(sizes).unwrap_or_default();
    let names: std::collections::BTreeSet<&str> =
        now.keys().chain(before.keys()).copied().collect();
    println!("{:<18} {:>13} {:>17} {:>17}", "crate", "files", "lines in src", "other lines");
    for name in names {
        let was = before.get(name).copied();
        let is = now.get(name).copied().unwrap_or_default();
        let change = |value: fn(Size) -> usize| match was {
            Some(was) if value(was) != value(is) => format!("{} → {}", value(was), value(is)),
            _ => value(is).to_string(),
        };
        println!(
            "{name:<18} {:>13} {:>17} {:>17}",
            change(|size| size.files),
            change(|size| size.library_lines),
            change(|size| size.other_lines)
        );
    }
    println!();
}
