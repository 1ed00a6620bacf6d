//! The JSON view: its schema and its sums.

use crate::support;
use std::path::Path;

use serde_json::Value;
use wattle_ledger::Ledger;
use wattle_report::ReportOptions;

use crate::support::json;

fn of(ledger: &Ledger, apps: &[&str]) -> Value {
    let mut options = ReportOptions::default();
    options.apps = apps.iter().map(|app| (*app).to_owned()).collect();
    json(ledger, &options).expect("a report")
}

/// The value at a JSON pointer, to 1 nJ.
#[track_caller]
fn check(report: &Value, pointer: &str, expected: f64) {
    let found = report.pointer(pointer).and_then(Value::as_f64);
    let found = found.unwrap_or_else(|| panic!("{pointer} is {:?}", report.pointer(pointer)));
    assert!((found - expected).abs() < 1e-9, "{pointer}: {found}, expected {expected}");
}

fn schema(name: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema").join(name);
    let schema = std::fs::read_to_string(&file).expect("the schema is in the repository");
    serde_json::from_str(&schema).expect("the schema is JSON")
}

#[track_caller]
fn check_schema(report: &Value) {
    check_against("report-1.schema.json", report);
}

#[track_caller]
fn check_against(name: &str, report: &Value) {
    let schema = schema(name);
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
    let errors: Vec<_> = validator
        .iter_errors(report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// The text is that of `serde_json`'s pretty printer, to the byte.
#[test]
fn the_text_is_that_of_the_value() {
    for ledger in vec![
        support::phone(),
        support::no_energy(),
        support::recorded_phone(),
        support::runtime_phone(),
        support::suspects_phone(),
        Ledger::empty(wattle_timeline::Window::default()),
        support::busy(50, 300),
        support::code::app(),
        support::code::without_energy(support::code::app()),
    ] {
        let mut options = ReportOptions::default();
        options.apps = vec!["com.example.app".to_owned()];
        let report = wattle_report::Report::new(&ledger, &options);
        let mut text = Vec::new();
        wattle_report::write_json(&report, &mut text).expect("JSON");
        let value = wattle_report::json(&report).expect("a value");
        let expected = serde_json::to_string_pretty(&value).expect("JSON") + "\n";
        assert!(String::from_utf8(text).expect("text") == expected, "{:?}", ledger.recording.apps);
    }
}

#[test]
fn reports_follow_their_schema() {
    check_schema(&of(&support::phone(), &[]));
    check_schema(&of(&support::phone(), &["com.example.app", "com.example.absent"]));
    check_schema(&of(&support::phone(), &["com.example.absent"]));
    check_schema(&of(&support::no_energy(), &["com.example.app"]));
    check_schema(&of(&support::recorded_phone(), &["com.example.app"]));
    check_schema(&of(&Ledger::empty(wattle_timeline::Window::default()), &[]));
    check_schema(&of(&support::busy(50, 300), &[]));
    check_schema(&of(&support::code::app(), &["com.example.app"]));
    check_schema(&of(&support::code::without_energy(support::code::app()), &[]));
}

#[test]
fn coverage_and_ratings_follow_the_schema() {
    use wattle_ledger::CoverageEntry;
    use wattle_report::Category;

    let mut ledger = support::phone();
    let class = |nth: u64| CoverageEntry {
        class: format!("com.example.C{nth:03}"),
        methods: 10,
        executed: nth % 11,
    };
    ledger.sheets.coverage = (0..110).map(class).collect();
    let text = "format = 'wattle-category/1'\nname = 'x'\nof = 'device'\nsource = 's'\n";
    for figures in ["joules = [1, 2, 3, 4, 5]", "joules = [1]", "[baseline]\njoules = 8\nwidth = 2"]
    {
        let category = Category::parse("x", &format!("{text}{figures}")).expect("a category");
        let mut options = ReportOptions::default();
        options.category = Some(category);
        let report = json(&ledger, &options).expect("a report");
        check_schema(&report);
        check_schema(&json(&support::no_energy(), &options).expect("a report"));
        // Ten times 0 to 10 of 10.
        check(&report, "/coverage/methods", 1100.0);
        check(&report, "/coverage/executed", 550.0);
        check(&report, "/coverage/share", 0.5);
        check(&report, "/coverage/classes/0/executed", 0.0);
        check(&report, "/coverage/classes_left_out", 10.0);
        assert_eq!(report["coverage"]["classes"].as_array().map(Vec::len), Some(100));
    }
}

#[test]
fn suspects_follow_their_schemas() {
    use wattle_report::{SuspectsComparison, SuspectsSample};

    let phone = support::suspects_phone();
    let report = of(&phone, &[]);
    check_schema(&report);
    check(&report, "/suspects/mean_mw", 2650.0 / 6.0);
    check(&report, "/suspects/methods/0/ochiai", 1.0);
    check(&report, "/suspects/methods/0/at_stake_joules", 1.85);
    assert!(report["suspects"]["methods"][5]["at_stake_joules"].is_null(), "no data is not 0");
    let mut single = phone.clone();
    single.test_runs.tests.truncate(1);
    check_schema(&of(&single, &[]));
    assert!(of(&support::recorded_phone(), &[]).get("suspects").is_none());

    let sample = SuspectsSample::new("a", &phone);
    for samples in [vec![], vec![sample.clone()], vec![sample.clone(), sample]] {
        let comparison = serde_json::to_value(SuspectsComparison::new(&samples)).expect("JSON");
        check_against("suspects-1.schema.json", &comparison);
    }
    let (whole, part) = (schema("report-1.schema.json"), schema("suspects-1.schema.json"));
    for (name, definition) in part["$defs"].as_object().expect("definitions") {
        assert_eq!(whole["$defs"][name], *definition, "{name} is the same in both");
    }
}

/// A ledger with one bounded call, with and without what Navitas shows.
fn bounded(legacy: Option<wattle_ledger::LegacyFigure>) -> Ledger {
    use wattle_ledger::{BoundCall, BoundGroup, BoundTest, UpperBound, UpperBounds};
    use wattle_units::{Coulombs, Joules, Nanos, Provenance, Volts};

    let bound = UpperBound {
        core: Joules::new(3.0),
        shared: Joules::new(1.0),
        charge: Coulombs::new(1.0),
        core_time: Nanos::new(8_000_000_000),
    };
    let mut ledger = Ledger::empty(wattle_timeline::Window::default());
    ledger.sheets.upper_bounds = Some(UpperBounds {
        model: wattle_power::ModelFacts {
            kind: "profile".to_owned(),
            name: "a phone".to_owned(),
            chosen: "--device-model".to_owned(),
            reason: None,
            source: "the user's file".to_owned(),
            provenance: Provenance::Modelled,
            version: 1,
        },
        voltage: Volts::new(4.0),
        provenance: Provenance::Assumed,
        tests: vec![BoundTest {
            name: Some("FooTest#bar".to_owned()),
            calls: 1,
            stale_calls: 2,
            bound,
            sum: bound,
            sum_with_stale: bound,
            legacy,
        }],
        groups: vec![BoundGroup { test: 0, pid: None, tid: None, bound, legacy }],
        calls: vec![BoundCall {
            group: 0,
            caller: None,
            name: "a.B.c".to_owned(),
            calls: 1,
            open: 0,
            wall: Nanos::new(1_000_000_000),
            bound,
            self_bound: bound,
            cpu: Some(Nanos::new(500_000_000)),
            scaled: Some(Joules::new(0.5)),
            legacy,
        }],
    });
    ledger
}

#[test]
fn upper_bounds_are_shown_and_named_so() {
    let legacy = wattle_ledger::LegacyFigure { shown_mah: 27.78, formula_mah: 27.777 };
    for legacy in [None, Some(legacy)] {
        let ledger = bounded(legacy);
        let report = of(&ledger, &[]);
        check_schema(&report);
        assert_eq!(report["upper_bounds"]["kind"], "upper bound");
        check(&report, "/upper_bounds/calls/0/joules", 4.0);
        check(&report, "/upper_bounds/calls/0/interval_joules/0", 0.0);
        check(&report, "/upper_bounds/calls/0/interval_joules/1", 4.0);
        check(&report, "/upper_bounds/tests/0/mah", 1.0 / 3.6);
        assert!(report["total_joules"].is_null(), "bounds are not booked");
        let shown = report.pointer("/upper_bounds/calls/0/legacy_mah").and_then(Value::as_f64);
        assert_eq!(shown, legacy.map(|legacy| legacy.shown_mah));
        let text = support::terminal(&ledger, &ReportOptions::default());
        assert!(text.contains("upper bounds") && text.contains("a.B.c"), "{text}");
        assert_eq!(text.contains("27.78"), legacy.is_some(), "{text}");
    }
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    let mut report = of(&support::phone(), &[]);
    report["processes"][0]["threads"][0]["cpu_core_joules"] = Value::String("2".into());
    let outcome = std::panic::catch_unwind(|| check_schema(&report));
    assert!(outcome.is_err(), "a string passed for an energy");
}

#[test]
fn sums_are_those_of_the_fixture() {
    let report = of(&support::phone(), &[]);
    check(&report, "/duration_s", 10.0);
    check(&report, "/total_joules", 7.8);
    check(&report, "/total/joules", 7.8);
    check(&report, "/mean_mw", 780.0);
    check(&report, "/components/0/joules", 4.4);
    check(&report, "/components/0/share", 4.4 / 7.8);
    check(&report, "/cpu_shared_joules", 0.6);
    check(&report, "/cpus/1/core_joules", 2.9);
    check(&report, "/processes/0/joules", 3.0);
    check(&report, "/processes/0/threads/0/joules", 2.3);
    check(&report, "/processes/0/threads/0/cpu_core_joules", 2.0);
    check(&report, "/processes/0/threads/0/cpu_shared_joules", 0.2);
    check(&report, "/processes/0/threads/0/wake_transition_joules", 0.1);
    check(&report, "/processes/0/threads/0/cpu_s", 1.5);
    check(&report, "/apps/0/joules", 0.4);
    check(&report, "/interrupts/0/joules", 0.2);
    check(&report, "/rails/0/joules", 3.0);
    check(&report, "/rails/0/disagreement", 0.1);
    check(&report, "/battery/drained_joules", 8.0);
    check(&report, "/closure_error", 2e-16);
    assert_eq!(report["components"][0]["name"], "cpu");
    assert_eq!(report["schema"], "wattle-report/1");
    assert!(report.get("app").is_none());
}

#[test]
fn what_recording_cost_is_nobodys_but_its_own() {
    let report = of(&support::recorded_phone(), &["com.example.app"]);
    check(&report, "/total_joules", 8.9);
    check(&report, "/overhead/joules", 1.1);
    check(&report, "/overhead/share", 1.1 / 8.9);
    check(&report, "/overhead/probes/joules", 0.3);
    check(&report, "/overhead/probes/events", 123_456.0);
    check(&report, "/overhead/probes/cpu_s", 0.15);
    check(&report, "/overhead/probes/costs/0/pair_s", 2e-6);
    // Its model's error is 5 % and 1 %, the probes' 10 % down and 50 % up; 90 % is 1.645 standard deviations.
    let model = 1.644_854 * 0.05_f64.hypot(0.01);
    let interval = &report["overhead"]["probes"]["interval_joules"];
    let (low, high) = (interval[0].as_f64().expect("low"), interval[1].as_f64().expect("high"));
    assert!((low - 0.3 * (1.0 - model.hypot(0.1))).abs() < 2e-3, "{low}");
    assert!((high - 0.3 * (1.0 + model.hypot(0.5))).abs() < 2e-3, "{high}");
    // What is left of the frame is in doubt by as much, the other way round: 0.15 J less, 0.03 J more.
    let slices = report["slices"].as_array().expect("slices");
    let frame = slices.iter().find(|slice| slice["name"] == "Choreographer#doFrame");
    let interval = &frame.expect("the frame")["self_interval_joules"];
    let (low, high) = (interval[0].as_f64().expect("low"), interval[1].as_f64().expect("high"));
    assert!((low - (0.4 - (0.4 * model).hypot(0.15))).abs() < 3e-3, "{low}");
    assert!((high - (0.4 + (0.4 * model).hypot(0.03))).abs() < 3e-3, "{high}");
    // The whole is not: 5.5 J of the CPU with its model's error alone.
    let cpu = &report["components"][0];
    let half = (cpu["interval_joules"][1].as_f64().expect("high") - 5.5) / 5.5;
    assert!(half < 1.2 * model, "{half}");
    // The poller is a process of its own, the probes' thread one of the app's.
    assert_eq!(report["overhead"]["recorders"][0]["name"], "sh");
    assert_eq!(report["overhead"]["recorders"][0]["thread"], Value::Null);
    check(&report, "/overhead/recorders/0/joules", 0.6);
    check(&report, "/overhead/recorders/0/cpu_s", 0.25);
    assert_eq!(report["overhead"]["recorders"][1]["thread"], "wattle-probes");
    check(&report, "/overhead/recorders/1/joules", 0.2);
    // The app is what it was without them.
    check(&report, "/app/joules", 3.5);
    check(&report, "/app/cpu_s", 1.99);
    check(&report, "/app/other_processes_joules", 0.7 + 0.6);
    let processes = report["processes"].as_array().expect("processes");
    let energies = |name: &str| {
        let row = processes.iter().find(|row| row["name"] == name).expect("a process");
        row["joules"].as_f64().expect("joules")
    };
    assert!((energies("com.example.app") - 3.0).abs() < 1e-9);
    assert!((energies("sh") - 0.6).abs() < 1e-9);
    assert!(of(&support::phone(), &[]).get("overhead").is_none());
}

#[test]
fn tests_have_their_energies() {
    let report = of(&support::recorded_phone(), &[]);
    check(&report, "/tests/0/start_s", 1.0);
    check(&report, "/tests/0/duration_s", 2.0);
    check(&report, "/tests/0/uncertainty_s", 0.005);
    check(&report, "/tests/0/joules", 1.6);
    check(&report, "/tests/0/mean_mw", 800.0);
    check(&report, "/tests/0/app_joules", 0.7);
    check(&report, "/tests/0/components/0/joules", 1.0);
    check(&report, "/tests/0/components/0/share", 1.0 / 1.6);
    check(&report, "/tests/0/components/0/app_joules", 0.7);
    assert_eq!(report["tests"][0]["components"][0]["name"], "cpu");
    assert_eq!(report["tests"][0]["components"][1]["app_joules"], Value::Null);
    assert_eq!(report["tests"][1]["outcome"], "failed");
    // No time, no energy: that is no data.
    assert_eq!(report["tests"][2]["joules"], Value::Null);
    assert_eq!(report["tests"][2]["app_joules"], Value::Null);
    assert_eq!(report["tests"][2]["mean_mw"], Value::Null);
    assert!(of(&support::phone(), &[]).get("tests").is_none());
}

#[test]
fn accounts_add_up_to_the_total() {
    let report = of(&support::phone(), &[]);
    for rows in ["accounts", "components"] {
        let rows = report[rows].as_array().expect("rows");
        let sum: f64 = rows.iter().filter_map(|row| row["joules"].as_f64()).sum();
        assert!((sum - 7.8).abs() < 1e-9, "{sum}");
    }
}

#[test]
fn recursion_counts_once() {
    let report = of(&support::phone(), &[]);
    let slices = report["slices"].as_array().expect("slices");
    let layout = slices.iter().find(|slice| slice["name"] == "layout").expect("layout");
    // layout 0.7 calls itself 0.5, which calls a slice of 0.3 + 0.2.
    check(layout, "/self_joules", 1.2);
    check(layout, "/total_joules", 1.7);
    check(layout, "/calls", 160.0);
    check(layout, "/self_cpu_s", 0.9);
    check(layout, "/cpu_s", 1.1);
    check(layout, "/wall_s", 0.8);
    check(layout, "/mean_mw", 1.7 / 0.8 * 1e3);
    let frame = slices.iter().find(|slice| slice["name"] == "Choreographer#doFrame");
    check(frame.expect("the frame"), "/total_joules", 2.1);
}

#[test]
fn an_app_is_all_its_processes() {
    let report = of(&support::phone(), &["com.example.app"]);
    // Main process 3.0, isolated process 0.1, GPU by uid 0.4.
    check(&report, "/app/joules", 3.5);
    check(&report, "/app/share", 3.5 / 7.8);
    check(&report, "/app/cpu_s", 1.99);
    check(&report, "/app/other_processes_joules", 0.7);
    assert_eq!(report["app"]["uids"], serde_json::json!([10_123]));
    assert_eq!(report["app"]["processes"].as_array().map(Vec::len), Some(2));
    check(&report, "/total_joules", 7.8);
}

#[test]
fn an_app_that_was_not_there_has_no_figure() {
    let report = of(&support::phone(), &["com.example.absent"]);
    assert_eq!(report["app"]["joules"], Value::Null);
    assert_eq!(report["app"]["missing"], serde_json::json!(["com.example.absent"]));
    assert_eq!(report["app"]["similar"], serde_json::json!(["com.example.app"]));
    let nothing_like_it = of(&support::phone(), &["org.absent"]);
    assert_eq!(nothing_like_it["app"]["similar"], serde_json::json!([]));
}

/// No energy anywhere below.
#[track_caller]
fn walk(at: &str, value: &Value) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            if key.ends_with("joules") || key.ends_with("_mw") {
                assert_eq!(*value, Value::Null, "{at}/{key}");
            }
            walk(&format!("{at}/{key}"), value);
        }),
        Value::Array(items) => items.iter().for_each(|item| walk(at, item)),
        _ => {}
    }
}

