//! `cargo xtask flips`: single damaged bits and bytes in real recordings, and whether the report says so.
//!
//! A flip that moves a total by more than 5 % is *noticed* if the report warns of something that the undamaged file's report does not,
//! or if the file is refused. The share of noticed flips is what plausibility checks of the readers are measured by.

mod report_totals;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use serde_json::Value;
use wattle_random::SplitMix64;

use crate::{Verdict, flags, places};
use report_totals::ReportTotals;

const HELP: &str = "\
Usage: cargo xtask flips [OPTION…]

Damages one bit or one byte of a real recording at a time and compares the totals of its report. Fails if less than 99 % of the flips
that move a total by more than 5 % are noticed.

  --flips N         flips for each file [default: 40]
  --only TEXT       files whose path contains TEXT (repeatable)
  --program FILE    the program [default: $WATTLE_PROGRAM, else target/debug/wattle]
  --seed N          another seed [default: 1]
  --silent          list each flip that moved a total silently: file, offset, bytes before and after
  --whole           print the warnings of the undamaged files only";

/// Flips for each file, unless a number is given.
const FLIPS: usize = 40;
/// The share of moving flips that have to be noticed.
const GOAL: f64 = 0.99;

/// Small and medium recordings of all binary formats and of statistics.
const FILES: &[&str] = &[
    "perfetto/rails/rails_only_pixel7a_pixel7_5G_standby_0.perfetto-trace",
    "perfetto/rails/rails_only_pixel7a_pixel7_camera_1.perfetto-trace",
    "perfetto/power_rails_pixel6pro.perfetto-trace",
    "perfetto/emanafa/trace-1626775333-1614351254.0",
    "perfetto/emanafa/trace-1623926538-1622418867.0",
    "perfetto/pairs/cpu-spin_before.pftrace",
    "perfdata/simpleperf-perf_g_fp.data",
    "perfdata/simpleperf-perf_with_add_counter.data",
    "perfdata/simpleperf-perf_b.data",
    "perfdata/simpleperf-perf.data",
    "perfdata/linux-perf-data-sleep.data",
    "perfdata/LinuxTracepoints-perf.data",
    "etl/perfview-SelfDescribingSingleEvent.etl",
    "etl/sawbuck-process_data_64_v3.etl",
    "etl/sawbuck-image_data_32_v1.etl",
    "etl/tx-Process.etl",
    "art_trace/perflib-basic.trace",
    "art_trace/perflib-basic-api10.trace",
    "art_trace/perflib-exception.trace",
    "art_trace/perflib-mismatched.trace",
    "batterystats/emanafa-energy_saving.log",
    "batterystats/navitas-batterystats-1.txt",
];

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Options {
    flips: Option<usize>,
    only: Vec<String>,
    program: Option<String>,
    seed: Option<u64>,
    lists_silent: bool,
    whole: bool,
    wants_help: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        options.wants_help = flags::read(arguments, HELP, |flag, value| {
            match flag {
                "--flips" => options.flips = Some(value.count()?),
                "--only" => options.only.push(value.text()?),
                "--program" => options.program = Some(value.text()?),
                "--seed" => options.seed = Some(value.number()?),
                "--silent" => options.lists_silent = true,
                "--whole" => options.whole = true,
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

/// One flip: where, and the byte there afterwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Flip {
    at: usize,
    byte: u8,
}

impl Flip {
    /// One bit inverted, or one byte replaced, as often.
    fn random(bytes: &[u8], random: &mut SplitMix64) -> Self {
        let at = random.below(bytes.len().max(1) as u64) as usize;
        let before = bytes.get(at).copied().unwrap_or(0);
        let byte = if random.chance(0.5) {
            before ^ (1 << random.below(8))
        } else {
            before.wrapping_add(1 + random.below(255) as u8)
        };
        Self { at, byte }
    }
}

/// A recording and its report before any damage.
struct Whole {
    name: &'static str,
    bytes: Vec<u8>,
    totals: ReportTotals,
}

/// Counts of one file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    flips: usize,
    moved: usize,
    noticed: usize,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.flips += other.flips;
        self.moved += other.moved;
        self.noticed += other.noticed;
    }
}

/// Runs `cargo xtask flips`.
pub fn run(arguments: &[String]) -> Result<Verdict> {
    let options = Options::parse(arguments)?;
    if options.wants_help {
        println!("{HELP}");
        return Ok(Verdict::Passed);
    }
    let program = places::tested_program(options.program.as_deref())?;
    let data = places::data().context("no real recordings: $WATTLE_DATA")?;
    let place = tempfile::tempdir()?;
    let mut wholes = Vec::new();
    for name in FILES.iter().filter(|name| options.includes(name)) {
        let bytes = std::fs::read(data.join(name)).context(*name)?;
        let totals = report(&program, &bytes, name, place.path())?;
        let totals = totals.with_context(|| format!("{name}: no report"))?;
        if options.whole {
            println!("{name}: {:?}", totals.warnings);
        }
        wholes.push(Whole { name, bytes, totals });
    }
    if options.whole {
        return Ok(Verdict::Passed);
    }
    let counts = flip_all(&wholes, &program, &options)?;
    Ok(print(&counts))
}

/// The report of these bytes; `None` if they are refused.
fn report(program: &Path, bytes: &[u8], name: &str, place: &Path) -> Result<Option<ReportTotals>> {
    let folder = tempfile::tempdir_in(place)?;
    let input = folder.path().join(Path::new(name).file_name().unwrap_or_default());
    let output = folder.path().join("report.json");
    std::fs::write(&input, bytes)?;
    let mut command = Command::new(program);
    command.arg("report").arg(&input).arg("--json").arg(&output).arg("--quiet");
    command
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if !command.status()?.success() {
        return Ok(None);
    }
    let report: Value = serde_json::from_slice(&std::fs::read(&output)?)?;
    Ok(Some(ReportTotals::new(&report)))
}

/// All flips of all files, as many at a time as there are CPUs.
fn flip_all(
    wholes: &[Whole],
    program: &Path,
    options: &Options,
) -> Result<BTreeMap<&'static str, Counts>> {
    let place = tempfile::tempdir()?;
    let each = options.flips.unwrap_or(FLIPS);
    let random = SplitMix64::new(options.seed.unwrap_or(1));
    let flip_one = |nth: usize| -> Result<(&'static str, Counts)> {
        let whole = &wholes[nth % wholes.len()];
        let flip = Flip::random(&whole.bytes, &mut random.fork(nth as u64));
        let mut bytes = whole.bytes.clone();
        let before = std::mem::replace(&mut bytes[flip.at], flip.byte);
        let damaged = report(program, &bytes, whole.name, place.path())?;
        let count = |moved, noticed| Ok((whole.name, Counts { flips: 1, moved, noticed }));
        let Some(damaged) = damaged else { return count(1, 1) };
        let Some((total, share)) = whole.totals.moved(&damaged) else { return count(0, 0) };
        if whole.totals.is_warned(&damaged) {
            return count(1, 1);
        }
        if options.lists_silent {
            let (name, at, after) = (whole.name, flip.at, flip.byte);
            println!("{name} {at} {before:#04x}->{after:#04x} {total} {:.0} %", share * 100.0);
        }
        count(1, 0)
    };
    let threads = wattle_workers::available(0);
    let mut counts = BTreeMap::<&str, Counts>::new();
    for flipped in wattle_workers::numbered(threads, each * wholes.len(), flip_one) {
        let (name, count) = flipped?;
        counts.entry(name).or_default().add(count);
    }
    Ok(counts)
}

