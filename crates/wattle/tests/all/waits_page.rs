//! Waits on a report's page: the figures of `wattle report --by waits`, in the rows of the selection.

use std::path::{Path, PathBuf};

use serde_json::Value;
use wattle_testdata::requires;

use crate::support::{list, trace, wattle};
use crate::webdriver::Browser;

/// A start of an app, with wake-ups and the kernel's reasons.
const TRACE: &str = "api32_startup_warm_pixel6a.perfetto-trace";

const SELECT: &str = "wattle.select({ view: 'tables', table: 'waits' }); return 1";

/// A page of a real trace, and its waits as `--by waits` states them.
fn page(folder: &Path) -> (PathBuf, Vec<Value>) {
    let file = folder.join("page.html");
    let (trace, html) = (trace(TRACE), file.to_str().expect("a name"));
    let trace = trace.to_str().expect("a name");
    let report =
        wattle(["report", trace, "--quiet", "--by", "waits", "--json", "-", "--html", html]);
    (file, list(&report.json(), "/waits").to_vec())
}

/// The table that the page saves as CSV: the head, and its rows.
fn saved(browser: &Browser) -> Vec<Vec<String>> {
    browser.js(
        "const make = URL.createObjectURL;
         URL.createObjectURL = (blob) => { globalThis.savedBlob = blob; return make.call(URL, blob); };
         document.querySelector('#waits-tools button[title=\"Save waits as CSV\"]').click();
         URL.createObjectURL = make;
         return 1",
    );
    let text = browser.js("return savedBlob.text()");
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_str().expect("text").as_bytes());
    let row = |it: csv::StringRecord| it.iter().map(str::to_owned).collect();
    reader.records().map(|it| row(it.expect("a row"))).collect()
}

fn shown_rows(browser: &Browser) -> f64 {
    browser.number("return document.querySelectorAll('#waits-list tbody tr').length")
}

/// Every row and every figure, in the same order, by the keys of the JSON.
#[requires(data, program = "chromedriver")]
#[test]
fn the_figures_are_those_of_the_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, waits) = page(folder.path());
    assert!(waits.len() > 500, "{} rows", waits.len());
    assert!(waits.iter().any(|row| row["woken_by"].is_string()));
    let browser = Browser::start("waits", &[]);
    browser.open(&file);
    browser.js(SELECT);
    assert_eq!(shown_rows(&browser), 100.0);
    let rows = saved(&browser);
    let (head, rows) = rows.split_first().expect("a head");
    assert_eq!(rows.len(), waits.len());
    for (nth, (row, expected)) in rows.iter().zip(&waits).enumerate() {
        for (key, cell) in head.iter().zip(row) {
            match &expected[key] {
                Value::Null => assert_eq!(cell, "", "row {nth}, {key}"),
                // What a spreadsheet would take for a formula has a quote in front.
                Value::String(text) => {
                    assert_eq!(cell.trim_start_matches('\''), text, "{nth} {key}");
                }
                value => {
                    let (found, value) =
                        (cell.parse::<f64>().expect(key), value.as_f64().expect(key));
                    // Durations have five digits on a page, instants microseconds.
                    let most = if key == "longest_at_s" { 1e-6 } else { 5e-5 * value.abs() };
                    assert!((found - value).abs() <= most, "row {nth}, {key}: {found}, {value}");
                }
            }
        }
    }
    for key in ["total_s", "count", "longest_s", "kind", "woken_by", "thread", "tid", "process"] {
        assert!(head.iter().any(|it| it == key), "{key} in {head:?}");
    }
    assert_eq!(browser.log("browser"), [] as [Value; 0], "console");
}

/// Selection, search and keyboard; all of it is in the address, and what the table cannot follow is said.
#[requires(data, program = "chromedriver")]
#[test]
fn rows_follow_the_selection_and_the_search() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, waits) = page(folder.path());
    let browser = Browser::start("waits-selection", &[]);
    browser.open(&file);
    browser.js(SELECT);
    let address = || browser.js("return location.hash").as_str().unwrap_or_default().to_owned();
    assert_eq!(address(), "#view=tables&table=waits");

    // An app that has waits.
    let app = browser.js("const of = wattle.lookUp('system_server') ?? null; return of && of.name");
    let app = app.as_str().expect("the app").to_owned();
    let is_of = |row: &&Value| row["process"].as_str().is_some_and(|it| it == app);
    let of_app = waits.iter().filter(is_of).count();
    assert!(of_app > 10 && of_app < waits.len(), "{of_app}");
    browser.js(&format!(
        "wattle.select({{ t: [0.1, 0.2], app: wattle.lookUp('{app}').id, thread: null }}); return 1"
    ));
    assert_eq!(saved(&browser).len() - 1, of_app);
    assert!(address().contains(&format!("app={app}")), "{}", address());
    let said = browser.text("#table-body");
    assert!(said.contains("Rows of the selected app"), "{said}");
    assert!(said.contains("The selected time range does not change this table."), "{said}");

    // The page's search rules the table, and is in the address; the table's own filter narrows it further.
    browser.js("wattle.select({ t: null, app: null, q: 'binder' }); return 1");
    let found = saved(&browser).len() - 1;
    let has = |row: &&Value| {
        let keys = ["kind", "function", "woken_by", "thread", "process"];
        let mut texts = keys.iter().filter_map(|key| row[*key].as_str());
        texts.any(|text| text.to_lowercase().contains("binder"))
    };
    assert_eq!(found, waits.iter().filter(has).count());
    assert!(found > 0 && address().contains("q=binder"), "{}", address());
    browser.type_into("#waits-filter", "no such thread");
    assert_eq!(shown_rows(&browser), 0.0);
    browser.clear("#waits-filter");
    browser.js("wattle.select({ q: '' }); return 1");

    // By keyboard: Enter opens the row, a button leads to the time of the longest wait.
    browser.js("document.querySelector('#waits-list tbody tr').focus(); return 1");
    browser.key("\u{e007}");
    assert_eq!(browser.text("#waits-list tr.behind button"), "Select the time of the longest");
    browser.js("document.querySelector('#waits-list tr.behind button').focus(); return 1");
    browser.key("\u{e007}");
    let t = browser.js("return wattle.state.t");
    let [at, longest] = ["longest_at_s", "longest_s"].map(|it| waits[0][it].as_f64().expect(it));
    let [from, to] = [0, 1].map(|end| t[end].as_f64().expect("an end"));
    assert!((from - at.max(0.0)).abs() < 1e-5 && (to - at - longest).abs() < 1e-3, "{t}: {at}");
    assert!(address().starts_with("#t="), "{}", address());
    assert_eq!(browser.log("browser"), [] as [Value; 0], "console");
}

/// On a phone's width the page does not scroll sideways, and threads come first.
#[requires(data, program = "chromedriver")]
#[test]
fn a_phone_shows_waits() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, _) = page(folder.path());
    let browser = Browser::start("waits-phone", &[]);
    browser.become_telephone([390, 844]);
    browser.open(&file);
    browser.js(SELECT);
    let wide = browser.js("return [document.documentElement.scrollWidth, innerWidth]");
    assert!(wide[0].as_i64() <= wide[1].as_i64(), "{wide}");
    assert_eq!(browser.text("#waits-list th:first-child"), "thread");
    assert_eq!(browser.log("browser"), [] as [Value; 0], "console");
}