#[test]
fn what_nothing_watched_is_not_zero() {
    // Without a scheduler the energy of the CPU is known, and that of a thread is not.
    let mut ledger = support::phone();
    ledger.recording.has_scheduler = false;
    ledger.rows.accounts = vec![wattle_ledger::Account::Unattributed; ledger.rows.accounts.len()];
    let report = of(&ledger, &["com.example.app"]);
    assert_eq!(report["processes"][0]["joules"], Value::Null);
    assert_eq!(report["slices"][0]["total_joules"], Value::Null);
    assert_eq!(report["app"]["joules"], Value::Null);
    check(&report, "/total_joules", 7.8);

    // A rail for all cores says nothing of one of them.
    for booking in &mut ledger.bookings {
        booking.charge = wattle_ledger::Charge::Device;
    }
    ledger.rows.cpus.iter_mut().for_each(|cpu| cpu.joules_by_source.clear());
    let report = of(&ledger, &[]);
    assert_eq!(report["cpus"][0]["core_joules"], Value::Null);
    assert_eq!(report["cpu_shared_joules"], Value::Null);
    check(&report, "/components/0/joules", 4.4);
}

#[test]
fn a_battery_that_was_not_seen_to_discharge_has_no_figure() {
    let mut ledger = support::phone();
    ledger.power.battery.as_mut().expect("a battery").discharging = wattle_units::Nanos::ZERO;
    let report = of(&ledger, &[]);
    assert_eq!(report["battery"]["drained_joules"], Value::Null);
    assert_eq!(report["battery"]["accounted_joules"], Value::Null);
    check_schema(&report);
}

#[test]
fn no_data_is_null_everywhere() {
    let report = of(&support::no_energy(), &["com.example.app"]);
    walk("", &report);
    check(&report, "/processes/0/threads/0/cpu_s", 0.31);
}

#[test]
fn a_ledger_with_broken_links_is_counted_not_trusted() {
    let mut ledger = support::phone();
    ledger.rows.paths[3].caller = Some(wattle_ledger::PathId(3));
    ledger.rows.paths[2].caller = Some(wattle_ledger::PathId(9_999));
    ledger.rows.threads[0].process = 77;
    ledger.bookings[0].account = wattle_ledger::AccountId(12_345);
    let report = of(&ledger, &["com.example.app"]);
    assert!(report["quality"]["dangling_entries"].as_u64() > Some(1));
    support::terminal(&ledger, &ReportOptions::default());
    support::html(&ledger, &ReportOptions::default()).expect("HTML");
}
