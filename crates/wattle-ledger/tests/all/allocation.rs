//! Sharing what a counter counted among low-level calls, by hand and by property.

use std::collections::BTreeMap;

use crate::common::{Phone, at};
use proptest::prelude::*;
use wattle_ledger::allocation::{Allocation, AllocationOptions, NamePattern, allocate};
use wattle_timeline::{CounterScope, CounterTrack, Uid};
use wattle_units::Nanos;

/// A counter with these samples: (time, value).
fn counter(phone: &mut Phone, samples: &[(i64, f64)]) -> CounterTrack {
    CounterTrack {
        name: phone.timeline.names.intern("net.wlan0.rx_bytes"),
        scope: CounterScope::Global,
        time: samples.iter().map(|(time, _)| at(*time)).collect(),
        value: samples.iter().map(|(_, value)| *value).collect(),
    }
}

fn options(pattern: &str) -> AllocationOptions {
    AllocationOptions::new([NamePattern::new(pattern)])
}

/// Compares the amounts of all calls, in order; the last number is the amount that no call was given.
#[track_caller]
fn check(found: &Allocation, expected: &[f64], unattributed: f64) {
    let amounts: Vec<_> = found.calls.iter().map(|call| call.amount).collect();
    let close = amounts.len() == expected.len()
        && amounts.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-9);
    assert!(close, "found {amounts:?}, expected {expected:?}");
    assert!((found.unattributed - unattributed).abs() < 1e-9, "{}", found.unattributed);
}

/// By path with all it calls, and by path alone.
fn by_name(phone: &Phone, found: &Allocation) -> BTreeMap<String, (f64, f64)> {
    let (own, total) = (found.by_path(), found.by_path_with_callees());
    (0..found.paths.len())
        .map(|path| {
            let names: Vec<_> = found
                .names(path as u32)
                .into_iter()
                .map(|name| phone.timeline.names.get(name))
                .collect();
            (names.join(" > "), (own[path], total[path]))
        })
        .collect()
}

/// Hitani et al., figures 1 and 4: A calls B, which calls B1 and B2, and C, which calls C1; Wi-Fi: 0.5 in B1, 0.1 in C1.
#[test]
fn the_call_tree_of_the_paper() {
    let mut phone = Phone::new(1, 100);
    let app = phone.thread("app");
    phone.calls(
        app,
        &[
            (0, 90, "A", 0),
            (10, 60, "B", 1),
            (20, 30, "B1", 2),
            (40, 50, "B2", 2),
            (70, 85, "C", 1),
            (75, 80, "C1", 2),
        ],
    );
    let counter = counter(&mut phone, &[(0, 7.0), (35, 7.5), (65, 7.5), (95, 7.6)]);
    let found = allocate(&phone.timeline, &counter, &options("B"));
    check(&found, &[0.5], 0.1);
    let mut options = options("B1");
    options.calls.push(NamePattern::new("C1"));
    let found = allocate(&phone.timeline, &counter, &options);
    check(&found, &[0.5, 0.1], 0.0);
    let sums = by_name(&phone, &found);
    for (path, total) in
        [("A", 0.6), ("A > B", 0.5), ("A > B > B1", 0.5), ("A > C", 0.1), ("A > C > C1", 0.1)]
    {
        assert!((sums[path].1 - total).abs() < 1e-12, "{path}: {:?}", sums[path]);
    }
    assert_eq!(sums["A"].0, 0.0);
    assert_eq!(sums["A > B > B2"], (0.0, 0.0));
}

#[test]
fn increments_are_shared_by_time_inside_the_interval() {
    let mut phone = Phone::new(1, 400);
    let (one, other) = (phone.thread("one"), phone.thread("other"));
    // The second reaches over the border between the intervals.
    phone.calls(one, &[(10, 30, "read", 0), (80, 140, "read", 0)]);
    phone.calls(other, &[(0, 60, "read", 0)]);
    let counter = counter(&mut phone, &[(0, 0.0), (100, 1000.0), (200, 1300.0)]);
    let found = allocate(&phone.timeline, &counter, &options("read"));
    // 20, 20 and 60 of the first hundred; alone in the second
    check(&found, &[200.0, 200.0 + 300.0, 600.0], 0.0);
    assert_eq!((found.intervals, found.without_call, found.counted), (2, 0, 1300.0));
}

#[test]
fn the_innermost_low_level_call_wins() {
    let mut phone = Phone::new(1, 200);
    let app = phone.thread("app");
    // What is no low-level call hands its time to the one around it.
    phone.calls(
        app,
        &[
            (0, 100, "read buffered", 0),
            (20, 60, "read", 1),
            (30, 40, "copy", 2),
            (70, 80, "log", 1),
        ],
    );
    let counter = counter(&mut phone, &[(0, 0.0), (100, 100.0)]);
    check(&allocate(&phone.timeline, &counter, &options("read*")), &[60.0, 40.0], 0.0);
}

