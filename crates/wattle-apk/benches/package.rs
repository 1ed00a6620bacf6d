//! `cargo bench -p wattle-apk --bench package`: CPU time, by stage, and peak memory from a package to the same package with
//! probes in every method, aligned and signed.
//!
//! Each figure comes from a process of its own that does the work once, as the tool does: nothing is warm. CPU time
//! is that of the whole process, all threads. Inputs are packages of the test data, or the `.apk` files whose paths are
//! given behind `--`; `--level N` sets the level of deflate and `--key rsa|ec` the key.

#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a bench prints, and fails by panicking"
)]

#[path = "../../wattle-dex/benches/wrap/mod.rs"]
mod wrap;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Instant, SystemTime};

use wattle_apk::{
    Apk, ApkEditor, Compression, GeneratedKey, SignOptions, load_or_create_debug_key, sign_edited,
};
use wattle_dex::{Dex, DexFile, Verifier};

const STAGES: [&str; 7] = ["read", "intern", "rewrite", "verify", "key", "sign", "store"];
/// Runs of each figure; the median is printed.
const RUNS: usize = 7;

/// The ways in which packages are made.
#[derive(Clone)]
struct Setting {
    level: u8,
    key: GeneratedKey,
    folder: PathBuf,
}

fn main() {
    let mut arguments: Vec<String> =
        std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let mut option = |name: &str, default: &str| match arguments.iter().position(|it| it == name) {
        Some(at) => arguments.drain(at..at + 2).nth(1).expect("a value"),
        None => default.to_owned(),
    };
    let level = option("--level", "3").parse().expect("a level");
    let kind = option("--key", "rsa");
    let folder = option("--folder", "");
    let one = option("--one", "");
    let key = if kind == "ec" { GeneratedKey::EcP256 } else { GeneratedKey::Rsa2048 };
    if !one.is_empty() {
        return measure_one(Path::new(&one), &Setting { level, key, folder: folder.into() });
    }
    let folder = std::env::temp_dir().join(format!("wattle-package-{}", std::process::id()));
    let setting = Setting { level, key, folder: folder.clone() };
    load_or_create_debug_key(&folder, key, SystemTime::now()).expect("a key");
    println!("level {level}, {kind} key");
    print!("{:<32} {:>7}", "input", "dex MB");
    for stage in STAGES {
        print!(" {stage:>8}");
    }
    println!(
        " {:>8} {:>9} {:>8} {:>8} {:>8}",
        "CPU ms", "MB/CPU s", "peak/dex", "wall ms", "apk MB"
    );
    for path in inputs(arguments) {
        report(&path, &setting, &kind);
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
}

fn report(path: &Path, setting: &Setting, kind: &str) {
    let runs: Vec<Vec<f64>> = (0..RUNS).map(|_| run(path, setting, kind)).collect();
    let column = |index: usize| {
        let mut figures: Vec<f64> = runs.iter().map(|run| run[index]).collect();
        figures.sort_by(f64::total_cmp);
        figures[RUNS / 2]
    };
    let rest = STAGES.len();
    let (dex, peak, wall, cpu, size) =
        (column(rest), column(rest + 1), column(rest + 2), column(rest + 3), column(rest + 4));
    let name =
        path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    print!("{name:<32} {:>7.2}", dex / 1e6);
    for stage in 0..rest {
        print!(" {:>8.2}", column(stage) / 1e6);
    }
    println!(
        " {:>8.1} {:>9.1} {:>8.2} {:>8.1} {:>8.2}",
        cpu / 1e6,
        dex * 1e3 / cpu,
        peak / dex,
        wall / 1e6,
        size / 1e6
    );
}

/// Figures of one process: CPU nanoseconds of each stage, bytes of code, peak bytes, wall and CPU nanoseconds of the
/// whole process, bytes of the package.
fn run(path: &Path, setting: &Setting, kind: &str) -> Vec<f64> {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--level", &setting.level.to_string(), "--key", kind, "--folder"])
        .arg(&setting.folder)
        .arg("--one")
        .arg(path)
        .output()
        .expect("child");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("figures");
    text.split_whitespace().map(|word| word.parse().expect("a number")).collect()
}

/// The measured work, in a process of its own.
fn measure_one(path: &Path, setting: &Setting) {
    let started = Instant::now();
    let (mut last, mut stages) = (0, [0; STAGES.len()]);
    let mut lap = |stage: usize| {
        let now = cpu_nanos();
        stages[stage] += now - last;
        last = now;
    };
    let bytes = std::fs::read(path).expect("input");
    let apk = Apk::open(&bytes).expect("a package");
    let mut editor = ApkEditor::new(&apk);
    let mut size = 0;
    for name in code_names(&apk) {
        let source = apk.read(&name).expect("code");
        size += source.len();
        lap(0);
        let dex = Dex::parse(&source).expect("an executable");
        let mut file = DexFile::edit(&dex);
        let (probes, labels) = wrap::intern(&mut file, &dex).expect("labels");
        lap(1);
        let rewritten = wrap::rewrite(&file, &dex, probes, &labels).expect("an executable");
        lap(2);
        let again = Dex::parse(&rewritten.bytes).expect("an executable");
        let verification = Verifier::new(&again).all(2);
        assert_eq!(verification.defects, Vec::new());
        assert!(rewritten.methods as u64 <= verification.methods);
        lap(3);
        editor
            .replace(&name, rewritten.bytes, Compression::Level(setting.level))
            .expect("an entry");
    }
    lap(3);
    let key = load_or_create_debug_key(&setting.folder, setting.key, SystemTime::now());
    let key = key.expect("the key");
    lap(4);
    let signed = sign_edited(editor, &key, &SignOptions::for_min_sdk(18)).expect("a package");
    lap(5);
    std::fs::write(setting.folder.join("out.apk"), &signed).expect("a file");
    lap(6);
    let (wall, cpu) = (started.elapsed().as_nanos(), cpu_nanos());
    for nanos in stages {
        print!("{nanos} ");
    }
    println!("{size} {} {wall} {cpu} {}", peak_bytes(), signed.len());
}

fn code_names(apk: &Apk<'_>) -> Vec<String> {
    apk.code_entries().map(|entry| entry.name().to_owned()).collect()
}

/// User and system time of this process, all threads.
fn cpu_nanos() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// `VmHWM` of `/proc/self/status`.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Packages that are given, else some of the test data.
fn inputs(given: Vec<String>) -> Vec<PathBuf> {
    if !given.is_empty() {
        return given.into_iter().map(PathBuf::from).collect();
    }
    ["androguard-a2dp.Vol_137", "androguard-app-prod-debug", "nowinandroid-release-b227394536"]
        .iter()
        .filter_map(|name| wattle_testdata::find(&format!("apk/{name}.apk")))
        .collect()
}
