//! `cargo xtask hostile`: files that no well-behaved program writes, through the commands that read them, under limits.
//!
//! ```text
//! real recordings ─damage─┐
//! crafted files ──────────┼─► corpus ──each file × commands──► wattle under limits ──► defects
//! bombs ──────────────────┘
//! ```
//!
//! A run is a defect if it ends by a signal, panics, takes more than 10 s of CPU or 600 MB of memory, or has an exit code that is not
//! documented for input.

#![allow(
    clippy::struct_excessive_bools,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::large_stack_arrays,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "a program of developers: flags are flags, and files are made by hand"
)]

mod bombs;
mod commands;
mod crafted;
mod crafted_packages;
mod damage_kind;
mod hostile_file;
mod limited_run;
mod packed_parts;
mod proto_writer;
mod seeds;
pub(crate) mod zip_writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use wattle_random::SplitMix64;

use crate::{Verdict, flags, places};
use commands::{Companions, commands};
use hostile_file::{HostileFile, Reader};
use limited_run::LimitedRun;

const HELP: &str = "\
Usage: cargo xtask hostile [OPTION…]

Makes files that no well-behaved program writes and runs the commands that read them: exit codes 0 to 4, no signal, at most 10 s of
CPU and 600 MB of memory.

  --all             every command for each file, instead of one or two that
                    change from file to file
  --program FILE    the program [default: $WATTLE_PROGRAM, else target/debug/wattle]
  --only TEXT       files whose name contains TEXT (repeatable)
  --command NAME    runs of this command only, such as report
  --every N         each Nth file only
  --folder FOLDER   write the files here and keep them
  --seed N          another seed of the damage [default: 1]
  --rounds N        so many damaged files for each kind of damage [default: 1]
  --slowest         list the runs that took most CPU and memory
  --list            the names of the files, without running anything";

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Options {
    all: bool,
    program: Option<String>,
    only: Vec<String>,
    command: Option<String>,
    every: Option<usize>,
    folder: Option<String>,
    seed: Option<u64>,
    rounds: Option<usize>,
    slowest: bool,
    lists: bool,
    wants_help: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        options.wants_help = flags::read(arguments, HELP, |flag, value| {
            match flag {
                "--all" => options.all = true,
                "--program" => options.program = Some(value.text()?),
                "--only" => options.only.push(value.text()?),
                "--command" => options.command = Some(value.text()?),
                "--every" => options.every = Some(value.count()?),
                "--folder" => options.folder = Some(value.text()?),
                "--seed" => options.seed = Some(value.number()?),
                "--rounds" => options.rounds = Some(value.count()?),
                "--slowest" => options.slowest = true,
                "--list" => options.lists = true,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(options)
    }

    fn includes(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part.as_str()))
    }
}

