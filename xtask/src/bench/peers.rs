//! Whole commands beside other tools and beside what is wanted of them, as a table for `docs/performance.md`.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::bench_inputs::Inputs;
use super::contests::{CONTESTS, Contest, Goal};
use super::measured_run::{Outcome, measure};
use super::run_statistics::{Runs, megabytes, seconds};
use super::{Options, programs};
use crate::ci::is_program;
use crate::repository;

/// The document, and the lines between which its table stands.
const DOCUMENT: &str = "docs/performance.md";
const BEGIN: &str = "<!-- cargo xtask bench --peers: begin -->";
const END: &str = "<!-- cargo xtask bench --peers: end -->";

/// The figures of one contest.
#[derive(Clone, PartialEq, Debug)]
struct Figures {
    contest: Contest,
    /// Bytes of the input.
    bytes: Option<u64>,
    ours: Runs,
    /// The peer's runs, or why there are none.
    peer: Option<std::result::Result<Runs, String>>,
    /// The reason why our command failed.
    failure: Option<String>,
}

/// Runs all contests, prints the table, and with `--write` puts it into the document.
pub fn run(options: &Options) -> Result<()> {
    let program = match &options.program {
        Some(program) => program.into(),
        None => programs::of_working_tree()?,
    };
    let mut inputs = Inputs::new()?;
    let mut all: Vec<Figures> = Vec::new();
    for contest in CONTESTS.iter().filter(|contest| options.includes(contest.name)) {
        match figures(*contest, &program, &mut inputs, options.rounds())? {
            Some(figures) => {
                println!("{}", row(&figures, &all));
                all.push(figures);
            }
            None => println!("| {} | its recording is not here |", contest.name),
        }
    }
    let table = table(&all, options.rounds())?;
    println!("\n{table}");
    if options.writes {
        write(&table)?;
    }
    Ok(())
}

/// Runs one contest, both programs in turns; `None` if its recording is not here.
fn figures(
    contest: Contest,
    program: &Path,
    inputs: &mut Inputs,
    rounds: usize,
) -> Result<Option<Figures>> {
    let input = match contest.input {
        Some(input) => match inputs.file(input)? {
            Some(file) => Some(file),
            None => return Ok(None),
        },
        None => None,
    };
    let bytes = input.as_ref().and_then(|file| Some(file.metadata().ok()?.len()));
    let input = input.unwrap_or_default();
    let out = inputs.folder().join("out");
    let replaced = |text: &str| {
        text.replace("IN", &input.to_string_lossy()).replace("OUT", &out.to_string_lossy())
    };
    let arguments: Vec<String> = contest.command.split(' ').map(replaced).collect();
    let mut peer = contest.peer.map(|peer| {
        if is_program(peer.program) {
            Ok(Runs::default())
        } else {
            Err(format!("{} is not here", peer.program))
        }
    });
    let (mut ours, mut failure) = (Runs::default(), None);
    // The first round warms the file cache.
    for round in 0..=rounds {
        match measure(program, &arguments)? {
            Outcome::Done(usage) if round > 0 => ours.push(usage),
            Outcome::Done(_) => {}
            Outcome::Unknown(reason) | Outcome::Failed(reason) => failure = Some(reason),
        }
        if let (Some(of), Some(Ok(runs))) = (contest.peer, &mut peer) {
            // Ours say by 1 that a check failed; a peer that does has done nothing.
            let line = ["-c".to_owned(), format!("{} || exit 9", replaced(of.line))];
            match measure(Path::new("/bin/sh"), &line)? {
                Outcome::Done(usage) if round > 0 => runs.push(usage),
                Outcome::Done(_) => {}
                Outcome::Unknown(reason) | Outcome::Failed(reason) => {
                    peer = Some(Err(format!("{}: {reason}", of.program)));
                }
            }
        }
        if failure.is_some() {
            break;
        }
    }
    Ok(Some(Figures { contest, bytes, ours, peer, failure }))
}

/// The figure that a goal is about, in words, and whether it is reached; `None` where it cannot be said.
fn judged(of: &Figures, before: &[Figures]) -> Option<(String, bool)> {
    let cpu = of.ours.least_cpu();
    let judged = match of.contest.goal {
        Goal::TimesPeer(least) => {
            let Some(Ok(peer)) = &of.peer else { return None };
            let times = peer.least_cpu() / cpu;
            (format!("{times:.1} times, wanted {least}"), times >= least)
        }
        Goal::Megabytes(least) => {
            let rate = of.bytes? as f64 / 1e6 / cpu;
            (format!("{rate:.0} MB/s, wanted {least:.0}"), rate >= least)
        }
        Goal::Milliseconds(most) => {
            (format!("{:.1} ms, wanted {most:.0}", cpu * 1e3), cpu * 1e3 <= most)
        }
        Goal::TimesOwn(other, most) => {
            let other_runs = &before.iter().find(|it| it.contest.name == other)?.ours;
            let times = cpu / other_runs.least_cpu();
            (format!("{times:.2} times {other}, wanted {most}"), times <= most)
        }
    };
    cpu.is_finite().then_some(judged)
}

