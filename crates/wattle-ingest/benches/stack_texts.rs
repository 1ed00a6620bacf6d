//! Reading sampled stacks that this benchmark writes: text as `perf script` prints it, the same collapsed, and a report of simpleperf
//! in protobuf.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot run has nothing to say")]

use std::fmt::Write as _;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wattle_ingest::read_bytes;
use wattle_wire::Writer;

/// Samples, each with a stack of eight to thirty-nine frames.
const SAMPLES: u64 = 20_000;
/// Functions that stacks are made of.
const FUNCTIONS: u64 = 3000;

/// The functions of a sample's stack, innermost first: those near the root are the same for many samples.
fn stack(sample: u64) -> impl DoubleEndedIterator<Item = u64> {
    let depth = 8 + sample * 7 % 32;
    (0..depth).map(move |level| {
        let from_root = depth - level;
        (sample / (1 + from_root * from_root / 4).min(40) * 31 + from_root * 17) % FUNCTIONS
    })
}

fn text() -> String {
    let mut text = String::new();
    for sample in 0..SAMPLES {
        let (tid, cpu, micros) = (1000 + sample % 12, sample % 8, sample * 250);
        let (seconds, micros) = (5000 + micros / 1_000_000, micros % 1_000_000);
        writeln!(
            text,
            "RenderThread {tid} [{cpu:03}] {seconds}.{micros:06}:     250000 cpu-clock:u: "
        )
        .expect("memory takes text");
        for function in stack(sample) {
            let (address, library) = (0x1000 + function * 64, function % 23);
            writeln!(
                text,
                "\t{address:16x} android::uirenderer::function{function}(int)+0x{:x} (/system/lib64/library{library}.so)",
                function % 60
            )
            .expect("memory takes text");
        }
        text.push('\n');
    }
    text
}

fn folded() -> String {
    let mut text = String::new();
    for sample in 0..SAMPLES {
        text.push_str("RenderThread");
        for function in stack(sample).rev() {
            write!(text, ";android::uirenderer::function{function}").expect("memory takes text");
        }
        writeln!(text, " {}", 1 + sample % 9).expect("memory takes text");
    }
    text
}

fn report() -> Vec<u8> {
    let mut bytes = b"SIMPLEPERF\x01\x00".to_vec();
    let mut record = |write: &dyn Fn(&mut Writer)| {
        let mut writer = Writer::new();
        write(&mut writer);
        bytes.extend_from_slice(&(writer.len() as u32).to_le_bytes());
        bytes.extend_from_slice(writer.as_bytes());
    };
    record(&|w| w.message(5, |meta| meta.string(1, "cpu-cycles")));
    for number in 0..SAMPLES {
        record(&|w| {
            w.message(1, |sample| {
                sample.varint(1, 5_000_000_000_000 + number * 250_000);
                sample.varint(2, 1000 + number % 12);
                for function in stack(number) {
                    sample.message(3, |entry| {
                        entry.varint(1, 0x1000 + function * 64);
                        entry.varint(2, function % 23);
                        entry.varint(3, function / 23);
                    });
                }
                sample.varint(4, 250_000);
                sample.varint(5, 0);
            });
        });
    }
    for file in 0..23 {
        record(&|w| {
            w.message(3, |message| {
                message.varint(1, file);
                message.string(2, &format!("/system/lib64/library{file}.so"));
                for symbol in 0..=FUNCTIONS / 23 {
                    message
                        .string(3, &format!("android::uirenderer::function{}", symbol * 23 + file));
                }
            });
        });
    }
    for thread in 0..12 {
        record(&|w| {
            w.message(4, |message| {
                message.varint(1, 1000 + thread);
                message.varint(2, 1000);
                message.string(3, "RenderThread");
            });
        });
    }
    bytes.extend_from_slice(&[0; 4]);
    bytes
}

fn bench(criterion: &mut Criterion) {
    let inputs = [
        ("perf script", text().into_bytes()),
        ("collapsed", folded().into_bytes()),
        ("simpleperf report", report()),
    ];
    let mut group = criterion.benchmark_group("sampled stacks");
    group.sample_size(10);
    for (name, bytes) in &inputs {
        let read = read_bytes(name, bytes).expect("stacks");
        let samples = read.code.samples.samples.len() + read.code.samples.totals.len();
        assert!(samples as u64 > SAMPLES / 2, "{name}: {samples}");
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(*name, |bencher| {
            bencher.iter(|| read_bytes(name, bytes).expect("stacks"));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
