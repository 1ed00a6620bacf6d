//! The HTML view in a real browser: click, zoom, search, sort; no error on the console, nothing loaded.
//!
//! Needs `chromedriver`, and is ignored where it is missing; `.ci/run` installs it and demands it.

use crate::support;
use std::path::PathBuf;

use wattle_ledger::Ledger;
use wattle_report::{ReportOptions, SuspectsComparison, SuspectsSample, suspects_html};
use wattle_testdata::requires;

use crate::support::html;

use crate::webdriver::Browser;

fn file(name: &str, ledger: &Ledger) -> PathBuf {
    let mut options = ReportOptions::default();
    options.apps = vec!["com.example.app".into()];
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, html(ledger, &options).expect("a page")).expect("a file");
    file
}

#[track_caller]
fn check(found: &str, expected: &str) {
    // Narrow spaces keep a unit at its number.
    let found = found.replace('\u{202f}', " ");
    assert!(found.contains(expected), "found {found:?}, expected {expected:?}");
}

/// Shows one of the report's tables.
fn table(browser: &Browser, id: &str) {
    browser.js(&format!("wattle.select({{ view: 'tables', table: '{id}' }}); return 1"));
}

#[requires(program = "chromedriver")]
#[test]
fn lists_are_sorted_and_filtered() {
    let browser = Browser::start("lists", &[]);
    browser.open(&file("lists.html", &support::phone()));
    table(&browser, "overview");
    check(&browser.text("#cards"), "7.80 J");
    check(&browser.text("#components"), "4.40 J");
    check(&browser.text("#app"), "3.50 J");
    check(&browser.text("#app"), "2.91 s web browsing");
    check(&browser.text("#overview"), "6.48 s web browsing");
    table(&browser, "threads");
    tables(&browser);
    browser.check_quiet();
}

fn tables(browser: &Browser) {
    let first = || browser.text("#threads-list tbody tr:first-child td:first-child");
    assert_eq!(first(), "main");
    // By thread name, then back by energy.
    browser.click("#threads-list th:nth-child(1) button");
    assert_eq!(
        browser.js("return document.querySelector('#threads-list th').ariaSort"),
        "ascending"
    );
    assert_ne!(first(), "main");
    browser.click("#threads-list th:nth-child(5) button");
    assert_eq!(first(), "main");
    browser.type_into("#threads-filter", "sandbox");
    assert_eq!(first(), "CrRendererMain");
    assert_eq!(
        browser.number("return document.querySelectorAll('#threads-list tbody tr').length"),
        1.0
    );
}

#[requires(program = "chromedriver")]
#[test]
fn a_reader_finds_tests_and_what_recording_cost() {
    let page = file("recorded.html", &support::recorded_phone());
    let browser = Browser::start("recorded", &[]);
    browser.open(&page);
    table(&browser, "tests");
    let first = || browser.text("#tests-list tbody tr:first-child");
    check(&first(), "com.example.FooTest#first (1)");
    check(&first(), "1.60 J");
    browser.type_into("#tests-filter", "second");
    check(&first(), "failed");
    check(&first(), "200 mJ");
    browser.js("wattle.select({ view: 'quality' }); return 1");
    let quality = browser.text("#quality-body");
    check(&quality, "Profiling overhead: 1.10 J");
    check(&quality, "probes: 123,456 events, 150 ms on a CPU, 300 mJ");
    check(&quality, "recorder sh (9000): 250 ms on a CPU, 600 mJ");
    check(&quality, "recorder thread wattle-probes of com.example.app (4321)");
    check(&quality, "offset -1700000000.500000 s, drift -2.50 µs/s, off by at most 5.00 ms");
    check(&quality, "9,900 records, 100 lost");
    browser.check_quiet();
}

#[requires(program = "chromedriver")]
#[test]
fn a_reader_finds_the_runtime_tax() {
    let page = file("runtime.html", &support::runtime_phone());
    let browser = Browser::start("runtime", &[]);
    browser.open(&page);
    table(&browser, "runtime-tax");
    let second = browser.text("#runtime-classes-list tbody tr:nth-child(2)");
    check(&second, "app start");
    check(&second, "300 mJ");
    let body = browser.text("#runtime-tax-body");
    check(&body, "65.0 % of the app's total");
    check(&body, "the app's own");
    check(&body, "a baseline profile");
    browser.check_quiet();
}

