//! Methods, APIs, classes, packages, lines: their sums, their order, how they are shown.

use crate::support;
use serde_json::Value;
use support::code;
use wattle_ledger::Ledger;
use wattle_report::{By, ReportOptions, Sort};

use crate::support::{json, terminal};
use wattle_units::Nanos;

fn options(by: Option<By>, sort: Sort, apps: &[&str]) -> ReportOptions {
    let mut options = ReportOptions::default();
    (options.by, options.sort) = (by, sort);
    options.apps = apps.iter().map(|app| (*app).to_owned()).collect();
    options
}

fn of(ledger: &Ledger) -> Value {
    json(ledger, &ReportOptions::default()).expect("a report")
}

/// The row of that name in a list.
#[track_caller]
fn row<'a>(report: &'a Value, list: &str, name: &str) -> &'a Value {
    let rows = report[list].as_array().unwrap_or_else(|| panic!("no {list}"));
    let found = rows.iter().find(|row| row["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} among {rows:#?}"))
}

/// The number at a JSON pointer, to 1 nJ; `None` for null.
#[track_caller]
fn check(row: &Value, pointer: &str, expected: impl Into<Option<f64>>) {
    let found = row.pointer(pointer).unwrap_or_else(|| panic!("no {pointer} in {row:#}"));
    match (found.as_f64(), expected.into()) {
        (Some(found), Some(expected)) => {
            assert!((found - expected).abs() < 1e-9, "{pointer}: {found}, expected {expected}");
        }
        (found, expected) => assert_eq!(found, expected, "{pointer}"),
    }
}

/// Lines of a method: `(kind, lines, joules, API joules)`.
#[track_caller]
fn check_lines(method: &Value, expected: &[(&str, &[u32], f64, Option<f64>)]) {
    let lines = method["lines"].as_array().expect("lines");
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, (kind, numbers, joules, api)) in lines.iter().zip(expected) {
        assert_eq!(line["kind"], *kind, "{line:#}");
        assert_eq!(line["lines"], serde_json::json!(numbers), "{line:#}");
        check(line, "/total_joules", *joules);
        check(line, "/api_total_joules", *api);
    }
}

#[test]
fn a_method_has_the_time_that_the_clock_of_its_thread_counted() {
    let mut ledger = code::app();
    let set = |ledger: &mut Ledger, name: &str, clocks: &[i64]| {
        let paths = ledger.rows.paths.iter_mut().filter(|path| path.name == name);
        for (path, clock) in paths.zip(clocks) {
            path.clock_cpu = Some(Nanos::new(*clock));
        }
    };
    set(&mut ledger, "com.example.Main.onCreate", &[900_000_000]);
    // Called from there, and from itself.
    set(&mut ledger, "com.example.Main.load", &[300_000_000, 100_000_000]);
    let report = of(&ledger);
    let on_create = row(&report, "methods", "com.example.Main.onCreate");
    check(on_create, "/clock_cpu_s", 0.9);
    check(on_create, "/self_clock_cpu_s", 0.6);
    let load = row(&report, "methods", "com.example.Main.load(I)V");
    check(load, "/clock_cpu_s", 0.3);
    check(load, "/self_clock_cpu_s", 0.3);
    // Nobody read it of others; only the calls in it have probes.
    check(row(&report, "methods", "com.example.Main.load(J)V"), "/clock_cpu_s", None);
    check(row(&report, "methods", "com.example.util.Tiny.tick"), "/wall_s", None);
    let text = terminal(&ledger, &options(Some(By::Method), Sort::Total, &[]));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("600 ms of 900 ms on a CPU its own"), "{text}");
}

