//! The bytes that hooks saw calls move, beside a counter of the device: by hand and by property.

use crate::common::{Phone, at};
use proptest::prelude::*;
use wattle_ledger::allocation::{
    Allocation, AllocationOptions, Comparison, Direction, NamePattern, allocate, by_bytes,
};
use wattle_timeline::{CounterScope, CounterTrack, Uid};

fn counter(phone: &mut Phone, name: &str, samples: &[(i64, f64)]) -> CounterTrack {
    CounterTrack {
        name: phone.timeline.names.intern(name),
        scope: CounterScope::Global,
        time: samples.iter().map(|(time, _)| at(*time)).collect(),
        value: samples.iter().map(|(_, value)| *value).collect(),
    }
}

fn options(patterns: &[&str]) -> AllocationOptions {
    AllocationOptions::new(patterns.iter().map(|pattern| NamePattern::new(pattern)))
}

/// (start, end, name, depth, bytes)
type Slice<'n> = (i64, i64, &'n str, u16, u32);

/// Slices of threads with the bytes that they moved.
fn phone(threads: &[&[Slice<'_>]]) -> Phone {
    let mut phone = Phone::new(1, 1000);
    for (nth, slices) in threads.iter().enumerate() {
        let thread = phone.thread(&format!("thread {nth}"));
        let rows: Vec<_> = slices.iter().map(|it| (it.0, it.1, it.2, it.3)).collect();
        let first = phone.timeline.code.slices.len();
        phone.calls(thread, &rows);
        for (nth, slice) in slices.iter().enumerate() {
            phone.timeline.code.slices.set_bytes(first + nth, slice.4);
        }
    }
    phone
}

#[track_caller]
fn check(found: Option<&Allocation>, amounts: &[f64], unattributed: f64, excess: f64) {
    let found = found.expect("hooked calls");
    let given: Vec<f64> = found.calls.iter().map(|call| call.amount).collect();
    assert_eq!(
        (given.as_slice(), found.unattributed, found.excess),
        (amounts, unattributed, excess)
    );
    let sum = found.allocated() + found.unattributed - found.excess;
    assert!((sum - found.counted).abs() < 1e-9, "{sum} of {}", found.counted);
}

#[test]
fn hooks_see_less_than_the_interface_or_more() {
    let mut phone = phone(&[
        &[(0, 90, "work", 0, 0), (10, 30, "read", 1, 1400), (40, 41, "read", 1, 0)],
        &[(20, 60, "read", 0, 600)],
    ]);
    let with_headers = counter(&mut phone, "rx", &[(0, 50.0), (500, 2250.0)]);
    let found = by_bytes(&phone.timeline, Some(&with_headers), &options(&["read"]));
    check(found.as_ref(), &[1400.0, 0.0, 600.0], 200.0, 0.0);
    // What never left the device.
    let loopback = counter(&mut phone, "rx", &[(0, 50.0), (500, 150.0)]);
    let found = by_bytes(&phone.timeline, Some(&loopback), &options(&["read"]));
    check(found.as_ref(), &[1400.0, 0.0, 600.0], 0.0, 1900.0);
    // Without a counter nothing is known but what the hooks saw.
    let found = by_bytes(&phone.timeline, None, &options(&["read"]));
    check(found.as_ref(), &[1400.0, 0.0, 600.0], 0.0, 0.0);
    assert_eq!(found.map(|it| (it.counted, it.intervals)), Some((2000.0, 0)));
    // Paths hand on what they were given, as those of a shared counter do.
    let found = by_bytes(&phone.timeline, None, &options(&["read"])).expect("hooked calls");
    assert_eq!(found.by_path_with_callees(), [1400.0, 1400.0, 600.0]);
}

#[test]
fn without_hooks_nothing_is_said() {
    let mut phone = phone(&[&[(10, 30, "read", 0, 0), (40, 50, "write", 0, 7)]]);
    let counter = counter(&mut phone, "rx", &[(0, 0.0), (500, 100.0)]);
    assert_eq!(by_bytes(&phone.timeline, Some(&counter), &options(&["read"])), None);
    assert_eq!(by_bytes(&phone.timeline, None, &AllocationOptions::default()), None);
}

#[test]
fn no_byte_is_given_twice() {
    let phone = phone(&[&[
        // A read of the framework's stream that calls one of the app's, which reads 100 and 50 itself.
        (0, 90, "buffered read", 0, 120),
        (10, 80, "work", 1, 0),
        (20, 30, "read", 2, 100),
        (40, 50, "read", 2, 50),
        // One that has more than what is inside of it.
        (100, 200, "buffered read", 0, 120),
        (110, 120, "read", 1, 100),
    ]]);
    let found = by_bytes(&phone.timeline, None, &options(&["*read"]));
    check(found.as_ref(), &[0.0, 100.0, 50.0, 20.0, 100.0], 0.0, 0.0);
}

#[test]
fn calls_outside_of_the_polls_are_given_nothing() {
    let mut phone = phone(&[&[
        (0, 90, "read", 0, 10),
        (95, 150, "read", 0, 20),
        (300, 400, "read", 0, 30),
        (401, 500, "read", 0, 40),
    ]]);
    let polled = counter(&mut phone, "rx", &[(100, 0.0), (400, 60.0)]);
    let found = by_bytes(&phone.timeline, Some(&polled), &options(&["read"]));
    check(found.as_ref(), &[0.0, 20.0, 30.0, 0.0], 10.0, 0.0);
    // One sample counts nothing.
    let once = counter(&mut phone, "rx", &[(100, 5.0)]);
    let found = by_bytes(&phone.timeline, Some(&once), &options(&["read"]));
    check(found.as_ref(), &[0.0, 20.0, 0.0, 0.0], 0.0, 20.0);
}

#[test]
fn a_counter_of_an_app_is_that_of_its_threads() {
    let mut phone = phone(&[&[(0, 50, "read", 0, 10)], &[(0, 50, "read", 0, 20)]]);
    phone.timeline.tasks.processes[0].uid = Some(Uid(10_001));
    phone.timeline.tasks.processes[1].uid = Some(Uid(10_002));
    let mut counter = counter(&mut phone, "rx", &[(0, 0.0), (100, 30.0)]);
    counter.scope = CounterScope::Uid(Uid(10_002));
    let found = by_bytes(&phone.timeline, Some(&counter), &options(&["read"]));
    check(found.as_ref(), &[20.0], 10.0, 0.0);
}

/// Two reads and a write of one thread, polled once in their middle; all of it by hand.
#[test]
fn both_ways_beside_each_other() {
    let mut phone = phone(&[&[
        (0, 40, "java.net.S.read", 0, 100),
        (50, 90, "java.net.S.read([BII)I", 0, 300),
        (100, 150, "java.net.S.write", 0, 90),
    ]]);
    let received = counter(&mut phone, "rx", &[(0, 0.0), (95, 440.0), (200, 440.0)]);
    let sent = counter(&mut phone, "tx", &[(0, 0.0), (200, 100.0)]);
    let ways = |counter: &CounterTrack, direction: Direction| {
        let options = AllocationOptions::new(direction.calls());
        let shared = allocate(&phone.timeline, counter, &options);
        let hooked = by_bytes(&phone.timeline, Some(counter), &options).expect("hooked calls");
        (shared, hooked)
    };
    let (shared_in, hooked_in) = ways(&received, Direction::Inward);
    let (shared_out, hooked_out) = ways(&sent, Direction::Outward);
    check(Some(&hooked_in), &[100.0, 300.0], 40.0, 0.0);
    check(Some(&hooked_out), &[90.0], 10.0, 0.0);
    let found = Comparison::new(&[shared_in, shared_out], &[hooked_in, hooked_out]);
    assert_eq!((found.counted, found.shared, found.hooked), (540.0, 540.0, 490.0));
    assert_eq!((found.shared_error, found.hooked_error), (Some(0.0), Some(50.0 / 540.0)));
    // Shared: 220, 220 and 100. Differences -120, 80 and -10, their mean -50/3.
    let mean: f64 = -50.0 / 3.0;
    let variance = [-120.0, 80.0, -10.0].map(|d: f64| (d - mean).powi(2)).iter().sum::<f64>() / 3.0;
    assert_eq!(found.calls, 3);
    assert!((found.allocation_error.expect("calls") - variance).abs() < 1e-9, "{found:?}");
    let nothing = Comparison::new(&[], &[]);
    assert_eq!((nothing.shared_error, nothing.allocation_error), (None, None));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_and_nothing_invented(
        calls in prop::collection::vec(
            (0_i64..900, 0_i64..200, 0_usize..3, 0_u16..4, 0_u32..3000), 1..30
        ),
        samples in prop::collection::vec((0_i64..200, 0.0..4000.0_f64), 0..12),
    ) {
        let mut calls = calls;
        calls.sort_unstable();
        let rows: Vec<_> = calls
            .iter()
            .map(|(start, length, name, depth, bytes)| {
                (*start, start + length, ["read", "write", "work"][*name], *depth, *bytes)
            })
            .collect();
        let mut phone = phone(&[&rows]);
        let (mut now, mut value) = (0, 0.0);
        let samples: Vec<_> = samples
            .into_iter()
            .map(|(step, rise)| {
                now += step;
                value += rise;
                (now, value)
            })
            .collect();
        let counter = counter(&mut phone, "rx", &samples);
        let options = options(&["read", "write"]);
        let hooked: u64 =
            rows.iter().filter(|it| it.2 != "work").map(|it| u64::from(it.4)).sum();
        let most = hooked as f64;
        for counter in [None, Some(&counter)] {
            let found = by_bytes(&phone.timeline, counter, &options);
            prop_assert_eq!(found.is_some(), hooked > 0);
            let Some(found) = found else { continue };
            let given = found.allocated();
            let sum = given + found.unattributed - found.excess;
            prop_assert!((sum - found.counted).abs() <= 1e-9 * found.counted.max(given).max(1.0));
            prop_assert!(found.unattributed == 0.0 || found.excess == 0.0);
            prop_assert!(found.calls.iter().all(|call| call.amount >= 0.0) && given <= most);
            let by_path: f64 = found.by_path().iter().sum();
            prop_assert!((by_path - given).abs() <= 1e-9 * given.max(1.0));
            // No call alone moved more than all together were given.
            let largest = rows.iter().filter(|it| it.2 != "work").map(|it| it.4).max();
            prop_assert!(counter.is_some() || given >= f64::from(largest.unwrap_or_default()));
        }
        // A shared counter is never given out beyond what it counted.
        let shared = allocate(&phone.timeline, &counter, &options);
        prop_assert_eq!(shared.excess, 0.0);
    }
}
