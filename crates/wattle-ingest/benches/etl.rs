//! Reading an event log of Windows that lies in memory, as one thread does it: the largest real one, and the same twelve times over.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing to say")]
#![allow(clippy::print_stdout, reason = "its figures are its output")]

use std::io::Read as _;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wattle_ingest::read_bytes;

/// The log of an archive of the real recordings.
fn unpacked(archive: &str) -> Option<Vec<u8>> {
    let bytes = wattle_testdata::read(archive)?;
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).unwrap();
        if member.name().unwrap().contains(".etl") {
            let mut log = Vec::new();
            member.read_to_end(&mut log).unwrap();
            return Some(log);
        }
    }
    None
}

/// The buffers after the first, again and again: each CPU's come once more at the same times.
fn repeated(log: &[u8], times: usize) -> Vec<u8> {
    let first = u32::from_le_bytes(*log.first_chunk().unwrap()) as usize;
    let mut all = log.get(..first).unwrap().to_vec();
    for _ in 0..times {
        all.extend_from_slice(log.get(first..).unwrap());
    }
    all
}

/// CPU seconds of this process.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).unwrap().parse::<f64>().unwrap();
    (ticks(11) + ticks(12)) / 100.0
}

fn bench(criterion: &mut Criterion) {
    let Some(log) = unpacked("etl/perfview-net.4.5.x86-2016.etl.zip") else { return };
    for (name, bytes) in [("once", log.clone()), ("twelve times", repeated(&log, 12))] {
        let before = cpu_seconds();
        let rounds = 240_000_000 / bytes.len() + 2;
        for _ in 0..rounds {
            read_bytes("log.etl", &bytes).unwrap();
        }
        let seconds = (cpu_seconds() - before) / rounds as f64;
        let megabytes = bytes.len() as f64 / 1e6;
        println!(
            "{name}: {megabytes:.1} MB, {seconds:.3} CPU s, {:.0} MB per CPU s",
            megabytes / seconds
        );
    }
    let mut group = criterion.benchmark_group("etl");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(log.len() as u64));
    group.bench_function("samples with stacks", |bencher| {
        bencher.iter(|| read_bytes("log.etl", &log).unwrap());
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
