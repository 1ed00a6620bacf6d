//! The runtime tax in every view.

use crate::support;
use proptest::prelude::*;
use serde_json::Value;
use support::{BIG, Builder, runtime_phone};
use wattle_ledger::{Account, Charge, Ledger, PathId};
use wattle_report::{Report, ReportOptions};

use crate::support::{json, terminal};

fn options(app: &str) -> ReportOptions {
    let mut options = ReportOptions::default();
    options.apps = vec![app.to_owned()];
    options
}

#[track_caller]
fn check(value: &Value, path: &str, expected: f64) {
    let found = value.pointer(path).and_then(Value::as_f64).expect(path);
    assert!((found - expected).abs() < 1e-12, "{path}: {found}, expected {expected}");
}

#[test]
fn classes_of_an_app() {
    let report = json(&runtime_phone(), &options("com.example.app")).expect("a report");
    let tax = &report["runtime_tax"];
    for (at, (class, joules, cpu)) in [
        ("app-start", 0.3, 0.02),
        ("jit-compilation", 0.2, 0.01),
        ("garbage-collection", 0.1, 0.01),
        ("class-loading", 0.05, 0.01),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(tax["classes"][at]["class"], class);
        check(tax, &format!("/classes/{at}/joules"), joules);
        check(tax, &format!("/classes/{at}/share"), joules);
        check(tax, &format!("/classes/{at}/cpu_s"), cpu);
    }
    check(tax, "/joules", 0.65);
    check(tax, "/rest_joules", 0.35);
    check(tax, "/rest_cpu_s", 0.03);
    check(tax, "/threads_joules", 1.0);
    assert_eq!(tax["classes"][0]["components"][1]["name"], "gpu");
    check(tax, "/classes/0/components/1/joules", 0.02);
    check(tax, "/classes/0/components/0/joules", 0.28);
    assert_eq!(tax["processes"].as_array().map(Vec::len), Some(1));
    let interval = &tax["interval_joules"];
    assert!(interval[0].as_f64() < Some(0.65) && interval[1].as_f64() > Some(0.65), "{interval}");
}

#[test]
fn on_a_terminal() {
    insta::assert_snapshot!("app", table(&terminal(&runtime_phone(), &options("com.example.app"))));
    insta::assert_snapshot!(
        "everybody",
        table(&terminal(&runtime_phone(), &ReportOptions::default()))
    );
}

/// The table alone.
fn table(page: &str) -> String {
    let from = page.find("ART overhead").expect("a table");
    let rest = &page[from..];
    let end = rest.find("\nSlices").unwrap_or(rest.len());
    rest[..end].to_owned()
}

#[test]
fn where_nothing_can_be_known_it_says_so() {
    let mut b = Builder::new(2.0);
    b.pixel();
    let app = b.process(10, "com.example.app", Some("com.example.app"), 10_001);
    let main = b.thread(app, 10, "main", 60);
    let root = b.path(main, None, "", 0, [30, 0]);
    b.pay(root, Charge::Core, BIG, 0.35);
    let mut ledger = b.ledger;
    let tax = |ledger: &Ledger| Report::new(ledger, &ReportOptions::default()).software.runtime_tax;
    let unknown = tax(&ledger).expect("a word").unknown.expect("a reason");
    assert!(unknown.contains("cannot be known"), "{unknown}");
    let page = terminal(&ledger, &ReportOptions::default());
    assert!(
        page.contains("ART overhead: GC, JIT, class loading, startup\n  no thread bears the name"),
        "{page}"
    );
    // Sections that are nothing of the runtime's: there was none of it, and nothing is printed.
    let path = ledger.rows.paths[0].clone();
    ledger.rows.paths.push(wattle_ledger::PathEntry {
        caller: Some(PathId(0)),
        name: "draw".to_owned(),
        ..path
    });
    assert!(tax(&ledger).is_none());
    assert!(!terminal(&ledger, &ReportOptions::default()).contains("ART overhead: GC"));
}

#[test]
fn advice_follows_where_it_is_worth_it() {
    let advice = Report::new(&runtime_phone(), &options("com.example.app"))
        .software
        .runtime_tax
        .unwrap()
        .advice;
    let found: Vec<_> =
        advice.iter().map(|it| (it.code, (it.joules.value() * 1e3).round() / 1e3)).collect();
    assert_eq!(found, [("lighter-start", 0.3), ("baseline-profile", 0.25), ("less-garbage", 0.1)]);
    assert!(advice[1].text.contains("25 %"), "{}", advice[1].text);
}

proptest! {
    /// Rows are disjoint: classes and the rest are the threads, in sum and process by process.
    #[test]
    fn classes_and_the_rest_are_the_threads(
        calls in prop::collection::vec(
            (0..3_usize, any::<usize>(), 0..7_usize, 0..5_usize, 0..5_u16, 1e-9..10.0_f64), 1..60),
        of_app in any::<bool>(),
    ) {
        const NAMES: [&str; 7] = [
            "draw", "bindApplication", "VerifyClass x", "Alloc mark sweep GC", "JIT compiling x",
            "a.B.<clinit>", "art::ClassLinker::FindClass(int)",
        ];
        let mut b = Builder::new(5.0);
        b.pixel();
        let app = b.process(10, "app", Some("app"), 10_001);
        let other = b.process(20, "other", None, 10_002);
        let mut paths: Vec<Vec<PathId>> = Vec::new();
        for (process, name) in [(app, "main"), (app, "Jit thread pool"), (other, "HeapTaskDaemon")] {
            let thread = b.thread(process, 10 + paths.len() as u32, name, 7);
            paths.push(vec![b.path(thread, None, "", 1, [0, 0])]);
        }
        let mut threads = 0.0;
        for (thread, caller, name, charge, source, joules) in calls {
            let caller = paths[thread][caller % paths[thread].len()];
            let path = b.path(thread as u32, Some(caller), NAMES[name], 1, [1, 1]);
            paths[thread].push(path);
            let account = b.account(Account::Path { path });
            let component = wattle_ledger::ComponentId(source / 2);
            b.book(account, component, Charge::ALL[charge], wattle_power::SourceId(source), joules);
            threads += if of_app && thread == 2 { 0.0 } else { joules };
        }
        let options = if of_app { options("app") } else { ReportOptions::default() };
        let report = json(&b.ledger, &options).expect("a report");
        let near = |found: f64, expected: f64| (found - expected).abs() <= 1e-9 * expected.max(1.0);
        let number = |value: &Value| value.as_f64().unwrap_or(0.0);
        let sum = |rows: &Value| -> f64 {
            rows.as_array().into_iter().flatten().map(|row| number(&row["joules"])).sum()
        };
        let Some(tax) = report.get("runtime_tax") else { return Ok(()) };
        let classes = sum(&tax["classes"]);
        prop_assert!(near(classes + number(&tax["rest_joules"]), threads));
        prop_assert!(near(number(&tax["threads_joules"]), threads));
        prop_assert!(near(number(&tax["joules"]), classes));
        prop_assert!(near(sum(&tax["processes"]), classes));
        for row in tax["classes"].as_array().expect("rows") {
            prop_assert!(near(sum(&row["components"]), number(&row["joules"])), "{}", row);
        }
        for row in tax["processes"].as_array().expect("rows") {
            let all = sum(&row["classes"]) + number(&row["rest_joules"]);
            prop_assert!(near(all, number(&row["threads_joules"])), "{}", row);
        }
    }
}
