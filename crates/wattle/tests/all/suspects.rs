//! Suspicious methods from end to end: a real package with probes, tests on the simulated phone, saved ledgers compared.

use crate::phone_bench::{PhoneBench, options};
use crate::support::{Run, list, number, wattle};
use serde_json::Value;
use wattle_phone::{Step, TestSpec};
use wattle_testdata::requires;

/// A real app whose tests are scripted.
const APP: &str = "apk/androguard-a2dp.Vol_137.apk";
const PACKAGE: &str = "a2dp.Vol";

/// Three tests that mostly wait and two that are busy in a method of their own; all of them open the app.
fn tests() -> Vec<TestSpec> {
    // When a test begins and ends is known to some milliseconds, on a busy machine to some dozens.
    const PAUSE: u64 = 200;
    let quiet = |milliseconds| {
        vec![
            Step::sleep(PAUSE),
            Step::call("a2dp.Vol.main.onCreate", vec![Step::busy(10)]),
            Step::call("a2dp.Vol.DeviceDB.selectAll", vec![Step::busy(5)]),
            Step::sleep(milliseconds),
        ]
    };
    let busy = |milliseconds| {
        let body = vec![Step::busy(milliseconds)];
        vec![
            Step::sleep(PAUSE),
            Step::call("a2dp.Vol.main.onCreate", vec![Step::busy(10)]),
            Step::call("a2dp.Vol.service.onCreate", body),
            Step::sleep(PAUSE),
        ]
    };
    let test = |name, steps| TestSpec::new("a2dp.Vol.MainTest", name).with_steps(steps);
    vec![
        test("waits", quiet(200)),
        test("syncs", busy(300)),
        test("lists", quiet(300)),
        test("uploads", busy(200)),
        test("idles", quiet(250)),
    ]
}

/// The row of a method.
#[track_caller]
fn method<'a>(suspects: &'a Value, class: &str, method: &str) -> &'a Value {
    let is_it = |row: &&Value| row["class"] == class && row["method"] == method;
    let found = list(suspects, "/methods").iter().find(is_it);
    found.unwrap_or_else(|| panic!("no {class}.{method} in {}", suspects["methods"]))
}

/// Checks the results of the tests above, each recorded so many times.
#[track_caller]
fn check(suspects: &Value, times: u64) {
    let (busy, quiet) = (2 * times, 3 * times);
    assert!(suspects["no_localisation"].is_null(), "{}", suspects["no_localisation"]);
    assert_eq!(
        [&suspects["excessive"], &suspects["normal"]],
        [busy, quiet],
        "{}",
        suspects["tests"]
    );
    for row in list(suspects, "/tests") {
        let name = row["name"].as_str().expect("a name");
        let is_busy = name.ends_with("syncs") || name.ends_with("uploads");
        assert_eq!(row["excessive"], is_busy, "{row}");
        assert_eq!(row["excessive"], row["mean_mw"].as_f64() > suspects["mean_mw"].as_f64());
    }
    let culprit = method(suspects, "a2dp.Vol.service", "onCreate");
    assert_eq!(
        [&culprit["e_f"], &culprit["e_p"], &culprit["n_f"], &culprit["n_p"]],
        [busy, 0, 0, quiet]
    );
    assert_eq!((&culprit["suspicion"], &culprit["rank"]), (&"red".into(), &1.into()));
    assert_eq!((number(culprit, "/ochiai"), number(culprit, "/tarantula")), (1.0, 1.0));
    let above = |row: &&Value| row["excessive"] == true;
    let mean = number(suspects, "/mean_mw");
    let tests = list(suspects, "/tests").iter().filter(above);
    let stake: f64 = tests
        .map(|row| number(row, "/app_joules") - mean * 1e-3 * number(row, "/duration_s"))
        .sum();
    assert!((number(culprit, "/at_stake_joules") - stake).abs() < 1e-9, "{stake}: {culprit}");
    assert!(stake > 0.0 && number(culprit, "/self_joules") > 0.0, "{culprit}");

    let everywhere = method(suspects, "a2dp.Vol.main", "onCreate");
    assert_eq!([&everywhere["e_f"], &everywhere["e_p"]], [busy, quiet]);
    assert_eq!(
        (&everywhere["suspicion"], number(everywhere, "/tarantula")),
        (&"yellow".into(), 0.5)
    );
    let innocent = method(suspects, "a2dp.Vol.DeviceDB", "selectAll");
    assert_eq!((&innocent["suspicion"], number(innocent, "/ochiai")), (&"green".into(), 0.0));
    assert!(innocent["at_stake_joules"].is_null());

    let sum = |key: &str| -> u64 {
        list(suspects, "/classes").iter().filter_map(|row| row[key].as_u64()).sum()
    };
    assert_eq!(sum("executed"), 3);
    assert!(sum("methods") > 100, "most of a real app's methods did not run: {}", sum("methods"));
}

#[track_caller]
fn check_usage(arguments: &[&str], said: &str) {
    let Run { code, stderr, .. } = wattle(arguments);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains(said), "{stderr}");
}

#[requires(data, program = "adb")]
#[test]
fn the_method_of_the_busy_tests_is_suspected() {
    let app = wattle_testdata::path(APP);
    let mut phone = options();
    phone.tests = tests();
    let bench = PhoneBench::new(phone);
    let app = app.to_string_lossy().into_owned();
    let test_apk = bench.tests_of(PACKAGE, Vec::new()).to_string_lossy().into_owned();
    let run = bench.run([
        "run",
        &app,
        "--all",
        "--short-methods",
        "probe",
        "--test-apk",
        &test_apk,
        "--out",
        "rec",
        "--json",
        "report.json",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let said = "most suspicious method: a2dp.Vol.service.onCreate";
    assert!(run.stdout.contains(said), "{}", run.stdout);
    let report = std::fs::read(bench.path("report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    check(&report["suspects"], 1);

    let one = bench.path("rec").join("run.ledger.json.zst");
    let two = bench.path("again.ledger.json.zst");
    std::fs::copy(&one, &two).expect("a copy");
    let page = bench.path("suspects.html");
    let [one, two, page] = [one, two, page].map(|path| path.to_string_lossy().into_owned());
    let comparison = wattle(["report", &one, &two, "--json", "-", "--html", &page]).json();
    assert_eq!(comparison["schema"], "wattle-suspects/1");
    check(&comparison["suspects"], 2);
    assert!(std::fs::read_to_string(&page).expect("a page").contains("sunburst"));
    let text = wattle(["report", &one, &two, "--top", "2"]).stdout;
    assert!(
        text.contains("4 of 10 tests are excessive") && text.contains("service.onCreate"),
        "{text}"
    );

    check_usage(&["report", &one, &two, "--app", PACKAGE], "--app");
    check_usage(&["report", &one, &two, "--save", "x"], "--save");
    check_usage(&["report", &one, &two, "--model", "curves"], "--model");
    let recording = bench.path("rec").to_string_lossy().into_owned();
    check_usage(&["report", &one, &recording], "with other saved ledgers");
    let package = wattle(["report", &one, &app]);
    assert_eq!(package.code, Some(3), "{}", package.stderr);
    assert!(package.stderr.contains("this is an Android package"), "{}", package.stderr);
    let missing = wattle(["report", &one, "absent.ledger.json.zst"]);
    assert_eq!(missing.code, Some(3), "{}", missing.stderr);
}