#[test]
fn a_method_has_its_own_energy_and_all_that_it_called() {
    let report = of(&code::app());
    let on_create = row(&report, "methods", "com.example.Main.onCreate");
    // Its code 1.0, the calls that stand in it 2.0 + 0.5.
    check(on_create, "/self_joules", 3.5);
    check(on_create, "/total_joules", 3.5 + 2.25 + 0.25 + 1.5);
    check(on_create, "/share", 7.5 / 10.0);
    check(on_create, "/api_self_joules", 0.425);
    check(on_create, "/api_total_joules", 0.425);
    check(on_create, "/api_total_interval_joules/0", 0.2125);
    check(on_create, "/api_total_interval_joules/1", 0.85);
    check(on_create, "/api_share", 0.425 / 0.426);
    check(on_create, "/mean_joules", 7.5);
    check(on_create, "/api_calls/known", 100.0);
    check(on_create, "/api_calls/all", 108.0);
    assert_eq!(on_create["api_total_provenance"], "assumed");
    assert_eq!(on_create["file"], "Main.java");
    assert_eq!(on_create["line"], 10);
    assert_eq!(on_create["package"], "com.example");
    check_lines(
        on_create,
        &[
            ("line", &[20], 2.25, None),
            ("line", &[14], 2.0, Some(0.4)),
            ("unknown", &[], 1.5, None),
            ("itself", &[], 1.0, None),
            ("line", &[15], 0.5, Some(0.025)),
            ("line", &[21, 22], 0.25, None),
        ],
    );
    let apis = on_create["apis"].as_array().expect("APIs");
    let names: Vec<_> = apis.iter().map(|api| (&api["name"], &api["calls"])).collect();
    assert_eq!(names[0], (&"android.widget.Toast.makeText".into(), &50.into()));
    assert_eq!(apis[0]["greedy"], true);
    assert_eq!(apis[0]["matched"], "exact");
    check(&apis[0], "/api_joules", 0.4);
    assert_eq!(names[2], (&"java.io.File.read".into(), &8.into()));
    check(&apis[2], "/api_joules", None);
}

#[test]
fn recursion_and_threads_count_once() {
    let report = of(&code::app());
    // Two methods of that name: their parameters tell them apart.
    let load = row(&report, "methods", "com.example.Main.load(I)V");
    check(load, "/self_joules", 1.0 + 0.5 + 0.5 + 0.25 + 1.0);
    check(load, "/total_joules", 2.25 + 1.0);
    check(load, "/calls", 9.0);
    check(load, "/mean_joules", 3.25 / 9.0);
    check(load, "/per_call/p95_joules", 0.9);
    check(load, "/api_total_joules", None);
    assert_eq!(load["threads"][0]["name"], "main");
    check(&load["threads"][0], "/joules", 2.25);
    check(&load["threads"][1], "/joules", 1.0);
    check(&load["threads"][1], "/calls", 3.0);
    // The line that calls it again holds nothing that is not the inner call's.
    check_lines(
        load,
        &[("itself", &[], 2.5, None), ("line", &[33], 0.75, None), ("line", &[36], 0.0, None)],
    );
    row(&report, "methods", "com.example.Main.load(J)V");
}

#[test]
fn methods_of_which_only_calls_have_probes_are_the_sum_of_those() {
    let report = of(&code::app());
    let tick = row(&report, "methods", "com.example.util.Tiny.tick");
    assert_eq!(tick["only_calls"], true);
    check(tick, "/calls", None);
    check(tick, "/self_joules", 0.5);
    check(tick, "/total_joules", 0.5);
    check(tick, "/mean_joules", None);
    check(tick, "/api_total_joules", 0.001);
    check_lines(tick, &[("line", &[8], 0.5, Some(0.001))]);
    let section = row(&report, "methods", "inflate");
    assert_eq!(section["class"], Value::Null);
    check(section, "/total_joules", 1.5);
}

