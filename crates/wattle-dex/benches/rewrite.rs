//! `cargo bench -p wattle-dex --bench rewrite`: CPU time, by stage, and peak memory of putting probes into every method.
//!
//! Each figure comes from a process of its own that does the work once, as the tool does: nothing is warm. CPU time
//! is that of one thread; peak memory and wall time are those of two. Inputs are large executables of the test data,
//! or the `.dex` files whose paths are given behind `--`.

#![allow(missing_docs, clippy::print_stdout, clippy::expect_used, reason = "a bench prints")]

mod wrap;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use wattle_dex::{Dex, DexFile, Verifier};

const STAGES: [&str; 4] = ["intern", "rewrite", "verify", "drop"];
/// Runs of each figure; the median is printed.
const RUNS: usize = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    if let [flag, threads, path] = arguments.as_slice()
        && flag == "--one"
    {
        measure_one(threads.parse().expect("a number of threads"), Path::new(path));
        return;
    }
    print!("{:<36} {:>7}", "input", "MB");
    for stage in STAGES {
        print!(" {stage:>9}");
    }
    println!(" {:>9} {:>9} {:>9} {:>9}", "CPU ms", "MB/CPU s", "peak/dex", "wall ms");
    let folder = std::env::temp_dir().join(format!("wattle-rewrite-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, path) in inputs(&folder, &arguments) {
        report(&name, &path);
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
}

fn report(name: &str, path: &Path) {
    let bytes = std::fs::metadata(path).expect("input").len() as f64;
    let one = runs(1, path);
    let two = runs(2, path);
    print!("{name:<36} {:>7.2}", bytes / 1e6);
    let mut total = 0.0;
    for stage in 0..STAGES.len() {
        let ms = median(one.iter().map(|run| run[stage] / 1e6));
        total += ms;
        print!(" {ms:>9.2}");
    }
    let peak = median(two.iter().map(|run| run[STAGES.len()]));
    let wall = median(two.iter().map(|run| run[STAGES.len() + 1] / 1e6));
    println!(" {total:>9.2} {:>9.1} {:>9.2} {wall:>9.2}", bytes / 1e3 / total, peak / bytes);
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// CPU nanoseconds of each stage, peak bytes, wall nanoseconds.
fn runs(threads: usize, path: &Path) -> Vec<Vec<f64>> {
    let program = std::env::current_exe().expect("this program");
    let once = || {
        let mut command = Command::new(&program);
        let output = command.args(["--one", &threads.to_string()]).arg(path).output();
        let output = output.expect("child");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("figures");
        text.split_whitespace().map(|word| word.parse().expect("a number")).collect()
    };
    (0..RUNS).map(|_| once()).collect()
}

/// The measured work, in a process of its own.
fn measure_one(threads: usize, path: &Path) {
    let source = std::fs::read(path).expect("input");
    let (started, mut last, mut stages) = (Instant::now(), cpu_nanos(), Vec::new());
    let mut lap = || {
        let now = cpu_nanos();
        stages.push(now - last);
        last = now;
    };
    let dex = Dex::parse(&source).expect("an executable");
    let mut file = DexFile::edit(&dex);
    file.set_threads(threads);
    let (probes, labels) = wrap::intern(&mut file, &dex).expect("labels");
    lap();
    let rewritten = wrap::rewrite(&file, &dex, probes, &labels).expect("an executable");
    lap();
    let again = Dex::parse(&rewritten.bytes).expect("an executable");
    let verifier = Verifier::new(&again);
    let verification = verifier.all(threads);
    assert_eq!(verification.defects, Vec::new());
    assert!(rewritten.methods as u64 <= verification.methods);
    lap();
    drop((verifier, file));
    lap();
    let wall = started.elapsed().as_nanos();
    for nanos in stages {
        print!("{nanos} ");
    }
    println!("{} {wall}", peak_bytes());
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

/// Executables that are given, else the large ones of the test data.
fn inputs(folder: &Path, given: &[String]) -> Vec<(String, PathBuf)> {
    let name = |path: &Path| {
        path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    };
    if !given.is_empty() {
        return given.iter().map(|path| (name(Path::new(path)), PathBuf::from(path))).collect();
    }
    let mut inputs = Vec::new();
    for apk in ["androguard-a2dp.Vol_137", "nowinandroid-release-b227394536", "droidbotApp"] {
        let Some(path) = wattle_testdata::find(&format!("apk/{apk}.apk")) else { continue };
        let file = std::fs::File::open(path).expect("a package");
        let mut archive = zip::ZipArchive::new(file).expect("a package");
        let mut entry = archive.by_name("classes.dex").expect("code");
        let path = folder.join(format!("{apk}.dex"));
        std::io::copy(&mut entry, &mut std::fs::File::create(&path).expect("a file"))
            .expect("code");
        inputs.push((apk.to_owned(), path));
    }
    inputs
}
