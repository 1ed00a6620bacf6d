//! The page of a diagnosis in a real browser: regions and findings on the chart, stacks behind a click, keys, no error on the console,
//! nothing loaded.
//!
//! Needs `chromedriver`, and is ignored where it is missing; `.ci/run` installs it and demands it.

use crate::support;
use std::path::PathBuf;

use wattle_report::diagnosis_html;
use wattle_report::{HTML_LIMIT, Report, ReportOptions, html_with_diagnosis};
use wattle_testdata::requires;

use crate::support::diagnosis;
use crate::webdriver::Browser;

const CHART: &str = "#use-canvas";

fn file(name: &str, page: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, page).expect("a file");
    file
}

#[track_caller]
fn check(found: &str, expected: &str) {
    assert!(found.contains(expected), "found {found:?}, expected {expected:?}");
}

/// Returns the position of an instant on the chart, in CSS pixels from its left: 64 before the first, 8 after the last.
fn place(browser: &Browser, seconds: f64) -> f64 {
    let width = browser.number("return document.querySelector('#use-canvas').clientWidth");
    64.0 + seconds / 10.0 * (width - 72.0)
}

/// The middle of a lane of regions, from the chart's top: below the lines there is a margin of 4, a lane has 11 pixels, the last one
/// ends 28 above the chart's end.
fn lane(browser: &Browser, lane: f64, lanes: f64) -> f64 {
    let height = browser.number("return document.querySelector('#use-canvas').clientHeight");
    height - 26.0 - 6.0 - lanes * 11.0 + 4.0 + (lane + 0.4) * 11.0
}

#[requires(program = "chromedriver")]
#[test]
fn a_reader_finds_the_stack() {
    let page = diagnosis_html(&diagnosis::after_mouse()).expect("a page");
    let page = file("diagnosis.html", &page);
    let browser = Browser::start("diagnosis", &[]);
    browser.open(&page);
    check(&browser.text("#cards"), "1 error, 1 note");
    check(&browser.text("#cards"), "assumed");
    check(&browser.text("#cards"), "no input from 2 s on");
    check(&browser.text("#findings"), "up to 500 mJ (250 mJ – 1.00 J)");
    check(&browser.text("#findings"), "no energy figure");
    check(&browser.text("#nav"), "Findings");

    regions(&browser);
    keys(&browser);
    findings(&browser);
    tables(&browser);
    browser.check_quiet();
}

fn regions(browser: &Browser) {
    // The lane of thread 2084, whose line is the first after that of all threads.
    let at = [place(browser, 3.5), lane(browser, 0.0, 2.0)];
    browser.point(CHART, at, false);
    check(&browser.text("#tip"), "2084");
    check(&browser.text("#tip"), "50.0 %");
    browser.point(CHART, at, true);
    let details = browser.text("#region-details");
    check(&details, "Region 2: 2084, 3.0000 s to 4.0000 s");
    check(&details, "period 5.00 ms, 96.9 % of the intervals");
    check(&details, "race.dll!Timer::sleep (C:\\race\\timer.cpp:42)");
    check(&details, "Common to 87.5 % of the stacks");
    // The other thread's region has no common stack, but a majority.
    browser.point(CHART, [place(browser, 6.1), lane(browser, 1.0, 2.0)], true);
    check(&browser.text("#region-details .strict"), "No common stack");
    check(&browser.text("#region-details .majority"), "race.dll+0x1a2b");
    check(&browser.text("#region-details"), "one event that was very expensive");
    // Above the regions: values of the lines, and that this was no idle time.
    browser.point(CHART, [place(browser, 3.52), 150.0], false);
    check(&browser.text("#tip"), "3.5 s, idle");
    check(&browser.text("#tip"), "all threads");
    browser.point(CHART, [place(browser, 1.0), 150.0], false);
    assert!(!browser.text("#tip").contains("idle"));
    // The evidence of a finding stands above the lines.
    browser.point(CHART, [place(browser, 8.5), 9.0], false);
    check(&browser.text("#tip"), "wakes every 5.0 ms");
}

fn keys(browser: &Browser) {
    browser.js("document.querySelector('#use-canvas').focus(); return 1");
    let selected = "return document.querySelector('#use-canvas').dataset.selected";
    // From the region at 6 s to the one at 8 s, and back to the one at 3 s.
    for (key, expected) in [("n", "2"), ("n", "2"), ("p", "0"), ("p", "1")] {
        browser.key(key);
        assert_eq!(browser.js(selected), expected, "after {key}");
    }
    browser.key("+");
    let from = "return Number(document.querySelector('#use-canvas').dataset.from)";
    assert!(browser.number(from) > 0.5);
    browser.key("0");
    assert!(browser.number(from) < 1e-9);
    browser.drag(CHART, [place(browser, 2.0), 120.0], [place(browser, 5.0), 120.0]);
    assert!((browser.number(from) - 2.0).abs() < 0.05);
    browser.click("#use-reset");
}

