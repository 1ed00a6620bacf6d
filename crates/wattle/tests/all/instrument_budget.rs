//! `wattle instrument --budget`: a run with probes on the simulated phone, then the same app with fewer of them.

use serde_json::Value;
use wattle_phone::{Step, TestSpec};
use wattle_testdata::requires;

use crate::phone_bench::{PhoneBench, options};
use crate::support::{list, number};

const APP: &str = "apk/androguard-a2dp.Vol_137.apk";
const PACKAGE: &str = "a2dp.Vol";

/// Returns the summary of a dry run with a budget.
#[track_caller]
fn dry_run(bench: &PhoneBench, app: &str, budget: &str) -> Value {
    let flags = ["--dry-run", "--budget", budget, "--calls", "run.ledger.json.zst", "--json", "-"];
    bench.run([&["instrument", app], &flags[..]].concat()).json()
}

/// Returns the number of methods that were left out for the budget.
fn left_out(summary: &Value) -> f64 {
    summary.pointer("/skipped/over-budget").and_then(Value::as_f64).unwrap_or(0.0)
}

#[requires(data, program = "adb")]
#[test]
fn methods_whose_probes_cost_most_are_left_out() {
    let app = wattle_testdata::path(APP);
    let app = app.to_str().expect("UTF-8");
    let mut phone = options();
    let calls =
        (0..3000).map(|_| Step::call("a2dp.Vol.main.onCreate", Vec::new())).collect::<Vec<_>>();
    phone.tests = vec![TestSpec::new("a2dp.Vol.MainTest", "calls").with_steps(calls)];
    let bench = PhoneBench::new(phone);
    let tests = bench.tests_of(PACKAGE, Vec::new());
    let tests = tests.to_str().expect("UTF-8");
    let run = bench.run([
        "run",
        app,
        "--test-apk",
        tests,
        "--quiet",
        "--save",
        "run.ledger.json.zst",
        "--out",
        "rec",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let all = dry_run(&bench, app, "100%");
    assert_eq!(left_out(&all), 0.0, "{all}");
    let fewer = dry_run(&bench, app, "0.001%");
    assert!(left_out(&fewer) >= 1.0, "{fewer}");
    // Overloads of a method that ran are left out with it, also short ones, which have no probes anyway.
    let probed = |summary| number(summary, "/methods_probed");
    assert!(probed(&fewer) < probed(&all), "{fewer}");
    assert!(probed(&fewer) + left_out(&fewer) >= probed(&all), "{fewer}");
    let note = list(&fewer, "/notes").iter().filter_map(Value::as_str);
    let note = note.filter(|note| note.starts_with("budget of 0.001 %")).count();
    assert_eq!(note, 1, "{fewer}");
    // Without the methods' calls there is nothing to choose by.
    let demo = bench.run(["demo", "--quiet", "--save", "demo.ledger.json.zst"]);
    assert_eq!(demo.code, Some(0), "{}", demo.stderr);
    let refused = bench.run([
        "instrument",
        app,
        "--dry-run",
        "--budget",
        "5%",
        "--calls",
        "demo.ledger.json.zst",
    ]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("expected a run of the app with probes"), "{}", refused.stderr);
}
