//! Attribution of a busy recording: 1.1 million on-CPU slices, 1 million call slices, 1.3 million power
//! segments, on 8 cores in 3 clusters.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot run has nothing to say")]

use criterion::{Criterion, criterion_group, criterion_main};
use wattle_ledger::{AttributionOptions, attribute};
use wattle_power::{
    Component, ErrorGroup, ErrorGroupId, ErrorSource, PowerEstimate, PowerTrack, Scope, SourceId,
};
use wattle_timeline::{
    CpuId, CpuTimeline, IdleState, ProbeCost, SchedSlice, SliceOrigin, SliceScope, SliceTrack,
    TestOutcome, TestRun, Thread, ThreadId, Timeline, Window,
};
use wattle_units::{BootNanos, Nanos, Provenance, Watts};

const CPUS: u32 = 8;
const THREADS: u32 = 600;
/// Frequencies of a cluster, each with an error of its own.
const SOURCES: u16 = 15;
/// On-CPU slices a core.
const SLICES: i64 = 1_100_000 / CPUS as i64;
/// Their mean length in nanoseconds.
const MEAN: i64 = 50_000;
const SEGMENTS: i64 = 1_300_000;

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

fn recording() -> (Timeline, PowerEstimate) {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut timeline = Timeline::default();
    timeline.tasks.threads = vec![Thread::default(); THREADS as usize];
    let mut end = BootNanos::new(0);
    for _ in 0..CPUS {
        let mut cpu = CpuTimeline::default();
        let mut now = 0;
        for index in 0..SLICES {
            let start = BootNanos::new(now);
            now += 1000 + random.below(2 * MEAN as u64) as i64;
            // A third of the slices are the idle task's; few threads run most of the time.
            let thread = if index % 3 == 0 {
                ThreadId::IDLE
            } else {
                let few = random.below(u64::from(THREADS)) + 1;
                ThreadId((random.below(few) as u32 + 1).min(THREADS - 1))
            };
            if thread.is_idle() {
                cpu.idle.push(BootNanos::new(start.value() + 500), IdleState(1));
                cpu.idle.push(BootNanos::new(now - 300), IdleState::ACTIVE);
            }
            let window = Window::new(start, BootNanos::new(now));
            cpu.sched.push(SchedSlice { window, thread, end_state: None });
        }
        end = end.max(BootNanos::new(now));
        timeline.cpus.push(cpu);
    }
    timeline.window = Window::new(BootNanos::new(0), end);
    calls(&mut timeline, &mut random);
    let estimate = power(end, &mut random);
    (timeline, estimate)
}

/// 100 threads with 10,000 slices each, two deep: 8 methods that each call 4 others.
fn calls(timeline: &mut Timeline, random: &mut Random) {
    let names: Vec<_> = (0..40).map(|n| timeline.names.intern(&format!("method {n}"))).collect();
    let end = timeline.window.end.value();
    for thread in 1..=100 {
        let calls = &mut timeline.code.slices;
        let first = calls.start.len() as u32;
        for pair in 0..5000 {
            let start = end / 5000 * pair;
            let length = end / 5500;
            for (depth, start, length) in [(0, start, length), (1, start + length / 4, length / 2)]
            {
                calls.start.push(BootNanos::new(start));
                calls.end.push(BootNanos::new(start + length));
                calls.name.push(names[random.below(40) as usize]);
                calls.depth.push(depth);
            }
        }
        let scope = SliceScope::Thread(ThreadId(thread));
        calls.tracks.push(SliceTrack { scope, name: None, first, count: 10_000 });
    }
}

fn power(end: BootNanos, random: &mut Random) -> PowerEstimate {
    let mut estimate = PowerEstimate::default();
    estimate.errors.add_group(ErrorGroup { name: "g".into(), shared: 0.1, freedom: None });
    for source in 0..4 * SOURCES {
        estimate.errors.add_source(ErrorSource {
            name: source.to_string(),
            group: ErrorGroupId(0),
            own: 0.0,
            meter: None,
            provenance: Provenance::Modelled,
        });
    }
    let set = |cpus: std::ops::Range<u32>| Scope::Cores(cpus.map(CpuId).collect());
    let mut scopes: Vec<Scope> = (0..CPUS).map(|cpu| Scope::Core(CpuId(cpu))).collect();
    scopes.extend([set(0..4), set(4..6), set(6..8), set(0..8)]);
    let each = SEGMENTS / scopes.len() as i64;
    for (cluster, scope) in scopes.into_iter().enumerate().map(|(i, s)| (i as u16 % 4, s)) {
        let mut track = PowerTrack::new(Component::Cpu, scope, BootNanos::new(0));
        let shared = matches!(track.scope, Scope::Cores(_));
        let mut row = 0;
        for index in 1..=each {
            let until = BootNanos::new(end.value() / each * index);
            // A clock holds for some twenty changes of other kinds; leakage is one number.
            if !shared && random.below(20) == 0 {
                row = random.below(u64::from(SOURCES)) as u16;
            }
            let source = SourceId(cluster * SOURCES + row);
            track.push_until(until, Watts::new(0.001 * random.below(2000) as f64), source);
        }
        estimate.tracks.push(track);
    }
    estimate
}

fn bench(criterion: &mut Criterion) {
    let (timeline, estimate) = recording();
    let mut group = criterion.benchmark_group("attribute");
    group.sample_size(10);
    for threads in [1, 0] {
        let mut options = AttributionOptions::default();
        options.threads = threads;
        let name = if threads == 1 { "one thread" } else { "all cores" };
        group.bench_function(name, |bencher| {
            bencher.iter(|| attribute(&timeline, &estimate, &options).expect("a ledger"));
        });
    }
    let mut options = AttributionOptions::default();
    options.threads = 1;
    let mut tested = timeline.clone();
    tests(&mut tested);
    group.bench_function("one thread, 500 tests", |bencher| {
        bencher.iter(|| attribute(&tested, &estimate, &options).expect("a ledger"));
    });
    let mut probed = timeline;
    probes(&mut probed);
    group.bench_function("one thread, 1 million calls with probes", |bencher| {
        bencher.iter(|| attribute(&probed, &estimate, &options).expect("a ledger"));
    });
    group.finish();
}

/// Tests one behind the other, each in two others that overlap.
fn tests(timeline: &mut Timeline) {
    let name = timeline.names.intern("com.example.FooTest#bar");
    let end = timeline.window.end.value();
    for nth in 0..500 {
        let start = end / 502 * nth;
        let window = Window::new(BootNanos::new(start), BootNanos::new(start + end / 502 * 3));
        timeline.code.tests.push(TestRun {
            name,
            iteration: nth as u32,
            window,
            uncertainty: Nanos::ZERO,
            outcome: TestOutcome::Passed,
        });
    }
}

fn probes(timeline: &mut Timeline) {
    timeline.code.slices.origin = vec![SliceOrigin::ProbedMethod; timeline.code.slices.len()];
    timeline.code.probe_costs.push(ProbeCost {
        process: None,
        pair: Nanos::new(2000),
        low: Nanos::new(1500),
        high: Nanos::new(3000),
        inside: Nanos::new(1000),
        pairs: 1000,
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