/// A row of the table.
fn row(of: &Figures, before: &[Figures]) -> String {
    let size = of.bytes.map_or("–".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1e6));
    let ours = match &of.failure {
        Some(reason) => format!("failed: {reason}"),
        None => seconds(of.ours.least_cpu()),
    };
    let rate = of.bytes.filter(|_| of.failure.is_none());
    let rate = rate.map_or("–".to_owned(), |bytes| {
        format!("{:.0}", bytes as f64 / 1e6 / of.ours.least_cpu())
    });
    let peak =
        if of.failure.is_none() { megabytes(of.ours.median_peak()) } else { "–".to_owned() };
    let peer = match (&of.peer, of.contest.peer) {
        (Some(Ok(runs)), Some(peer)) => {
            let (cpu, peak) = (seconds(runs.least_cpu()), megabytes(runs.median_peak()));
            format!("{} {cpu}, {peak}", peer.program)
        }
        (Some(Err(reason)), _) => reason.clone(),
        _ => "–".to_owned(),
    };
    let verdict = match judged(of, before) {
        Some((words, true)) => format!("{words}: reached"),
        Some((words, false)) => format!("{words}: **not reached**"),
        None => "–".to_owned(),
    };
    format!("| {} | {size} | {ours} | {rate} | {peak} | {peer} | {verdict} |", of.contest.name)
}

/// The whole table with the program that it is of.
fn table(all: &[Figures], rounds: usize) -> Result<String> {
    let commit = repository::git(&["rev-parse", "--short", "HEAD"])?;
    let date = repository::git(&["log", "-1", "--format=%cs"])?;
    let is_clean = repository::git(&["status", "--porcelain"])?.trim().is_empty();
    let changed = if is_clean { "" } else { ", with changes" };
    let mut text = format!(
        "Commit {}{changed}, of {}. CPU time is user + system of all threads, the least of {rounds} runs in turns; memory is the median peak.\n\n",
        commit.trim(),
        date.trim()
    );
    text.push_str(
        "| work | input, MB | Wattle, CPU | MB per CPU s | peak | beside it | result |\n|---|---|---|---|---|---|---|\n",
    );
    for (at, figures) in all.iter().enumerate() {
        let _ = writeln!(text, "{}", row(figures, &all[..at]));
    }
    Ok(text)
}

/// Puts the table into the document, in the place of the one before.
fn write(table: &str) -> Result<()> {
    let path = repository::root().join(DOCUMENT);
    let text = std::fs::read_to_string(&path).context(DOCUMENT)?;
    let text = replaced(&text, table).with_context(|| format!("{DOCUMENT}: no line {BEGIN}"))?;
    std::fs::write(&path, text).context(DOCUMENT)
}

fn replaced(text: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{table}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measured_run::Usage;

    fn runs(cpu_seconds: f64) -> Runs {
        let mut runs = Runs::default();
        runs.push(Usage { cpu_seconds, peak_bytes: 4e6 });
        runs
    }

    fn contest(name: &'static str, goal: Goal) -> Contest {
        Contest { name, input: None, command: "", peer: None, goal }
    }

    fn of(contest: Contest, cpu: f64) -> Figures {
        Figures { contest, bytes: Some(10_000_000), ours: runs(cpu), peer: None, failure: None }
    }

    #[test]
    fn goals_are_judged() {
        let own = of(contest("own", Goal::Megabytes(20.0)), 0.4);
        let check = |goal, cpu: f64, expected: Option<(&str, bool)>| {
            let figures = Figures { peer: Some(Ok(runs(1.0))), ..of(contest("x", goal), cpu) };
            let found = judged(&figures, std::slice::from_ref(&own));
            assert_eq!(found.as_ref().map(|(words, is)| (words.as_str(), *is)), expected);
        };
        check(Goal::TimesPeer(5.0), 0.1, Some(("10.0 times, wanted 5", true)));
        check(Goal::TimesPeer(5.0), 0.5, Some(("2.0 times, wanted 5", false)));
        check(Goal::Megabytes(30.0), 0.25, Some(("40 MB/s, wanted 30", true)));
        check(Goal::Milliseconds(5.0), 0.006, Some(("6.0 ms, wanted 5", false)));
        check(Goal::TimesOwn("own", 1.3), 0.5, Some(("1.25 times own, wanted 1.3", true)));
        check(Goal::TimesOwn("none", 1.3), 0.5, None);
        let without = of(contest("x", Goal::TimesPeer(5.0)), 0.1);
        assert_eq!(judged(&without, &[]), None);
    }

    #[test]
    fn a_failure_is_no_figure() {
        let mut figures = of(contest("x", Goal::Megabytes(1.0)), 0.1);
        figures.ours = Runs::default();
        figures.failure = Some("exit code 3".to_owned());
        figures.peer = Some(Err("perf is not here".to_owned()));
        let row = row(&figures, &[]);
        assert_eq!(row, "| x | 10.0 | failed: exit code 3 | – | – | perf is not here | – |");
    }

    #[test]
    fn the_table_takes_the_place_of_the_one_before() {
        let text = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        assert_eq!(
            replaced(&text, "new\n").expect("a place"),
            format!("a\n{BEGIN}\n\nnew\n\n{END}\nb\n")
        );
        assert_eq!(replaced("no place", "new"), None);
    }
}
