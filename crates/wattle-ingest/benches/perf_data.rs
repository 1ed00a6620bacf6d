//! Reading a `perf.data` that `perf record` makes here, with its samples repeated, beside `perf script` on the same file in the same
//! run. Without `perf` a written file is read instead, and there is nothing to compare with.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot run has nothing to say")]
#![allow(clippy::unwrap_used, reason = "the same")]
#![allow(clippy::print_stdout, reason = "its figures are its output")]

#[path = "../tests/all/perf_data_repeat.rs"]
mod repeat;
#[path = "../tests/all/perf_data_writer.rs"]
#[allow(dead_code, reason = "tests need more of it")]
mod writer;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wattle_ingest::{read_bytes, read_paths};
use writer::{File, Form, Writer};

/// Repetitions of the samples, and a smaller number beside it to see the cost of one more.
const TIMES: u64 = 400;
const FEWER: u64 = 100;

/// The variable under which this program reads a file and says how much memory it took.
const MEASURE: &str = "WATTLE_BENCH_PERF_DATA";

fn recorded() -> Option<Vec<u8>> {
    let path = std::env::temp_dir().join("wattle-bench-perf.data");
    let work = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; ls -lR /usr/lib | sort | wc -l";
    let mut perf = Command::new("perf");
    perf.args(["record", "-q", "-e", "cpu-clock", "-g", "-o"])
        .arg(&path)
        .args(["--", "sh", "-c", work]);
    let done = perf.stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    done.then(|| std::fs::read(path).unwrap())
}

fn written() -> Vec<u8> {
    let mut file = File::new(Form { is_big: false, is_pipe: false, writer: Writer::Perf });
    for index in 0..1000 {
        let depth = 5 + index % 30;
        let user: Vec<u64> = (0..depth).map(|frame| 0x1000 + (index % 7 + frame) * 16).collect();
        file.sample(
            writer::START + index * 1_000_000,
            (7, 0),
            1_000_000,
            (&[0xffff_8000_0000_0210], &user),
        );
    }
    file.finish()
}

/// CPU seconds of this process (0) or of those that it waited for (2).
fn cpu_seconds(of: usize) -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<f64>().unwrap();
    (ticks(11 + of) + ticks(12 + of)) / 100.0
}

/// Peak memory of reading the file in a process of its own, bytes.
fn peak(path: &Path) -> f64 {
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this).env(MEASURE, path).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().parse::<f64>().unwrap() * 1024.0
}

fn beside_perf_script(path: &Path, samples: u64) {
    let mine = cpu_seconds(0);
    for _ in 0..5 {
        read_paths(&[PathBuf::from(path)]).unwrap();
    }
    let mine = (cpu_seconds(0) - mine) / 5.0;
    let theirs = cpu_seconds(2);
    let mut script = Command::new("perf");
    script
        .args(["script", "--no-inline", "-i"])
        .arg(path)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if !script.status().is_ok_and(|status| status.success()) {
        return;
    }
    let theirs = cpu_seconds(2) - theirs;
    println!(
        "{samples} samples, {} bytes: Wattle {mine:.2} CPU s ({:.0} samples/s), perf script {theirs:.2} CPU s ({:.0} samples/s), \
         {:.1} times",
        std::fs::metadata(path).unwrap().len(),
        samples as f64 / mine,
        samples as f64 / theirs,
        theirs / mine
    );
}

fn bench(criterion: &mut Criterion) {
    if let Some(path) = std::env::var_os(MEASURE) {
        read_paths(&[PathBuf::from(path)]).unwrap();
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        println!("{}", peak.split_whitespace().next().unwrap());
        std::process::exit(0);
    }
    let once = recorded().unwrap_or_else(written);
    let files = [("fewer", FEWER), ("many", TIMES)].map(|(name, times)| {
        let path = std::env::temp_dir().join(format!("wattle-bench-perf-{name}.data"));
        std::fs::write(&path, repeat::samples(&once, times)).unwrap();
        path
    });
    let counts = files.clone().map(|path| {
        let timeline = read_paths(&[path]).unwrap();
        timeline.code.samples.samples.len() as u64
    });
    let sizes = files.clone().map(|path| std::fs::metadata(path).unwrap().len());
    let peaks = files.clone().map(|path| peak(&path));
    let more = (counts[1] - counts[0]) as f64;
    println!(
        "memory: {:.1} MB at the peak for {} samples; each further sample {:.1} bytes, of which {:.1} are its bytes in the file",
        peaks[1] / 1e6,
        counts[1],
        (peaks[1] - peaks[0]) / more,
        (sizes[1] - sizes[0]) as f64 / more
    );
    beside_perf_script(&files[1], counts[1]);
    let bytes = std::fs::read(&files[0]).unwrap();
    let mut group = criterion.benchmark_group("perf.data");
    group.sample_size(10);
    group.throughput(Throughput::Elements(counts[0]));
    group.bench_function("samples with stacks", |bencher| {
        bencher.iter(|| read_bytes("perf.data", &bytes).expect("a recording"));
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
