//! Energy of single calls, and the methods that ran in each test, worked out by hand.

use crate::common::{Phone, window};
use wattle_ledger::{AttributionOptions, CallQuantiles, Ledger};
use wattle_timeline::ThreadId;

fn options() -> AttributionOptions {
    let mut options = AttributionOptions::default();
    options.all_call_stats = true;
    options
}

/// Microjoules.
fn micro(quantiles: Option<CallQuantiles>) -> Option<[f64; 3]> {
    let of = |it: CallQuantiles| [it.p50, it.p95, it.max].map(|j| (j.value() * 1e9).round() / 1e3);
    quantiles.map(of)
}

#[track_caller]
fn check(ledger: &Ledger, expected: &[(&str, u64, Option<[f64; 3]>)]) {
    let stats = ledger.sheets.call_stats.iter();
    let found: Vec<_> =
        stats.map(|stats| (stats.name.as_str(), stats.calls, micro(stats.joules))).collect();
    assert_eq!(found, expected);
}

/// A core of 1 W until 50, then 2 W, with one thread that pauses from 20 to 30.
fn phone() -> (Phone, ThreadId) {
    let mut phone = Phone::new(1, 100);
    let (app, other) = (phone.thread("app"), phone.thread("other"));
    phone.runs(0, &[(0, 20, app), (20, 30, other), (30, 100, app)]);
    phone.core(0, &[(50, 1.0), (100, 2.0)]);
    (phone, app)
}

#[test]
fn a_call_has_what_its_thread_drew_from_its_begin_to_its_end() {
    let (mut phone, app) = phone();
    phone.calls(
        app,
        &[
            (10, 40, "load", 0),
            (12, 14, "parse", 1),
            (45, 60, "load", 0),
            (50, 58, "parse", 1),
            (80, 81, "load", 0),
        ],
    );
    check(
        &phone.attribute(&options()),
        // load: 10 + 10, 5 + 20, 2; parse: 2, 16.
        &[("load", 3, Some([20.0, 25.0, 25.0])), ("parse", 2, Some([2.0, 16.0, 16.0]))],
    );
}

#[test]
fn only_whole_calls_count_and_of_recursion_the_outermost() {
    let (mut phone, app) = phone();
    phone.calls(
        app,
        &[
            (5, 15, "walk", 0),
            (6, 14, "walk", 1),
            (7, 8, "walk", 2),
            (60, 70, "cut", 0),
            (65, 90, "longer than its caller", 1),
            (95, i64::MAX, "open", 0),
        ],
    );
    check(
        &phone.attribute(&options()),
        &[("cut", 1, Some([20.0; 3])), ("walk", 1, Some([10.0; 3]))],
    );
    let mut early = options();
    early.window = Some(window(0, 66));
    check(&phone.attribute(&early), &[("walk", 1, Some([10.0; 3]))]);
}

#[test]
fn shared_power_is_in_it_and_probes_are_not() {
    let (mut phone, app) = phone();
    phone.cores(&[0], &[(100, 0.5)]);
    phone.probed(app, &[(40, 60, "load", 0)]).probes_cost(10, 6);
    // 20 at 0.5 W shared, 10 at 1 W and 10 at 2 W; of the probes' 6 inside, 3 are at either end.
    check(
        &phone.attribute(&options()),
        &[("load", 1, Some([20.0 * 0.5 + 10.0 + 20.0 - 3.0 * 1.5 - 3.0 * 2.5; 3]))],
    );
}

#[test]
fn without_a_scheduler_or_a_model_nothing_is_known_of_the_energy() {
    let mut phone = Phone::new(1, 100);
    let app = phone.thread("app");
    phone.calls(app, &[(10, 40, "load", 0)]);
    check(&phone.attribute(&options()), &[("load", 1, None)]);
    phone.core(0, &[(100, 1.0)]);
    check(&phone.attribute(&options()), &[("load", 1, None)]);
}

#[test]
fn slices_without_a_place_in_the_code_are_left_out_unless_asked_for() {
    let (mut phone, app) = phone();
    phone.calls(app, &[(10, 40, "load", 0)]);
    assert_eq!(phone.attribute(&AttributionOptions::default()).sheets.call_stats, []);
}
