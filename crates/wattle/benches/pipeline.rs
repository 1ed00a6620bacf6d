//! `cargo bench`: CPU seconds, MB per CPU second and peak memory of reading and of the whole report.
//!
//! Each figure comes from a process of its own, so that peak memory is that of the one piece of work, and
//! CPU time is user + system of all its threads. `cargo bench -- --quick` leaves the 1 GB trace out;
//! `cargo bench -- NAME` runs the inputs whose name contains NAME.

// A bench prints its results, and there is nobody to hand an error to.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

mod repeat;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Last stage of a measured process: each stage contains the ones before it.
const STAGES: [&str; 4] = ["read", "power", "ledger", "report"];
/// Runs of each figure; the median is printed.
const RUNS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, stage, path] = arguments.as_slice()
        && flag == "--one"
    {
        measure_one(stage, Path::new(path));
        return;
    }
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let wanted: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();

    println!(
        "{:<28} {:<7} {:>9} {:>8} {:>8} {:>9} {:>9} {:>11} {:>9}",
        "input", "stage", "MB", "CPU s", "wall s", "MB/CPU s", "peak MB", "events", "B/event"
    );
    let folder = tempfile::tempdir().expect("temporary folder");
    for (name, path) in inputs(folder.path(), quick, &wanted) {
        for stage in STAGES {
            let mut runs: Vec<Figures> = (0..RUNS).map(|_| run(stage, &path)).collect();
            runs.sort_by(|a, b| a.cpu_s.total_cmp(&b.cpu_s));
            let figures = &runs[RUNS / 2];
            let megabytes = std::fs::metadata(&path).expect("input").len() as f64 / 1e6;
            println!(
                "{name:<28} {stage:<7} {megabytes:>9.1} {:>8.2} {:>8.2} {:>9} {:>9.0} {:>11} {:>9.1}",
                figures.cpu_s,
                figures.wall_s,
                rate(megabytes, figures.cpu_s),
                figures.peak_bytes / 1e6,
                figures.events,
                figures.peak_bytes / figures.events.max(1) as f64,
            );
        }
    }
}

/// The inputs: the real traces that are at hand, the Pixel 6a trace 10 and 100 times over, and a simulated
/// gigabyte.
fn inputs(folder: &Path, quick: bool, wanted: &[&String]) -> Vec<(String, PathBuf)> {
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(&***w));
    let mut inputs = Vec::new();
    let real = ["api32_startup_warm_pixel6a", "ms_cpu_sampling", "studio_perflib_ftrace"];
    for name in real {
        if is_wanted(name)
            && let Some(path) = wattle_testdata::find(&format!("perfetto/{name}.perfetto-trace"))
        {
            inputs.push((name.to_owned(), path));
        }
    }
    for times in [10, 100] {
        let name = format!("pixel6a x{times}");
        if !is_wanted(&name) {
            continue;
        }
        let trace = wattle_testdata::read("perfetto/api32_startup_warm_pixel6a.perfetto-trace");
        if let Some(trace) = trace {
            let path = folder.join(format!("x{times}.perfetto-trace"));
            std::fs::write(&path, repeat::repeat(&trace, times, 2_000_000_000)).expect("input");
            inputs.push((name, path));
        }
    }
    if !quick && is_wanted("simulated 1 GB") {
        let path = folder.join("simulated.perfetto-trace");
        let file = std::io::BufWriter::new(std::fs::File::create(&path).expect("input"));
        wattle_sim::write_big(1_000_000_000, 1, file).expect("simulated trace");
        inputs.push(("simulated 1 GB".to_owned(), path));
    }
    inputs
}

/// The kernel counts CPU time in hundredths of a second: below ten of them a rate says nothing.
fn rate(megabytes: f64, cpu_s: f64) -> String {
    if cpu_s < 0.1 { "–".to_owned() } else { format!("{:.0}", megabytes / cpu_s) }
}

struct Figures {
    cpu_s: f64,
    wall_s: f64,
    peak_bytes: f64,
    events: u64,
}

fn run(stage: &str, path: &Path) -> Figures {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program).arg("--one").arg(stage).arg(path).output().expect("child");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("figures");
    let mut figures = text.split_whitespace().map(|word| word.parse::<f64>().expect("a number"));
    let mut next = || figures.next().expect("four figures");
    Figures { cpu_s: next(), wall_s: next(), peak_bytes: next(), events: next() as u64 }
}

/// The measured work, in a process of its own; prints CPU seconds, wall seconds, peak bytes, events.
fn measure_one(stage: &str, path: &Path) {
    let started = std::time::Instant::now();
    let timeline = wattle_ingest::read_paths(&[path.to_path_buf()]).expect("a trace");
    let events: u64 = timeline
        .quality
        .artifacts
        .iter()
        .flat_map(|artifact| artifact.events.values().chain(artifact.unread.values()))
        .sum();
    if stage != "read" {
        let options = wattle_power::PowerOptions::default();
        let estimate = wattle_power::estimate(&timeline, &options).expect("an estimate");
        if stage != "power" {
            let options = wattle_ledger::AttributionOptions::default();
            let ledger =
                wattle_ledger::attribute(&timeline, &estimate, &options).expect("a ledger");
            if stage != "ledger" {
                let options = wattle_report::ReportOptions::default();
                std::hint::black_box(wattle_report::terminal(
                    &wattle_report::Report::new(&ledger, &options),
                    &options,
                ));
            }
            std::hint::black_box(&ledger);
        }
        std::hint::black_box(&estimate);
    }
    std::hint::black_box(&timeline);
    println!("{} {} {} {events}", cpu_seconds(), started.elapsed().as_secs_f64(), peak_bytes());
}

/// User and system time of this process in seconds, fields 14 and 15 of `/proc/self/stat`, which counts
/// in hundredths.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 =
        after_name.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<f64>().ok()).sum();
    ticks / 100.0
}

/// `VmHWM` of `/proc/self/status`.
fn peak_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(f64::NAN)
        * 1024.0
}