#[test]
fn apis_classes_packages_and_coverage() {
    let report = of(&code::app());
    let make_text = row(&report, "apis", "android.widget.Toast.makeText");
    check(make_text, "/calls", 50.0);
    check(make_text, "/api_joules", 0.4);
    check(make_text, "/cost_joules", 0.008);
    check(make_text, "/total_joules", 2.0);
    assert_eq!(make_text["callers"][0]["name"], "com.example.Main.onCreate");
    check(&make_text["callers"][0], "/calls", 50.0);
    check(row(&report, "apis", "java.io.File.read"), "/api_joules", None);
    check(&report, "/api_coverage/calls/known", 110.0);
    check(&report, "/api_coverage/calls/all", 118.0);
    check(&report, "/api_coverage/methods/known", 3.0);
    check(&report, "/api_coverage/methods/all", 4.0);
    check(&report, "/api_coverage/joules", 0.426);
    let main = row(&report, "classes", "com.example.Main");
    check(main, "/methods", 3.0);
    check(main, "/self_joules", 3.5 + 3.25 + 0.25);
    check(main, "/total_joules", 7.5 + 1.0);
    let package = row(&report, "packages", "com.example.util");
    check(package, "/classes", 1.0);
    check(package, "/self_joules", 0.5);
    assert_eq!(report["lines"][0]["method"], "com.example.Main.load(I)V");
}

#[test]
fn an_app_has_only_its_own() {
    let mut ledger = code::app();
    // The worker moves to another process.
    ledger.rows.threads[1].process = 1;
    let report =
        json(&ledger, &options(None, Sort::Total, &["com.example.app"])).expect("a report");
    let load = row(&report, "methods", "com.example.Main.load(I)V");
    check(load, "/total_joules", 2.25);
    check(load, "/share", 2.25 / 8.0);
    assert_eq!(load["per_call"], Value::Null, "quantiles are of all calls");
    assert!(report["methods"].as_array().expect("rows").iter().all(|row| row["method"] != "tick"));
    check(&report, "/api_coverage/calls/all", 108.0);
}

/// Names of a table's first ten rows.
fn order(ledger: &Ledger, sort: Sort) -> Vec<String> {
    let page = terminal(ledger, &options(Some(By::Method), sort, &[]));
    let rows = page.lines().filter_map(|line| line.strip_prefix("  Anstop."));
    rows.map(|row| row.split_whitespace().next().expect("a name").to_owned()).collect()
}

#[test]
fn figure_6_of_orka_by_mean_and_by_total() {
    let means: Vec<_> = code::FIGURE_6.iter().map(|(name, ..)| (*name).to_owned()).collect();
    let mut totals = code::FIGURE_6;
    totals.sort_by(|a, b| (b.1 * b.2 as f64).total_cmp(&(a.1 * a.2 as f64)));
    let totals: Vec<_> = totals.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(totals[0], "handleMessage");
    for with_energy in [true, false] {
        let ledger = code::figure_6(with_energy);
        assert_eq!(order(&ledger, Sort::Mean), means, "by mean, energy {with_energy}");
        assert_eq!(order(&ledger, Sort::Total), totals, "by total, energy {with_energy}");
        let report = of(&ledger);
        assert_eq!(report["methods"][0]["name"], "de.anstop.Anstop.handleMessage");
        let key = if with_energy { "/total_joules" } else { "/api_total_joules" };
        check(&report["methods"][0], key, 0.155_55);
        check(&report["methods"][0], "/api_mean_joules", 0.001_037);
    }
}

#[test]
fn each_table_by_itself() {
    let ledger = code::app();
    for by in By::ALL.into_iter().filter(|by| by.is_code()) {
        let page = terminal(&ledger, &options(Some(by), Sort::Total, &["com.example.app"]));
        insta::assert_snapshot!(format!("by_{}", by.name()), page);
    }
}

#[test]
fn tables_by_costs_alone() {
    let ledger = code::without_energy(code::app());
    for by in [By::Method, By::Api] {
        let page = terminal(&ledger, &options(Some(by), Sort::Total, &[]));
        assert!(!page.contains("0 J"), "no data is not 0 J:\n{page}");
        insta::assert_snapshot!(format!("without_energy_by_{}", by.name()), page);
    }
}