/// Runs `cargo xtask hostile`.
pub fn run(arguments: &[String]) -> Result<Verdict> {
    if let [flag, command @ ..] = arguments
        && flag == limited_run::FLAG
    {
        return limited_run::run_inner(command).map(|()| Verdict::Passed);
    }
    let options = Options::parse(arguments)?;
    if options.wants_help {
        println!("{HELP}");
        return Ok(Verdict::Passed);
    }
    let place = tempfile::tempdir()?;
    let program = places::tested_program(options.program.as_deref())?;
    let data = places::data().context("no real recordings: $WATTLE_DATA")?;
    let (files, companions) = corpus(&options, &program, &data, place.path())?;
    if options.lists {
        for file in &files {
            println!("{:?}  {}", file.reader, file.name);
        }
        return Ok(Verdict::Passed);
    }
    let folder = options.folder.as_ref().map_or_else(|| place.path().join("files"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let planned = plan(&options, &files, &folder)?;
    let runner = Runner { program, companions, place: place.path().to_owned() };
    let results = runner.run_all(&planned, &options)?;
    Ok(print(&options, files.len(), &results))
}

/// The files, and the well-formed ones that stand beside them.
fn corpus(
    options: &Options,
    program: &Path,
    data: &Path,
    place: &Path,
) -> Result<(Vec<HostileFile>, Companions)> {
    let mut files = Vec::new();
    let seeds = seeds::seeds(data, program, place)?;
    let random = SplitMix64::new(options.seed.unwrap_or(1));
    for (nth, seed) in seeds.iter().enumerate() {
        for round in 0..options.rounds.unwrap_or(1) {
            for (kind, damage) in seed.damage.iter().enumerate() {
                let mut random =
                    random.fork((nth as u64) << 32 | (round as u64) << 16 | kind as u64);
                let bytes = damage.apply(&seed.bytes, &mut random);
                let name = format!("{nth}-{round}-{kind}-{}-{}", damage.name(), seed.name);
                files.push(HostileFile::new(name, seed.reader, bytes));
            }
        }
    }
    files.extend(crafted::crafted());
    files.extend(bombs::bombs());
    files.extend(packed_parts::packed_parts());
    let different: std::collections::BTreeSet<_> = files.iter().map(|file| &file.name).collect();
    if different.len() != files.len() {
        bail!("{} names for {} files", different.len(), files.len());
    }
    files.retain(|file| options.includes(&file.name));
    if let Some(every) = options.every {
        files = files.into_iter().step_by(every).collect();
    }
    let path = |name: &str| data.join(name).display().to_string();
    let companions = Companions {
        trace: path("perfetto/rails/rails_only_pixel7a_pixel7_5G_standby_0.perfetto-trace"),
        samples: path("perfdata/simpleperf-perf_g_fp.data"),
        code: path("dex/smali-accessorTest.dex"),
        ledger: place.join("seed.ledger.json.zst").display().to_string(),
    };
    Ok((files, companions))
}

/// A file on disk, and which of its commands are run: all, or the ones of its turn.
struct Planned {
    path: PathBuf,
    reader: Reader,
    turn: Option<usize>,
}

fn plan(options: &Options, files: &[HostileFile], folder: &Path) -> Result<Vec<Planned>> {
    let mut planned = Vec::new();
    for (nth, file) in files.iter().enumerate() {
        let path = file.write(folder)?;
        let turn = Some(nth).filter(|_| !options.all);
        planned.push(Planned { path, reader: file.reader, turn });
    }
    Ok(planned)
}

/// A run and its end.
struct Finished {
    arguments: Vec<String>,
    run: LimitedRun,
}

struct Runner {
    program: PathBuf,
    companions: Companions,
    place: PathBuf,
}

impl Runner {
    /// Runs the commands of all files, as many at a time as there are CPUs.
    fn run_all(&self, planned: &[Planned], options: &Options) -> Result<Vec<Finished>> {
        let threads = wattle_workers::available(0);
        let runs = wattle_workers::ordered(threads, planned, |file| self.run_file(file, options));
        let runs: Vec<Vec<Finished>> = runs.into_iter().collect::<Result<_>>()?;
        Ok(runs.into_iter().flatten().collect())
    }

    fn run_file(&self, file: &Planned, options: &Options) -> Result<Vec<Finished>> {
        let out = tempfile::tempdir_in(&self.place)?;
        let mut list = commands(file.reader, &file.path, out.path(), &self.companions);
        if let Some(name) = &options.command {
            list.retain(|arguments| arguments.first() == Some(name));
        }
        if let Some(turn) = file.turn {
            list = chosen(list, turn);
        }
        let mut finished = Vec::new();
        for arguments in list {
            let folder = tempfile::tempdir_in(&self.place)?;
            let run = LimitedRun::start(&self.program, &arguments, folder.path())?;
            if let Some(defect) = run.defect() {
                println!("{defect}: wattle {}", arguments.join(" "));
                run.message.lines().take(3).for_each(|line| println!("    {line}"));
            }
            finished.push(Finished { arguments, run });
        }
        Ok(finished)
    }
}

/// One command of a file, and for each eighth file a second one: another one from file to file.
fn chosen(mut list: Vec<Vec<String>>, turn: usize) -> Vec<Vec<String>> {
    let count = list.len().max(1);
    let mut wanted = vec![turn % count];
    if turn.is_multiple_of(8) {
        wanted.push((turn / 8 + count / 2) % count);
    }
    wanted.dedup();
    let mut nth = 0;
    list.retain(|_| {
        nth += 1;
        wanted.contains(&(nth - 1))
    });
    list
}

fn print(options: &Options, files: usize, results: &[Finished]) -> Verdict {
    let mut by_code: BTreeMap<String, usize> = BTreeMap::new();
    for finished in results {
        let code =
            finished.run.code.map_or("signal".to_owned(), |code| format!("exit code {code}"));
        *by_code.entry(code).or_default() += 1;
    }
    for (code, count) in &by_code {
        println!("{count:>6}  {code}");
    }
    let line = |finished: &Finished| {
        let (run, arguments) = (&finished.run, finished.arguments.join(" "));
        println!("{:>6.2} s {:>5} MB  {arguments}", run.cpu_seconds, run.peak_bytes / 1_000_000);
    };
    if options.slowest {
        let mut sorted: Vec<_> = results.iter().collect();
        sorted.sort_by(|a, b| b.run.cpu_seconds.total_cmp(&a.run.cpu_seconds));
        sorted.iter().take(12).for_each(|it| line(it));
        sorted.sort_by_key(|it| std::cmp::Reverse(it.run.peak_bytes));
        sorted.iter().take(12).for_each(|it| line(it));
    }
    let peak = results.iter().map(|it| it.run.peak_bytes).max().unwrap_or(0);
    let defects = results.iter().filter(|it| it.run.defect().is_some()).count();
    println!(
        "{files} files, {} runs, {defects} defects, peak {} MB",
        results.len(),
        peak / 1_000_000
    );
    if defects == 0 && !results.is_empty() { Verdict::Passed } else { Verdict::Failed }
}

#[cfg(test)]
mod tests {
    use super::{Options, chosen};

    #[test]
    fn every_command_has_its_turn() {
        let list: Vec<Vec<String>> = (0..7).map(|nth| vec![nth.to_string()]).collect();
        let mut seen: Vec<_> = (0..7).flat_map(|turn| chosen(list.clone(), turn)).collect();
        assert_eq!(seen.len(), 8);
        seen.sort();
        seen.dedup();
        assert_eq!(seen, list);
        assert!(chosen(Vec::new(), 5).is_empty());
    }

    #[test]
    fn flags_are_read() {
        let words = ["--all", "--seed", "3", "--only", "a"].map(str::to_owned);
        let options = Options::parse(&words).expect("valid");
        assert!(options.all && options.includes("xay") && !options.includes("b"));
        assert_eq!(options.seed, Some(3));
        assert!(Options::parse(&["--none".to_owned()]).is_err());
    }
}