#[test]
fn what_nobody_called_for_is_unattributed_or_a_tail() {
    let mut phone = Phone::new(1, 1000);
    let app = phone.thread("app");
    phone.calls(app, &[(10, 50, "read", 0), (60, 90, "read", 0), (550, 550, "read", 0)]);
    let samples = [(0, 0.0), (100, 70.0), (200, 75.0), (300, 75.0), (500, 78.0), (600, 80.0)];
    let counter = counter(&mut phone, &samples);
    let found = allocate(&phone.timeline, &counter, &options("read"));
    // The call without a length gets what rose around it, as there is no other.
    check(&found, &[40.0, 30.0, 2.0], 5.0 + 3.0);
    assert_eq!(found.without_call, 3);
    let mut tail = options("read");
    tail.tail = Nanos::new(10_000);
    check(&allocate(&phone.timeline, &counter, &tail), &[40.0, 35.0, 2.0], 3.0);
    tail.tail = Nanos::new(300_000);
    check(&allocate(&phone.timeline, &counter, &tail), &[40.0, 38.0, 2.0], 0.0);
}

#[test]
fn a_counter_of_a_uid_belongs_to_its_threads() {
    let mut phone = Phone::new(1, 100);
    let (one, other) = (phone.thread("one"), phone.thread("other"));
    phone.timeline.tasks.processes[0].uid = Some(Uid(10_001));
    phone.timeline.tasks.processes[1].uid = Some(Uid(10_002));
    phone.calls(one, &[(0, 50, "read", 0)]).calls(other, &[(0, 100, "read", 0)]);
    let mut counter = counter(&mut phone, &[(0, 0.0), (100, 30.0)]);
    check(&allocate(&phone.timeline, &counter, &options("*")), &[10.0, 20.0], 0.0);
    counter.scope = CounterScope::Uid(Uid(10_001));
    check(&allocate(&phone.timeline, &counter, &options("*")), &[30.0], 0.0);
}

#[test]
fn odd_samples_are_survived() {
    let mut phone = Phone::new(1, 100);
    let app = phone.thread("app");
    phone.calls(app, &[(0, i64::MAX, "read", 0)]);
    for (samples, expected, resets) in [
        (vec![], 0.0, 0),
        (vec![(10, 5.0)], 0.0, 0),
        // A reset counts nothing, and neither does what is no number or goes back in time.
        (vec![(10, 5.0), (20, 8.0), (30, 2.0), (40, 6.0)], 7.0, 1),
        (vec![(10, 5.0), (20, f64::NAN), (15, 7.0), (12, 9.0), (40, 10.0)], 5.0, 0),
        (vec![(10, 5.0), (10, 6.0), (40, 10.0)], 4.0, 0),
    ] {
        let counter = counter(&mut phone, &samples);
        let found = allocate(&phone.timeline, &counter, &options("*"));
        check(&found, &[expected], 0.0);
        assert_eq!((found.resets, found.counted), (resets, expected));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_given_and_what_was_not_is_what_was_counted(
        threads in prop::collection::vec(
            prop::collection::vec((0_i64..400, 0_i64..150, 0_usize..3, 0_u16..4), 0..12), 0..4
        ),
        samples in prop::collection::vec((0_i64..60, -5.0..100.0_f64), 0..20),
        tail in 0_i64..50_000,
        rows in 1_usize..3,
    ) {
        let mut phone = Phone::new(1, 600);
        for (nth, mut slices) in threads.into_iter().enumerate() {
            let thread = phone.thread(&format!("thread {nth}"));
            slices.sort_unstable();
            let slices: Vec<_> = slices
                .into_iter()
                .map(|(start, length, name, depth)| {
                    let end = if length == 149 { i64::MAX } else { start + length };
                    (start, end, ["read", "write", "work"][name], depth)
                })
                .collect();
            for row in slices.chunks(slices.len().div_ceil(rows).max(1)) {
                phone.calls(thread, row);
            }
        }
        let (mut now, mut value) = (0, 0.0);
        let samples: Vec<_> = samples
            .into_iter()
            .map(|(step, rise)| {
                now += step;
                value += rise;
                (now, value)
            })
            .collect();
        let counter = counter(&mut phone, &samples);
        let mut options = options("r*d");
        options.calls.push(NamePattern::new("write"));
        options.tail = Nanos::new(tail);
        let found = allocate(&phone.timeline, &counter, &options);
        let sum = found.allocated() + found.unattributed;
        prop_assert!((sum - found.counted).abs() <= 1e-9 * found.counted.max(1.0));
        prop_assert!(found.calls.iter().all(|call| call.amount >= 0.0));
        let given: f64 = found.by_path().iter().sum();
        prop_assert!((given - found.allocated()).abs() <= 1e-9 * found.counted.max(1.0));
        // Without a reset, what was counted is the difference of the ends.
        if found.resets == 0 && let (Some(first), Some(last)) = (samples.first(), samples.last()) {
            // Of several samples at the first instant the last one counts.
            let from = samples.iter().rev().find(|(time, _)| *time == first.0).map_or(0.0, |s| s.1);
            prop_assert!((found.counted - (last.1 - from)).abs() <= 1e-9 * last.1.abs().max(1.0));
        }
    }
}