#[test]
fn the_page_of_everything_has_short_lists() {
    let page = terminal(&code::app(), &options(None, Sort::Total, &[]));
    let (_, lists) = page.split_once("Methods (").expect("methods");
    let (lists, _) = lists.split_once("Slices (").expect("slices");
    insta::assert_snapshot!("in_the_page_of_everything", format!("Methods ({lists}"));
    let plain = terminal(&support::phone(), &options(None, Sort::Total, &[]));
    assert!(!plain.contains("Methods (") && !plain.contains("APIs ("), "{plain}");
}

#[test]
fn no_line_is_too_wide() {
    for by in By::ALL {
        let mut options = options(Some(by), Sort::Total, &[]);
        options.width = Some(80);
        for ledger in [code::app(), code::without_energy(code::app()), code::figure_6(true)] {
            for line in terminal(&ledger, &options).lines() {
                let width = unicode_width::UnicodeWidthStr::width(line);
                assert!(width <= 80, "{width} columns: {line}");
            }
        }
    }
}

#[test]
fn what_nothing_is_known_of_is_said() {
    for by in By::ALL.into_iter().filter(|by| by.is_code() || *by == By::Test) {
        let options = options(Some(by), Sort::Total, &[]);
        let page = terminal(&support::phone(), &options);
        let said = if by == By::Test { "No test ran" } else { "is known in this recording" };
        assert!(page.contains(said) && page.contains("wattle run app.apk"), "{page}");
        assert_eq!(page.contains("Choreographer#doFrame"), by == By::Method, "{page}");
        terminal(&Ledger::empty(wattle_timeline::Window::default()), &options);
    }
    let tests = terminal(&support::recorded_phone(), &options(Some(By::Test), Sort::Own, &[]));
    assert!(tests.contains("com.example.FooTest#first (1)"), "{tests}");
}

#[test]
fn broken_links_are_no_reason_to_fail() {
    let mut ledger = code::app();
    for (nth, path) in ledger.rows.paths.iter_mut().enumerate() {
        match nth % 4 {
            0 => path.site = Some(9999),
            1 => path.thread = 9999,
            2 => path.caller = Some(wattle_ledger::PathId(nth as u32 + 3)),
            _ => path.from_lines = vec![u32::MAX; 1000],
        }
    }
    for site in &mut ledger.rows.sites {
        site.within = site.within.map(|_| 9999);
        site.api = site.api.map(|api| api + 3);
    }
    ledger.sheets.call_stats[0].site = Some(9999);
    for by in By::ALL {
        terminal(&ledger, &options(Some(by), Sort::Mean, &[]));
    }
    support::html(&ledger, &ReportOptions::default()).expect("a page");
}

#[test]
fn stacks_may_be_deep_and_apis_many() {
    let mut b = support::Builder::new(10.0);
    b.pixel();
    let app = b.process(1, "app", Some("app"), 10_001);
    let main = b.thread(app, 1, "main", 1);
    b.table("one");
    let mut around = b.path(main, None, "", 1, [0, 0]);
    for nth in 0..5000 {
        let api = b.api(&format!("android.a.A.call{nth}"), Some(f64::from(nth) * 1e-6));
        let method = b.method("p.A", &format!("m{}", nth % 50), "()V", 1);
        let call = b.call(api, Some(method), Some(nth));
        around = b.at(method, (main, around), 1, &[nth], 1e-6);
        around = b.at(call, (main, around), 1, &[], 1e-6);
    }
    let report = of(&b.ledger);
    let outermost = row(&report, "methods", "p.A.m0");
    check(outermost, "/total_joules", 0.01);
    check(outermost, "/api_total_joules", (4999.0 * 5000.0 / 2.0) * 1e-6);
    assert_eq!(outermost["apis_left_out"], true);
    assert_eq!(outermost["apis"][0]["name"], "android.a.A.call4999");
    let page = support::html(&b.ledger, &ReportOptions::default()).expect("a page");
    assert!(page.len() <= wattle_report::HTML_LIMIT);
}