fn print(counts: &BTreeMap<&'static str, Counts>) -> Verdict {
    println!("{:>6} {:>6} {:>8}", "flips", "moved", "noticed");
    let mut all = Counts::default();
    for (name, count) in counts {
        println!("{:>6} {:>6} {:>8}  {name}", count.flips, count.moved, count.noticed);
        all.add(*count);
    }
    let share = all.noticed as f64 / all.moved.max(1) as f64;
    println!(
        "{} flips, {} moved a total by more than 5 %, {} of them noticed: {:.1} %",
        all.flips,
        all.moved,
        all.noticed,
        share * 100.0
    );
    if all.moved > 0 && share < GOAL { Verdict::Failed } else { Verdict::Passed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flip_changes_its_byte() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut random = SplitMix64::new(7);
        for _ in 0..1000 {
            let flip = Flip::random(&bytes, &mut random);
            assert_ne!(bytes[flip.at], flip.byte);
        }
    }

    #[test]
    fn fewer_than_99_of_100_noticed_flips_fail() {
        let counts = |noticed| BTreeMap::from([("a", Counts { flips: 300, moved: 100, noticed })]);
        assert_eq!(print(&counts(99)), Verdict::Passed);
        assert_eq!(print(&counts(98)), Verdict::Failed);
    }
}