/// The picture of suspicious methods, by pointer and by keyboard, and the tables beside it.
fn suspects(browser: &Browser) {
    check(&browser.text("#suspects-body"), "3 of 6 tests are excessive");
    check(&browser.text("#suspects-body"), "1 failed");
    let first = || browser.text("#suspects-list tbody tr:first-child");
    check(&first(), "poll");
    check(&first(), "red");
    check(&first(), "1.85 J");
    check(&first(), "1.74 J – 1.96 J");
    browser.type_into("#suspects-filter", "onCreate");
    check(&first(), "yellow");
    browser.clear("#suspects-filter");
    check(&browser.text("#suspects-tests-list tbody tr:first-child"), "AppTest#sync");

    let focus = || browser.js("return document.querySelector('#sunburst').dataset.focus");
    let status = || browser.text("#sunburst-status");
    let wedges = || browser.number("return +document.querySelector('#sunburst').dataset.wedges");
    let fills = |color: &str| {
        browser.number(&format!("return document.querySelectorAll('#sunburst .{color}').length"))
    };
    assert_eq!(focus(), "all packages");
    // By hand: 4 packages; classes: Main, Sync, List, List$Row, Crash with Unused as one white wedge, the hostile one; 7 methods,
    // and what did not run of Main, Sync, List and List$Row.
    assert_eq!(wedges(), 4.0 + 6.0 + 11.0);
    check(&status(), "all packages: 3 red, 2 yellow, 2 green, 20 white, 2.60 J");
    for (color, expected) in [("red", "rgb(207, 58, 43)"), ("green", "rgb(47, 158, 119)")] {
        assert!(fills(color) > 0.0);
        let fill =
            format!("return getComputedStyle(document.querySelector('#sunburst .{color}')).fill");
        assert_eq!(browser.js(&fill), expected);
    }
    browser.js("document.querySelector('#sunburst').focus(); return 1");
    // Into the most suspect package, its class, its method.
    browser.key("\u{e015}");
    check(&status(), "com.example.app.net: 3 red, 1 white, 2.00 J");
    browser.key("\u{e007}");
    assert_eq!(focus(), "com.example.app.net");
    for key in ["\u{e015}", "\u{e015}"] {
        browser.key(key);
    }
    check(
        &status(),
        "Sync.poll()V: red, Ochiai 1.00, Tarantula 1.00, in 3 of 3 excessive and 0 of 3 normal",
    );
    browser.key("\u{e014}");
    check(&status(), "Sync.send(");
    browser.key("\u{e00c}");
    assert_eq!(focus(), "all packages");
    // After the 4 methods of .net come the 13 of com.example.app, of 27 in all: their middle is at 140°, right below.
    let scale = browser
        .number("return document.querySelector('#sunburst').getBoundingClientRect().width / 400");
    browser.point("#sunburst", [251.0 * scale, 261.0 * scale], true);
    check(&status(), "com.example.app: ");
    browser.click("#sunburst .middle");
    assert_eq!(focus(), "all packages");

    let title = browser.js("return [...document.querySelectorAll('#sunburst title')].map((each) => each.textContent).join('|')");
    let title = title.as_str().unwrap_or_default();
    check(title, "8 methods of 2 classes of com.example.app that ran in none of these tests");
    check(title, "1 method of com.example.app.net.Sync that ran in none of these tests");
    check(title, support::HOSTILE);
    assert_ne!(browser.js("return document.title"), "owned");
    assert_eq!(browser.number("return document.querySelectorAll('img').length"), 0.0);

    browser.js("const select = document.querySelector('#sunburst-size');
         select.value = 'joules'; select.dispatchEvent(new Event('change')); return 1");
    // Only what has an energy: onCreate, poll and the hostile one, each with its class and package.
    assert_eq!(wedges(), 9.0);
    check(&status(), "2.60 J themselves");
    browser.click("#sunburst-reset");
}

#[requires(program = "chromedriver")]
#[test]
fn a_reader_finds_the_suspects() {
    let page = file("suspects.html", &support::suspects_phone());
    let browser = Browser::start("suspects", &[]);
    browser.open(&page);
    table(&browser, "suspects");
    suspects(&browser);
    browser.check_quiet();

    // One test is no comparison.
    let mut single = support::suspects_phone();
    for test in &mut single.test_runs.tests[1..] {
        test.outcome = "skipped".into();
    }
    browser.open(&file("single.html", &single));
    table(&browser, "suspects");
    check(&browser.text("#suspects-none"), "only one test");
    browser.check_quiet();
}

#[requires(program = "chromedriver")]
#[test]
fn a_reader_compares_several_recordings() {
    let mut other = support::suspects_phone();
    for test in &mut other.test_runs.tests {
        test.outcome = "crashed".into();
    }
    let samples = [("one", support::suspects_phone()), ("<b>two</b>", other)]
        .map(|(name, ledger)| SuspectsSample::new(name, &ledger));
    let page = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("comparison.html");
    let text = suspects_html(&SuspectsComparison::new(&samples)).expect("a page");
    std::fs::write(&page, text).expect("a file");
    let browser = Browser::start("comparison", &["--force-dark-mode"]);
    browser.open(&page);
    check(&browser.text("#recordings-list"), "<b>two</b>");
    check(&browser.text("#suspects-body"), "1 failed");
    check(&browser.text("#suspects-body"), "7 crashed");
    check(&browser.text("#suspects-list tbody tr:first-child"), "poll");
    check(&browser.text("#suspects-tests-list tbody tr:first-child"), "one");
    assert_eq!(
        browser.js("return document.querySelector('#sunburst').dataset.focus"),
        "all packages"
    );
    browser.check_quiet();
}

#[requires(program = "chromedriver")]
#[test]
fn a_reader_finds_methods_lines_and_apis() {
    let page = file("code.html", &support::code::app());
    let browser = Browser::start("code", &[]);
    browser.open(&page);
    table(&browser, "methods");
    check(
        &browser.text("#methods-coverage"),
        "A cost is known for 110 of 118 calls and 3 of 4 APIs",
    );
    let first = || browser.text("#methods-list tbody tr:first-child");
    check(&first(), "com.example.Main.onCreate");
    check(&first(), "7.50 J");
    check(&first(), "78.9 %");
    check(&first(), "425 mJ");
    // A row opens: lines with their shares, APIs with their marks.
    browser.click("#methods-list tbody tr:first-child");
    let behind = browser.text("#methods-list tr.behind");
    for words in
        ["Main.java:14", "26.7 %", "Main.java:21 or 22", "line not known", "in the method itself"]
    {
        check(&behind, words);
    }
    for words in ["android.widget.Toast.makeText", "greedy", "400 mJ", "no known cost"] {
        check(&behind, words);
    }
    browser.click("#methods-list tbody tr:first-child");
    assert_eq!(
        browser.number("return document.querySelectorAll('#methods-list tr.behind').length"),
        0.0
    );
    // By mean: the mean's heading, clicked.
    browser.js("[...document.querySelectorAll('#methods-list th button')].find((b) => b.textContent === 'calls').click(); return 1");
    check(&first(), "com.example.Main.load(I)V");
    let by = |what: &str| {
        browser.js(&format!(
            "const select = document.querySelector('#methods-by'); select.value = '{what}';
             select.dispatchEvent(new Event('change')); return 1"
        ));
    };
    by("API");
    check(&first(), "android.widget.Toast.makeText");
    check(&first(), "greedy");
    browser.click("#methods-list tbody tr:first-child");
    check(&browser.text("#methods-list tr.behind"), "com.example.Main.onCreate × 50");
    by("line");
    check(&first(), "in the method itself");
    browser.type_into("#methods-filter", "Tiny.java:8");
    check(&first(), "android.util.Log.i × 10");
    by("class");
    check(&first(), "com.example.Main");
    check(&first(), "8.50 J");
    by("package");
    check(&first(), "com.example");
    browser.check_quiet();

    let page = file(
        "code-without-energy.html",
        &support::code::without_energy(support::code::figure_6(true)),
    );
    browser.open(&page);
    table(&browser, "methods");
    check(&first(), "de.anstop.Anstop.handleMessage");
    check(&first(), "156 mJ");
    browser.check_quiet();
}

#[requires(program = "chromedriver")]
#[test]
fn a_page_without_energy_says_so() {
    let page = file("no-energy.html", &support::no_energy());
    let browser = Browser::start("no-energy", &[]);
    browser.open(&page);
    check(&browser.text("#verdict"), "Energy cannot be estimated");
    check(&browser.text("#verdict"), "no device model has 7 clusters");
    check(&browser.text("#flame-empty"), "Energy cannot be estimated");
    table(&browser, "overview");
    check(&browser.text("#cards"), "No energy figure");
    table(&browser, "threads");
    check(&browser.text("#threads-list"), "1.50 s");
    browser.check_quiet();
    let empty = file("empty.html", &Ledger::empty(wattle_timeline::Window::default()));
    browser.open(&empty);
    browser.check_quiet();
}
