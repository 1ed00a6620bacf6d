//! Naming a million samples: stacks of 24 frames at 20 000 addresses of the benchmark's own program, with symbols and lines.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot run has nothing to say")]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use object::{Object as _, ObjectSection as _};
use wattle_symbols::{Sources, symbolise};
use wattle_timeline::{
    CallSite, EventId, Frame, FrameAddress, StackSample, StackSamples, ThreadId, Timeline,
};

const SAMPLES: usize = 1_000_000;
const ADDRESSES: u64 = 20_000;
/// Frames of a stack.
const DEPTH: usize = 24;
/// Different stacks; most samples of a real recording share theirs with others.
const STACKS: usize = 50_000;

/// The random numbers of a recording: xorshift64 (G. Marsaglia, *Xorshift RNGs*, 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn recording(code: std::ops::Range<u64>) -> Timeline {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut timeline = Timeline::default();
    let mapping = Some(timeline.names.intern("/bench/program"));
    let frame = |random: &mut Random| Frame {
        mapping,
        address: FrameAddress::InElf(code.start + random.below(code.end - code.start)),
        ..Frame::default()
    };
    let frames = (0..ADDRESSES).map(|_| frame(&mut random)).collect();
    let mut samples = StackSamples { frames, ..StackSamples::default() };
    let mut leaves = Vec::new();
    for _ in 0..STACKS {
        // Half of a stack is that of the one before.
        let mut caller = leaves.last().map(|leaf| leaf - DEPTH as u32 / 2);
        for _ in 0..DEPTH / 2 {
            samples.sites.push(CallSite { caller, frame: random.below(ADDRESSES) as u32 });
            caller = Some(samples.sites.len() as u32 - 1);
        }
        leaves.extend(caller);
    }
    let sample = |index: usize| StackSample {
        time: wattle_units::BootNanos::new(index as i64 * 1000),
        cpu: None,
        thread: ThreadId(1),
        site: leaves.get(index % leaves.len()).copied(),
        event: EventId(0),
        weight: 1,
        is_truncated: false,
    };
    samples.samples = (0..SAMPLES).map(sample).collect();
    timeline.code.samples = samples;
    timeline
}

fn benchmark(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program");
    let program = std::env::current_exe().expect("the program's path");
    let content = std::fs::read(program).expect("the program");
    std::fs::write(&path, &content).expect("a copy");
    let file = object::File::parse(&*content).expect("an ELF file");
    let text = file.section_by_name(".text").expect("code");
    let timeline = recording(text.address()..text.address() + text.size());
    let sources = Sources::open(&[path], &[], None).expect("symbols");
    let mut group = criterion.benchmark_group("symbols");
    group.sample_size(10);
    group.bench_function("a million samples", |bencher| {
        bencher.iter_batched_ref(
            || timeline.clone(),
            |timeline| symbolise(timeline, &sources),
            BatchSize::PerIteration,
        );
    });
    group.bench_function("the same with names", |bencher| {
        let mut named = timeline.clone();
        symbolise(&mut named, &sources);
        bencher.iter_batched_ref(
            || named.clone(),
            |timeline| symbolise(timeline, &sources),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
