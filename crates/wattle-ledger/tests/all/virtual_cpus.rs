//! Attribution of energy where nothing recorded when the CPUs of the device were busy.

use wattle_ledger::{Account, AttributionOptions, Ledger, attribute};
use wattle_power::PowerOptions;
use wattle_testdata::requires;
use wattle_timeline::{
    EventId, NameId, SampleEvent, SampleUnit, StackSample, ThreadId, Timeline, TimelineBuilder,
};
use wattle_units::{BootNanos, Nanos};

/// The ledger of a timeline, whose totals reconcile.
#[track_caller]
fn ledger(timeline: &Timeline) -> Ledger {
    let estimate = wattle_power::estimate(timeline, &PowerOptions::default()).expect("power");
    let ledger = attribute(timeline, &estimate, &AttributionOptions::default()).expect("a ledger");
    assert!(!ledger.closure.is_empty());
    assert!(ledger.closure.iter().all(|closure| closure.error <= 1e-9), "{:?}", ledger.closure);
    ledger
}

/// The part of all energy that is attributed to threads.
fn of_threads(ledger: &Ledger) -> f64 {
    let (mut threads, mut all) = (0.0, 0.0);
    for booking in &ledger.bookings {
        let account = &ledger.rows.accounts[booking.account.0 as usize];
        let is_thread = matches!(account, Account::Path { .. } | Account::Recorder { .. });
        threads += if is_thread { booking.joules.value() } else { 0.0 };
        all += booking.joules.value();
    }
    threads / all
}

#[test]
fn threads_that_ran_at_one_time_pay_for_what_they_ran() {
    let mut builder = TimelineBuilder::new();
    let sampled = SampleEvent { name: NameId::default(), unit: SampleUnit::Nanos };
    let event: EventId = builder.samples().event(sampled);
    let weight = 1_000_000;
    // The first thread all of the time, the second one every other millisecond.
    for index in 1..=100_i64 {
        for thread in [7, 8].into_iter().take(1 + (index % 2) as usize) {
            let (time, thread) = (BootNanos::new(index * 1_000_000), ThreadId(thread));
            let (cpu, site, is_truncated) = (None, None, false);
            let sample = StackSample { time, cpu, thread, site, event, weight, is_truncated };
            builder.samples().sample(Some(7), sample);
        }
    }
    let timeline = builder.finish();
    assert_eq!(timeline.cpus.len(), 2);
    let ledger = ledger(&timeline);
    assert!((of_threads(&ledger) - 1.0).abs() < 1e-9, "{}", of_threads(&ledger));
    let mut joules = [0.0; 2];
    for booking in &ledger.bookings {
        if let Account::Path { path } = ledger.rows.accounts[booking.account.0 as usize] {
            let thread = ledger.rows.paths[path.0 as usize].thread as usize;
            let tid = ledger.rows.threads[thread].tid;
            joules[usize::from(tid == 8)] += booking.joules.value();
        }
    }
    assert!((joules[0] / joules[1] - 2.0).abs() < 1e-6, "{joules:?}");
    let cpu: Nanos = ledger.rows.threads.iter().map(|thread| thread.cpu).sum();
    assert_eq!(cpu, Nanos::new(150_000_000));
}

/// Real recordings on virtual CPUs: all of their energy is that of threads.
#[requires(data)]
#[test]
fn energy_on_virtual_cpus_is_that_of_threads() {
    let files = [
        "perfdata/firefox-simpleperf-task-clock.trace.gz",
        "perfdata/linux-perf-data-fibo.compressed2.pipe.data",
        "perf_script/speedscope-simple-with-header.txt",
        "art_trace/firefox-art-trace-regular.trace.gz",
        "art_trace/perflib-streaming.trace",
    ];
    for file in files {
        let timeline = wattle_ingest::read_paths(&[wattle_testdata::path(file)]).expect(file);
        assert!(timeline.has_virtual_cpus(), "{file}");
        let ledger = ledger(&timeline);
        assert!(of_threads(&ledger) > 0.999, "{file}: {}", of_threads(&ledger));
    }
}

/// Clocks alone: nobody is known to have run.
#[requires(data)]
#[test]
fn energy_by_clocks_alone_is_nobody_s() {
    let file = "perfetto/emanafa/trace-1623058691-1622418866.0";
    let timeline = wattle_ingest::read_paths(&[wattle_testdata::path(file)]).expect(file);
    let ledger = ledger(&timeline);
    assert!(of_threads(&ledger).abs() < 1e-9);
    let is_nobody = |account: &Account| matches!(account, Account::Unattributed);
    assert!(ledger.rows.accounts.iter().any(is_nobody));
}
