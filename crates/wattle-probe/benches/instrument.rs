//! `cargo bench -p wattle-probe --bench instrument`: CPU time, wall time and peak memory from a package to the same package with
//! probes, signed, and how much larger it is.
//!
//! Each figure comes from a process of its own that does the work once, as the tool does: nothing is warm. CPU time
//! is that of the whole process, all threads. Inputs are packages of the test data, or the `.apk` files whose paths are
//! given behind `--`; `--join` takes the code of all of them together, `--copies N` that of each so many times, `--mode NAME`
//! measures one way of probing, `--repeat N` does the work so many times in one process, for a profiler.

#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a bench prints, and fails by panicking"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Instant, SystemTime};

use wattle_apk::{
    Alignment, Apk, ApkEditor, ApkSet, Compression, GeneratedKey, WrittenSet,
    load_or_create_debug_key,
};
use wattle_probe::{Mode, Options, PackageOptions, ShortMethods, instrument_packages};

/// Runs of each figure; the median is printed.
const RUNS: usize = 5;

/// Ways of probing.
const MODES: [&str; 4] = ["default", "all", "both-all", "all-short"];

fn main() {
    let mut arguments: Vec<String> =
        std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let mut option = |name: &str| {
        let at = arguments.iter().position(|it| it == name)?;
        arguments.drain(at..at + 2).nth(1)
    };
    let mode = option("--mode");
    let copies = option("--copies").map_or(1, |it| it.parse().expect("a number of copies"));
    let repeat = option("--repeat").map_or(1, |it| it.parse().expect("a number of times"));
    let folder = option("--folder").map(PathBuf::from);
    if let Some(path) = option("--one") {
        let folder = folder.expect("a folder");
        for _ in 0..repeat {
            measure_one(Path::new(&path), &folder, mode.as_deref().unwrap_or("default"));
        }
        return;
    }
    let join = arguments.iter().position(|it| it == "--join").map(|at| arguments.remove(at));
    let folder = std::env::temp_dir().join(format!("wattle-instrument-{}", std::process::id()));
    load_or_create_debug_key(&folder, GeneratedKey::Rsa2048, SystemTime::now()).expect("a key");
    println!(
        "{:<28} {:>7} {:<10} {:>8} {:>7} {:>7} {:>9} {:>8} {:>8}",
        "input", "code MB", "mode", "methods", "CPU s", "wall s", "MB/CPU s", "peak/MB", "growth %"
    );
    let modes: Vec<&str> = mode.as_deref().map_or_else(|| MODES.to_vec(), |mode| vec![mode]);
    for path in inputs(&arguments, join.is_some(), copies, &folder) {
        for mode in &modes {
            report(&path, &folder, mode);
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
}

/// Packages that are given, else some of the test data; with their code several times, or in one package.
fn inputs(given: &[String], join: bool, copies: usize, folder: &Path) -> Vec<PathBuf> {
    let given: Vec<PathBuf> = if given.is_empty() {
        ["androguard-a2dp.Vol_137", "appium-settings-debug-9dex", "droidbotApp"]
            .iter()
            .filter_map(|name| wattle_testdata::find(&format!("apk/{name}.apk")))
            .collect()
    } else {
        given.iter().map(PathBuf::from).collect()
    };
    if join {
        let (first, others) = given.split_first().expect("a package");
        return vec![joined(first, others, copies, folder)];
    }
    given.iter().map(|path| joined(path, &[], copies, folder)).collect()
}

/// A package with its code and that of others so many times.
fn joined(path: &Path, others: &[PathBuf], copies: usize, folder: &Path) -> PathBuf {
    if others.is_empty() && copies == 1 {
        return path.to_owned();
    }
    let bytes = std::fs::read(path).expect("a package");
    let apk = Apk::open(&bytes).expect("a package");
    let mut code = Vec::new();
    for path in std::iter::once(path).chain(others.iter().map(PathBuf::as_path)) {
        let bytes = std::fs::read(path).expect("a package");
        let apk = Apk::open(&bytes).expect("a package");
        for entry in apk.code_entries() {
            code.push(apk.read(entry.name()).expect("code"));
        }
    }
    let own = apk.code_entries().count();
    let mut editor = ApkEditor::new(&apk);
    for file in (0..copies).flat_map(|_| &code).skip(own) {
        let name = editor.next_code_name();
        editor.add(&name, file.as_slice(), Compression::Level(6)).expect("an entry");
    }
    let written = editor.finish(Alignment::default()).expect("a package");
    let name = path.file_stem().map_or_else(String::new, |it| it.to_string_lossy().into_owned());
    let path = folder.join(format!("{name}-x{copies}.apk"));
    std::fs::write(&path, written).expect("a file");
    path
}

fn report(path: &Path, folder: &Path, mode: &str) {
    let runs: Vec<(Vec<f64>, String)> = (0..RUNS).map(|_| run(path, folder, mode)).collect();
    let column = |index: usize| {
        let mut figures: Vec<f64> = runs.iter().map(|(run, _)| run[index]).collect();
        figures.sort_by(f64::total_cmp);
        figures[RUNS / 2]
    };
    let (code, methods, cpu, wall) = (column(0), column(1), column(2), column(3));
    let (peak, before, after) = (column(4), column(5), column(6));
    let name = path.file_stem().map_or_else(String::new, |it| it.to_string_lossy().into_owned());
    println!(
        "{name:<28} {:>7.2} {mode:<10} {methods:>8} {:>7.3} {:>7.3} {:>9.1} {:>8.2} {:>8.1}   {}",
        code / 1e6,
        cpu / 1e9,
        wall / 1e9,
        code * 1e3 / cpu,
        peak / code,
        (after / before - 1.0) * 100.0,
        runs[0].1,
    );
}

/// The figures of one process, and the milliseconds of its stages.
fn run(path: &Path, folder: &Path, mode: &str) -> (Vec<f64>, String) {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--mode", mode, "--folder"])
        .arg(folder)
        .arg("--one")
        .arg(path)
        .output()
        .expect("child");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("figures");
    let (figures, stages) = text.split_once(';').expect("stages");
    let figures = figures.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    (figures, stages.trim().to_owned())
}

fn options(mode: &str) -> Options {
    let mut options = Options::default();
    options.scope.all = mode != "default";
    if mode == "both-all" {
        options.mode = Mode::Both;
    }
    if mode == "all-short" {
        options.short_methods = ShortMethods::Probe;
    }
    options
}

/// The measured work: as the command does it, from the file to the file.
fn measure_one(path: &Path, folder: &Path, mode: &str) {
    let (started, cpu) = (Instant::now(), cpu_nanos());
    let bytes = std::fs::read(path).expect("a package");
    let before = bytes.len();
    let set =
        ApkSet::from_files(vec![(path.to_string_lossy().into_owned(), bytes)]).expect("a package");
    let key = load_or_create_debug_key(folder, GeneratedKey::Rsa2048, SystemTime::now());
    let mut package = PackageOptions::default();
    package.key = Some(key.expect("the key"));
    let mut done = instrument_packages(&set, &options(mode), &package).expect("a package");
    let WrittenSet::Files(files) = std::mem::replace(&mut done.packages, WrittenSet::Files(vec![]))
    else {
        panic!("expected a package of its own");
    };
    let written: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    for (_, bytes) in &files {
        std::fs::write(folder.join("out.apk"), bytes).expect("a file");
    }
    std::fs::write(folder.join("out.probes"), &done.code.map).expect("a file");
    let (wall, cpu) = (started.elapsed().as_nanos(), cpu_nanos() - cpu);
    let methods = done.code.counts.methods_probed;
    let code: u64 = set.members().iter().map(|member| code_bytes(&member.bytes)).sum();
    print!("{code} {methods} {cpu} {wall} {} {before} {written} ;", peak_bytes());
    for (stage, time) in &done.code.stages {
        print!(" {} {:.0}", stage.name(), time.as_secs_f64() * 1e3);
    }
    println!();
}

fn code_bytes(package: &[u8]) -> u64 {
    let apk = Apk::open(package).expect("a package");
    apk.code_entries().map(|entry| u64::from(entry.size())).sum()
}

/// User and system time of this process, all threads, in nanoseconds.
fn cpu_nanos() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// `VmHWM` of `/proc/self/status`, in bytes.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}
