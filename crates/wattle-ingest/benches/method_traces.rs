//! Reading method traces beside `dmtracedump -o` on the same file: criterion's rates first, then CPU seconds and peak memory of a process
//! each. The file is a real trace of 13,295 records (as tests find it), else one written here, with its records repeated 250 times
//! at later times.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot run has nothing to say")]
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

use criterion::{Criterion, Throughput, criterion_group};
use wattle_ingest::read_bytes;

const REAL: &str = "art_trace/firefox-art-trace-regular.trace.gz";
const TIMES: usize = 250;
/// Bytes of a record with two clocks.
const RECORD: usize = 14;
/// The file that a process of its own reads.
const TO_READ: &str = "WATTLE_BENCH_READ";
const RUNS: usize = 5;
/// Ticks of the kernel's clock a second (`USER_HZ`).
const TICKS: f64 = 100.0;

/// A trace as the runtime writes it: the text, and its records.
fn once() -> (Vec<u8>, Vec<u8>) {
    let Some(packed) = wattle_testdata::read(REAL) else { return made() };
    let mut file = Vec::new();
    flate2::read::GzDecoder::new(&*packed).read_to_end(&mut file).expect("a gzip file");
    let end = b"*end\n";
    let at = file.windows(end.len()).position(|it| it == end).expect("*end") + end.len();
    let records = file.split_off(at + 32);
    (file, records)
}

/// 10,000 calls of 500 methods on four threads, up to twenty deep.
fn made() -> (Vec<u8>, Vec<u8>) {
    let mut text =
        "*version\n3\ndata-file-overflow=false\nclock=dual\npid=70\n*threads\n".to_owned();
    text.extend((70..74).map(|tid| format!("{tid}\tthread {tid}\n")));
    text += "*methods\n";
    text.extend((0..500).map(|it| {
        format!("{:#x}\tcom.example.Class{}\tmethod{it}\t(I)V\tA.java\n", it * 4, it % 40)
    }));
    let mut head = (text + "*end\n").into_bytes();
    head.extend(b"SLOW\x03\0\x20\0\0\0\0\0\0\0\0\0\x0e\0");
    head.extend([0; 14]);
    let mut records = Vec::new();
    let mut open: [Vec<u32>; 4] = Default::default();
    for step in 0..20_000_u32 {
        let thread = (step / 50 % 4) as usize;
        let stack = &mut open[thread];
        let rising = step / 7 % 2 == 0 && stack.len() < 20;
        let word = if rising || stack.is_empty() {
            stack.push(step * 31 % 500 * 4);
            step * 31 % 500 * 4
        } else {
            stack.pop().expect("one is open") | 1
        };
        records.extend((70 + thread as u16).to_le_bytes());
        records.extend(word.to_le_bytes());
        records.extend((step * 3).to_le_bytes());
        records.extend((step * 4).to_le_bytes());
    }
    (head, records)
}

/// The records again and again, each time later. What is open at the end of one round ends before the next.
fn repeated((head, records): (Vec<u8>, Vec<u8>)) -> Vec<u8> {
    let number = |record: &[u8], at: usize| {
        u32::from_le_bytes(record[at..at + 4].try_into().expect("four bytes"))
    };
    let mut open: std::collections::BTreeMap<u16, Vec<u32>> = std::collections::BTreeMap::new();
    let mut one = records.clone();
    let last = |at: usize| records.chunks_exact(RECORD).map(|it| number(it, at)).max().unwrap_or(0);
    let (cpu, wall) = (last(6) + 1, last(10) + 1);
    for record in records.chunks_exact(RECORD) {
        let stack = open.entry(u16::from_le_bytes([record[0], record[1]])).or_default();
        match number(record, 2) & 3 {
            0 => stack.push(number(record, 2)),
            _ => drop(stack.pop()),
        }
    }
    for (thread, stack) in open {
        for word in stack.into_iter().rev() {
            one.extend(thread.to_le_bytes());
            one.extend((word | 1).to_le_bytes());
            one.extend(cpu.to_le_bytes());
            one.extend(wall.to_le_bytes());
        }
    }
    let mut file = head;
    for round in 0..TIMES as u32 {
        for record in one.chunks_exact(RECORD) {
            file.extend(&record[..6]);
            file.extend(number(record, 6).wrapping_add(round.wrapping_mul(cpu + 1)).to_le_bytes());
            file.extend(
                number(record, 10).wrapping_add(round.wrapping_mul(wall + 1)).to_le_bytes(),
            );
        }
    }
    file
}

fn bench(criterion: &mut Criterion) {
    let file = repeated(once());
    let read = read_bytes("a.trace", &file).expect("a trace");
    let records = read.quality.artifacts[0].records;
    let mut group = criterion.benchmark_group("method traces");
    group.sample_size(10);
    group.throughput(Throughput::Elements(records));
    group.bench_function("buffered, two clocks", |bencher| {
        bencher.iter(|| read_bytes("a.trace", &file).expect("a trace"));
    });
    group.finish();
    drop(read);
    beside_dmtracedump(&file, records);
}

/// CPU seconds of children that ended: fields 16 and 17 of `/proc/self/stat`.
fn children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("/proc");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    fields[13..15].iter().filter_map(|it| it.parse::<f64>().ok()).sum::<f64>() / TICKS
}

/// The median CPU seconds of a command, and what it printed last.
fn measured(mut command: Command) -> (f64, String) {
    let mut runs = Vec::new();
    let mut said = String::new();
    for _ in 0..RUNS {
        let before = children();
        let output = command.stderr(Stdio::null()).output().expect("a process");
        said = String::from_utf8_lossy(&output.stdout).into_owned();
        runs.push(children() - before);
    }
    runs.sort_by(f64::total_cmp);
    (runs[RUNS / 2], said)
}

fn beside_dmtracedump(file: &[u8], records: u64) {
    let path = std::env::temp_dir().join(format!("wattle-bench-{}.trace", std::process::id()));
    std::fs::write(&path, file).expect("room for a file");
    let mut own = Command::new(std::env::current_exe().expect("a path"));
    own.env(TO_READ, &path);
    let (ours, said) = measured(own);
    let megabytes = file.len() as f64 / 1e6;
    let rate = |seconds: f64| records as f64 / seconds / 1e6;
    println!("{megabytes:.1} MB, {records} records");
    println!(
        "wattle: {ours:.2} CPU s, {:.1} million records per CPU s; {}",
        rate(ours),
        said.trim()
    );
    let mut theirs = Command::new("sh");
    theirs.args(["-c", "exec dmtracedump -o \"$0\" > /dev/null"]).arg(&path);
    if Command::new("dmtracedump").output().is_ok() {
        let (theirs, _) = measured(theirs);
        println!(
            "dmtracedump -o: {theirs:.2} CPU s, {:.1} million records per CPU s",
            rate(theirs)
        );
        println!("ratio {:.1}", theirs / ours);
    }
    std::fs::remove_file(&path).expect("the file");
}

/// Reads a file as `wattle` does, and says what memory that took.
fn read_alone(path: &Path) {
    let read = wattle_ingest::read_paths(&[path.to_owned()]).expect("a trace");
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|it| it.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    let peak = peak.unwrap_or(f64::NAN) * 1024.0;
    let records = read.quality.artifacts[0].records as f64;
    println!("peak {:.0} MB, {:.1} bytes an event", peak / 1e6, peak / records);
}

criterion_group!(benches, bench);

fn main() {
    if let Some(path) = std::env::var_os(TO_READ) {
        return read_alone(Path::new(&path));
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
}
