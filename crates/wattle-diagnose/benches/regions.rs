//! Finding regions in idle recordings of ten thousand to a million events: random wake-ups of 64 threads on 8 cores, timers and
//! busy stretches between them.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot run has nothing to say")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use wattle_diagnose::{DiagnoseOptions, Diagnosis, IdleChoice, Input, diagnose, rules};
use wattle_ledger::{AttributionOptions, Ledger, attribute};
use wattle_power::PowerEstimate;
use wattle_timeline::{
    CpuTimeline, Pid, Process, ProcessId, SchedSlice, TaskState, Thread, ThreadId, Tid, Timeline,
    Window,
};
use wattle_units::BootNanos;

const CPUS: u64 = 8;
const THREADS: u64 = 64;
/// Mean time between events of one CPU in nanoseconds.
const MEAN: u64 = 2_000_000;

/// xorshift64 (G. Marsaglia, *Xorshift RNGs*, 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// So many events in all.
fn recording(events: u64) -> (Timeline, Ledger) {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut timeline = Timeline::default();
    timeline.tasks.threads = vec![Thread::default()];
    timeline.tasks.processes = vec![Process { pid: Pid(1), ..Process::default() }];
    timeline.tasks.threads.extend((1..=THREADS).map(|tid| Thread {
        tid: Tid(tid as u32),
        process: Some(ProcessId(0)),
        ..Thread::default()
    }));
    let mut end = 0;
    for of_cpu in 0..CPUS {
        let mut cpu = CpuTimeline::default();
        let mut now = 0;
        for index in 0..events / CPUS {
            // Of twenty stretches of time one belongs to a thread that is busy, and one to a timer.
            let (silence, length, thread) = match index / 500 % 20 {
                0 => (10_000, 4_000_000, 1),
                1 => (4_900_000, 100_000, 2),
                _ => (random.below(2 * MEAN), 20_000 + random.below(200_000), random.below(8)),
            };
            let start = now + silence;
            now = start + length;
            let thread = ThreadId((of_cpu * (THREADS / CPUS) + thread + 1).min(THREADS) as u32);
            let window = Window::new(BootNanos::new(start as i64), BootNanos::new(now as i64));
            cpu.sched.push(SchedSlice { window, thread, end_state: Some(TaskState(1)) });
        }
        end = end.max(now);
        timeline.cpus.push(cpu);
    }
    timeline.window = Window::new(BootNanos::new(0), BootNanos::new(end as i64));
    let ledger = attribute(&timeline, &PowerEstimate::default(), &AttributionOptions::default());
    (timeline, ledger.expect("a ledger without tracks closes"))
}

fn find(timeline: &Timeline, ledger: &Ledger) -> Diagnosis {
    let mut options = DiagnoseOptions::default();
    options.idle = IdleChoice::Whole;
    // Rules are not what is measured.
    options.rules.skip = rules().iter().map(|rule| rule.id.to_owned()).collect();
    let power = PowerEstimate::default();
    diagnose(Input { timeline, power: &power, ledger }, &options).expect("options make sense")
}

fn benchmark(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("regions");
    group.sample_size(10);
    for events in [10_000, 100_000, 1_000_000] {
        let (timeline, ledger) = recording(events);
        assert!(!find(&timeline, &ledger).regions.is_empty());
        group.throughput(Throughput::Elements(events));
        group.bench_with_input(BenchmarkId::from_parameter(events), &events, |bencher, _| {
            bencher.iter(|| find(&timeline, &ledger));
        });
    }
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
