//! Energy in the time of tests, worked out by hand.

use std::collections::BTreeMap;

use crate::common::{Phone, window};
use wattle_ledger::{AttributionOptions, Ledger, TestEntry};
use wattle_power::Scope;
use wattle_timeline::{ThreadId, Uid};

const IDLE: ThreadId = ThreadId::IDLE;

/// Two processes on one core of 1 W, a GPU of 2 W with work of the first one's uid, a display of 3 W.
fn phone() -> Phone {
    let mut phone = Phone::new(1, 100);
    let (app, other) = (phone.thread("com.example.app"), phone.thread("other"));
    phone.timeline.tasks.processes[0].uid = Some(Uid(10_001));
    phone.timeline.tasks.processes[1].uid = Some(Uid(10_002));
    phone.runs(0, &[(0, 40, app), (40, 70, other), (70, 80, IDLE), (80, 100, app)]);
    phone.core(0, &[(100, 1.0)]).draws("gpu", Scope::Gpu(0), &[(100, 2.0)]);
    phone.draws("display", Scope::Device, &[(100, 3.0)]);
    phone.gpu_work(0, &[(20, 60, 10_001), (60, 90, 10_002)]);
    phone
}

/// Microjoules by test and component, of all error sources together: of everybody and of the app.
#[track_caller]
fn check(ledger: &Ledger, expected: &[(&str, &str, f64, f64)]) {
    let mut sums: BTreeMap<_, [f64; 2]> = BTreeMap::new();
    for booking in &ledger.test_runs.bookings {
        let [all, own] = sums.entry((booking.test, booking.component)).or_default();
        *all += booking.joules.value();
        *own += booking.own.value();
    }
    let found: Vec<_> = sums
        .into_iter()
        .map(|((test, component), sums)| {
            let test = ledger.test_runs.tests[test as usize].name.as_str();
            let component = ledger.rows.components[usize::from(component.0)].name.name();
            let [all, own] = sums.map(|joules| (joules * 1e9).round() / 1e3);
            (test, component, all, own)
        })
        .collect();
    let mut expected = expected.to_vec();
    let order = |line: &(&str, &str, f64, f64)| {
        let test = ledger.test_runs.tests.iter().position(|test| test.name == line.0);
        (test, ledger.rows.components.iter().position(|component| component.name.name() == line.1))
    };
    expected.sort_by_key(order);
    assert_eq!(found, expected);
}

#[test]
fn a_test_has_what_was_drawn_between_its_ends() {
    let mut phone = phone();
    let app = phone.timeline.names.intern("com.example.app");
    phone.timeline.tasks.apps.push(app);
    phone.test("first", 10, 50).test("second", 50, 90);
    check(
        &phone.attribute(&AttributionOptions::default()),
        &[
            ("first", "cpu", 40.0, 30.0),
            ("first", "gpu", 80.0, 2.0 * 30.0),
            ("first", "display", 120.0, 0.0),
            ("second", "cpu", 40.0, 10.0),
            ("second", "gpu", 80.0, 2.0 * 10.0),
            ("second", "display", 120.0, 0.0),
        ],
    );
}

#[test]
fn without_a_named_app_all_processes_are_its_own() {
    let mut phone = phone();
    phone.test("only", 10, 90);
    check(
        &phone.attribute(&AttributionOptions::default()),
        &[
            ("only", "cpu", 80.0, 70.0),
            ("only", "gpu", 160.0, 140.0),
            ("only", "display", 240.0, 0.0),
        ],
    );
}

#[test]
fn tests_may_overlap_and_stand_in_each_other() {
    let mut phone = Phone::new(1, 100);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 100, app)]).core(0, &[(50, 1.0), (100, 2.0)]);
    phone.test("outer", 0, 100).test("inner", 20, 30).test("late", 25, 60).test("empty", 60, 60);
    check(
        &phone.attribute(&AttributionOptions::default()),
        &[
            ("outer", "cpu", 150.0, 150.0),
            ("inner", "cpu", 10.0, 10.0),
            ("late", "cpu", 45.0, 45.0),
        ],
    );
}

#[test]
fn probes_are_not_the_apps_own_in_a_test_either() {
    let mut phone = Phone::new(1, 100);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 100, app)]).core(0, &[(100, 1.0)]);
    phone.probed(app, &[(20, 60, "load", 0)]).probes_cost(10, 6).test("half", 0, 40);
    check(
        &phone.attribute(&AttributionOptions::default()),
        // 2 before the call and 3 after its begin
        &[("half", "cpu", 40.0, 35.0)],
    );
}

#[test]
fn a_test_is_cut_at_the_window() {
    let mut phone = Phone::new(1, 100);
    let app = phone.thread("app");
    phone.runs(0, &[(0, 100, app)]).core(0, &[(100, 1.0)]);
    phone.test("in", 20, 30).test("half", 40, 80).test("out", 80, 90);
    let mut options = AttributionOptions::default();
    options.window = Some(window(10, 60));
    let ledger = phone.attribute(&options);
    check(&ledger, &[("in", "cpu", 10.0, 10.0), ("half", "cpu", 20.0, 20.0)]);
    let cut: Vec<_> = ledger.test_runs.tests.iter().map(|test| test.cut).collect();
    assert_eq!(cut, [false, true, true]);
    assert_eq!(ledger.test_runs.tests[1].window, window(40, 60));
}

#[test]
fn a_ledger_with_a_broken_test_is_refused() {
    let mut phone = phone();
    phone.test("only", 10, 90);
    let sound = phone.attribute(&AttributionOptions::default());
    let break_it = |change: fn(&mut Ledger)| {
        let mut ledger = sound.clone();
        change(&mut ledger);
        let bytes = ledger.to_bytes().expect("written");
        Ledger::from_bytes(&bytes).expect_err("refused").to_string()
    };
    let found = [
        break_it(|ledger| ledger.test_runs.bookings[0].test = 7),
        break_it(|ledger| ledger.test_runs.bookings.swap(0, 1)),
        break_it(|ledger| {
            let TestEntry { window, .. } = &mut ledger.test_runs.tests[0];
            std::mem::swap(&mut window.start, &mut window.end);
        }),
    ];
    assert_eq!(
        found,
        [
            "damaged ledger: test booking 0 points to test 7, there are 1",
            "damaged ledger: test booking 1 is not in ascending order",
            "damaged ledger: test 0 ends before it starts",
        ]
    );
}