fn findings(browser: &Browser) {
    browser.click(".finding .when");
    let marked = browser.js("return document.querySelector('#use-canvas').dataset.marked");
    assert_eq!(marked, "3 4");
    browser.click(".finding summary");
    check(&browser.text(".finding .frames"), "race.dll!Timer::run");
}

fn tables(browser: &Browser) {
    let first = "#regions-list tbody tr";
    check(&browser.text(first), "worker (2090)");
    browser.click("#regions-list th:nth-child(3) button");
    browser.click("#regions-list th:nth-child(3) button");
    check(&browser.text(first), "2084");
    browser.type_into("#regions-filter", "worker");
    check(&browser.text(first), "worker (2090)");
    browser.clear("#regions-filter");
    // By keys: a row opens with Enter.
    browser.js("document.querySelector('#regions-list tbody tr').focus(); return 1");
    browser.key("\u{e007}");
    check(&browser.text("#regions-list tr.behind"), "Common to all stacks");
    browser.click("#regions-list tr.behind button");
    let selected = browser.js("return document.querySelector('#use-canvas').dataset.selected");
    assert_eq!(selected, "1");
    check(&browser.text("#common-stacks-list"), "% of the stacks: ntdll.dll!RtlUserThreadStart");
    check(&browser.text("#findings-list"), "confidence: high (the scheduler's own events)");
    check(&browser.text("#findings-note"), "Accepted, not counted: com.example.clock");
    check(&browser.text("#disk-list"), "Müller");
    check(&browser.text("#diagnosis-notes"), "a buffer was lost (3 times)");
}

#[requires(program = "chromedriver")]
#[test]
fn others_are_shown_as_they_are() {
    let browser = Browser::start("diagnosis-others", &["--force-dark-mode"]);
    for (name, diagnosis) in diagnosis::all() {
        let page = diagnosis_html(&diagnosis).expect("a page");
        assert!(page.len() <= HTML_LIMIT, "{name}: {} bytes", page.len());
        browser.open(&file("diagnosis-other.html", &page));
        assert_ne!(browser.js("return document.title"), "owned", "{name}");
        let broken = browser.js("return document.body.innerText.includes('could not be drawn')");
        assert_eq!(broken, false, "{name}");
        let text = browser.text("body");
        match name {
            "empty" => {
                check(&text, "no data");
                check(&text, "No energy figures");
            }
            "without energy" => assert!(!browser.text("#regions").contains('J'), "{name}"),
            "hostile" => {
                check(&text, "</script><script>document.title='owned'</script>");
                browser.js("diagnosisChart.select(2); return 1");
                check(&browser.text("#region-details"), "Region 3: unknown thread");
            }
            "big" => check(&text, "of lowest CPU use are not in this file"),
            _ => {}
        }
        browser.check_quiet();
    }
}

#[requires(program = "chromedriver")]
#[test]
fn a_report_takes_the_same_sections() {
    let report = html_with_diagnosis(
        &support::phone(),
        &Report::new(&support::phone(), &ReportOptions::default()),
        &diagnosis::after_mouse(),
    );
    let page = file("report-with-diagnosis.html", &report.expect("a page"));
    let browser = Browser::start("report-with-diagnosis", &[]);
    browser.open(&page);
    check(&browser.text("#total"), "7.80");
    check(&browser.text("#findings-body"), "wakes every 5.0 ms");
    check(&browser.text("#findings-body"), "up to 500");
    browser.js("wattle.select({ view: 'tables', table: 'findings' }); return 1");
    check(&browser.text("#findings"), "wakes every 5.0 ms");
    browser.js("wattle.select({ table: 'cpu-use' }); return 1");
    browser.point(CHART, [place(&browser, 3.5), lane(&browser, 0.0, 2.0)], true);
    check(&browser.text("#region-details"), "race.dll!Timer::sleep");
    browser.check_quiet();
}

/// Names cannot end the data's element, and nothing turns the direction of writing.
#[test]
fn names_never_become_markup() {
    for (name, diagnosis) in diagnosis::all() {
        let page = diagnosis_html(&diagnosis).expect("a page");
        assert_eq!(page.matches("</script>").count(), 2, "{name}");
        assert!(!page.contains(['\u{202e}', '\u{7}', '\u{0}']), "{name}");
        assert!(!page.contains("\\u202e") && !page.contains("\\u0007"), "{name}");
    }
}
