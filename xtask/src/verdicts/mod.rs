//! `cargo xtask verdicts`: changed packages and code, judged by `wattle verify` and by Android's own checkers.
//!
//! ```text
//! real code ──change──┐   ┌─► wattle verify ────────┐
//! real packages ──────┴───┼─► dexdump, the runtime ─┼─► agreed, explained, or disputed
//!                         └─► apksigner ────────────┘
//! ```
//!
//! A change is one of thousands that a broken tool or a flipped bit makes, in one place of one structure; checksums fit again, as a rule, so
//! that checkers look further. Whatever they disagree about is explained here ([`dispute`]) or a defect of one of them.

mod changed_file;
mod code_change;
mod dispute;
mod package_change;
mod real_files;
mod referee;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use wattle_random::SplitMix64;

use crate::{Verdict, flags, places};
use changed_file::{Kind, Subject};
use dispute::Judgement;
use referee::Referees;

const HELP: &str = "\
Usage: cargo xtask verdicts [OPTION…]

Changes real code and packages in one place each and compares the verdict of `wattle verify` with those of dexdump, of the Android
runtime and of apksigner. Fails if they disagree and nothing explains it.

  --count N         changes [default: 1000]
  --first N         the first one's number, so that runs can go on [default: 0]
  --only code|packages
  --program FILE    the program [default: $WATTLE_PROGRAM, else target/debug/wattle]
  --seed N          another seed [default: 1]
  --keep FOLDER     keep the files that are disputed";

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Options {
    count: Option<usize>,
    first: Option<u64>,
    only: Option<Kind>,
    program: Option<String>,
    seed: Option<u64>,
    keep: Option<PathBuf>,
    wants_help: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        options.wants_help = flags::read(arguments, HELP, |flag, value| {
            match flag {
                "--count" => options.count = Some(value.count()?),
                "--first" => options.first = Some(value.number()?),
                "--only" => options.only = Some(Kind::from_word(&value.text()?)?),
                "--program" => options.program = Some(value.text()?),
                "--seed" => options.seed = Some(value.number()?),
                "--keep" => options.keep = Some(value.text()?.into()),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(options)
    }
}

/// Runs `cargo xtask verdicts`.
pub fn run(arguments: &[String]) -> Result<Verdict> {
    let options = Options::parse(arguments)?;
    if options.wants_help {
        println!("{HELP}");
        return Ok(Verdict::Passed);
    }
    let place = tempfile::tempdir()?;
    let program = places::tested_program(options.program.as_deref())?;
    let data = places::data().context("no real code: $WATTLE_DATA")?;
    let referees = Referees::new(program, places::runtime())?;
    let subjects = real_files::subjects(&data, place.path(), &referees, options.only)?;
    if subjects.is_empty() {
        bail!("no code and no packages in {}", data.display());
    }
    if let Some(folder) = &options.keep {
        std::fs::create_dir_all(folder)?;
    }
    let started = Instant::now();
    let first = options.first.unwrap_or(0);
    let numbers: Vec<u64> = (first..).take(options.count.unwrap_or(1000)).collect();
    let trial =
        Trial { options: &options, subjects: &subjects, referees: &referees, place: place.path() };
    let threads = wattle_workers::available(0);
    let judged = wattle_workers::ordered(threads, &numbers, |number| trial.judge(*number));
    let judged: Vec<Judgement> = judged.into_iter().collect::<Result<_>>()?;
    Ok(print(&judged, started))
}

/// All that a change is judged with.
struct Trial<'a> {
    options: &'a Options,
    subjects: &'a [Subject],
    referees: &'a Referees,
    place: &'a Path,
}

impl Trial<'_> {
    fn judge(&self, number: u64) -> Result<Judgement> {
        let mut random = SplitMix64::new(self.options.seed.unwrap_or(1)).fork(number);
        let chosen = random.below(self.subjects.len() as u64) as usize;
        let subject = self.subjects.get(chosen).context("a subject")?;
        let (bytes, change) = match subject.kind {
            Kind::Code => code_change::change(&subject.bytes, &mut random),
            Kind::Packages => package_change::change(&subject.bytes, &mut random),
        };
        let path = self.place.join(format!("{number}.{}", subject.kind.extension()));
        std::fs::write(&path, &bytes)?;
        let ours = self.referees.wattle(&path, subject.kind)?;
        let theirs = self.referees.others(&path, subject)?;
        let judgement = Judgement::new(&ours, &theirs, &subject.known);
        if let Judgement::Disputed(dispute) = &judgement {
            println!("{number}  {}: {change}\n    {dispute}", subject.name);
            if let Some(folder) = &self.options.keep {
                std::fs::copy(&path, folder.join(path.file_name().unwrap_or_default()))?;
            }
        }
        std::fs::remove_file(&path)?;
        Ok(judgement)
    }
}

fn print(judged: &[Judgement], started: Instant) -> Verdict {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for judgement in judged {
        *counts.entry(judgement.to_string()).or_default() += 1;
    }
    for (what, count) in &counts {
        println!("{count:>7}  {what}");
    }
    let disputed = judged.iter().filter(|it| matches!(it, Judgement::Disputed(_))).count();
    let seconds = started.elapsed().as_secs_f64();
    let rate = judged.len() as f64 / seconds;
    println!(
        "{} changes in {seconds:.0} s ({:.0} in eight hours), {disputed} disputed",
        judged.len(),
        rate * 8.0 * 3600.0
    );
    if disputed == 0 && !judged.is_empty() { Verdict::Passed } else { Verdict::Failed }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Options};

    #[test]
    fn flags_are_read() {
        let words = ["--count", "3", "--only", "code"].map(str::to_owned);
        let options = Options::parse(&words).expect("valid");
        assert_eq!((options.count, options.only), (Some(3), Some(Kind::Code)));
        assert!(Options::parse(&["--only".to_owned(), "words".to_owned()]).is_err());
    }
}
