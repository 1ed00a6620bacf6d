//! Bytes a second of two exports of a large ledger: 200,000 call paths of 40 threads, a million stretches.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot run has nothing to say")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use wattle_export::{ExportOptions, Extract, Format};
use wattle_ledger::{
    Account, AccountId, Booking, Charge, ComponentEntry, ComponentId, Ledger, PathEntry, PathId,
    ProcessEntry, Stretch, ThreadEntry,
};
use wattle_power::{Component, ErrorGroup, ErrorGroupId, ErrorSource, SourceId};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Joules, Nanos, Provenance};

const THREADS: u32 = 40;
const PATHS: u32 = 200_000;
const STRETCHES: i64 = 1_000_000;

fn ledger() -> Ledger {
    let at = |time: i64| BootNanos::new(time * 1000);
    let mut ledger = Ledger::empty(Window::new(at(0), at(STRETCHES)));
    ledger.power.errors.groups.push(ErrorGroup { name: "g".into(), shared: 0.1, freedom: None });
    ledger.power.errors.sources.push(ErrorSource {
        name: "core".into(),
        group: ErrorGroupId(0),
        own: 0.1,
        meter: None,
        provenance: Provenance::Modelled,
    });
    let provenance = Provenance::Modelled;
    ledger.rows.components.push(ComponentEntry { name: Component::Cpu, provenance });
    ledger.rows.processes.push(ProcessEntry {
        pid: Some(1),
        name: "com.example.app".into(),
        package: None,
        uid: None,
    });
    for tid in 0..THREADS {
        let cpu = Nanos::new(1);
        ledger.rows.threads.push(ThreadEntry { process: 0, tid, name: format!("pool-{tid}"), cpu });
    }
    for index in 0..PATHS {
        let thread = index % THREADS;
        // A tree some eighteen calls deep: each path calls two more.
        let within = index / THREADS;
        let caller = (within > 0).then(|| PathId((within - 1) / 2 * THREADS + thread));
        ledger.rows.paths.push(PathEntry {
            thread,
            caller,
            name: if within > 0 {
                format!("com.example.app.Class{}.run", within % 5000)
            } else {
                String::new()
            },
            calls: 1,
            self_cpu: Nanos::new(5000),
            probe_cpu: Nanos::ZERO,
            wall: Nanos::new(5000),
            site: None,
            from_lines: Vec::new(),
            frame: None,
            samples: 0,
            clock_cpu: None,
        });
        ledger.rows.accounts.push(Account::Path { path: PathId(index) });
        ledger.bookings.push(Booking {
            account: AccountId(index),
            component: ComponentId(0),
            charge: Charge::Core,
            source: SourceId(0),
            joules: Joules::new(5e-6),
        });
    }
    for time in 0..STRETCHES {
        ledger.over_time.stretches.push(Stretch {
            path: PathId((time * 7919 % i64::from(PATHS)) as u32),
            component: ComponentId(0),
            window: Window::new(at(time), at(time + 1)),
            joules: Joules::new(1e-6),
        });
    }
    ledger
}

fn formats(criterion: &mut Criterion) {
    let ledger = ledger();
    let extract = Extract::whole(&ledger);
    let mut group = criterion.benchmark_group("export");
    group.sample_size(10);
    for format in [Format::Folded, Format::Perfetto] {
        let write = |bytes: &mut Vec<u8>| {
            wattle_export::write(&extract, format, ExportOptions::default(), bytes)
                .expect("memory can be written to");
        };
        let mut bytes = Vec::new();
        write(&mut bytes);
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(format.name(), |bencher| {
            bencher.iter(|| {
                bytes.clear();
                write(&mut bytes);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, formats);
criterion_main!(benches);
