//! The page's selection in a real browser: one selection rules every figure, it is in the address, and its interval is the engine's.
//!
//! Needs `chromedriver`, and is ignored where it is missing; `.ci/run` installs it and demands it.

use std::path::PathBuf;

use wattle_ledger::{Account, Booking, Ledger};
use wattle_power::{SourceId, SourceTotals};
use wattle_report::ReportOptions;
use wattle_testdata::requires;
use wattle_units::{Estimate, Joules};

use crate::support;
use crate::support::html;
use crate::support::over_time::with_bins;
use crate::support::tracks::with_tracks;
use crate::webdriver::Browser;

const CHART: &str = "#chart";
const FLAME: &str = "#flame-canvas";

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

/// The page has had no error and asked for nothing but itself and what it carries.
#[track_caller]
fn check_quiet(browser: &Browser) {
    let log = browser.log("browser");
    assert!(log.is_empty(), "console: {log:#?}");
    let requests = browser.requests();
    assert!(!requests.is_empty(), "requests are not seen at all");
    for request in requests {
        let own = ["file://", "data:", "blob:"].iter().any(|own| request.starts_with(own));
        assert!(own, "the page asked for {request}");
    }
}

fn address(browser: &Browser) -> String {
    browser.js("return location.hash").as_str().unwrap_or_default().to_owned()
}

fn go_to(browser: &Browser, address: &str) {
    browser.js(&format!("location.hash = '{address}'; return 1"));
    std::thread::sleep(std::time::Duration::from_millis(100));
}

/// The estimate of some entries in some bins by the engine's own error model.
fn engine(
    ledger: &Ledger,
    bins: std::ops::Range<u32>,
    keep: impl Fn(&Booking) -> bool,
) -> Estimate {
    let table = ledger.over_time.energy.as_ref().expect("bins");
    let cells: Vec<(SourceId, Joules, bool)> = table
        .cells(&ledger.bookings)
        .filter(|cell| bins.contains(&cell.bin))
        .map(|cell| {
            let booking = &ledger.bookings[cell.booking];
            (booking.source, cell.joules, keep(booking))
        })
        .collect();
    let totals: SourceTotals = cells.iter().map(|(source, joules, _)| (*source, *joules)).collect();
    let own = cells.iter().filter(|(.., kept)| *kept).map(|(source, joules, _)| (*source, *joules));
    ledger.power.errors.estimate(own, &totals)
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{found}, expected {expected}");
}

/// Selections of time, app and component, each with the interval that the engine gives.
#[requires(program = "chromedriver")]
#[test]
fn selections_have_the_joules_and_the_interval_of_the_engine() {
    let ledger = with_bins(support::phone());
    let browser = Browser::start("selection", &[]);
    browser.open(&file("selection.html", &ledger));
    let app = |booking: &Booking| match ledger.rows.accounts[booking.account.0 as usize] {
        Account::Path { path } => {
            let thread = ledger.rows.paths[path.0 as usize].thread;
            let process = ledger.rows.threads[thread as usize].process;
            // Isolated processes have a uid of their own.
            ledger.rows.processes[process as usize].name.starts_with("com.example.app")
        }
        Account::App { uid } => uid == 10_123,
        _ => false,
    };
    for bins in [0..10, 2..5, 9..10, 0..1] {
        let t = format!("[{}, {}]", bins.start, bins.end);
        for (selection, expected) in [
            (String::new(), engine(&ledger, bins.clone(), |_| true)),
            (
                "app: wattle.lookUp('com.example.app').id".to_owned(),
                engine(&ledger, bins.clone(), app),
            ),
            ("component: 1".to_owned(), engine(&ledger, bins.clone(), |it| it.component.0 == 1)),
        ] {
            let found = browser.js(&format!(
                "const of = wattle.query({{ t: {t}, app: null, thread: null, component: null, {selection} }}).own;
                 return [of.joules, of.interval[0], of.interval[1], of.provenance]"
            ));
            let number = |at: usize| found[at].as_f64().expect("a number");
            close(number(0), expected.joules.value(), 1e-6);
            close(number(1), expected.interval.low.value(), 1e-6);
            close(number(2), expected.interval.high.value(), 1e-6);
            if expected.joules != Joules::ZERO {
                assert_eq!(found[3], expected.provenance.to_string(), "{t} {selection}");
            }
        }
    }
    check_quiet(&browser);
}

#[requires(program = "chromedriver")]
#[test]
fn one_selection_rules_every_panel_and_is_in_the_address() {
    let ledger = with_bins(support::phone());
    let browser = Browser::start("address", &[]);
    browser.open(&file("address.html", &ledger));
    assert_ne!(browser.js("return document.title"), "owned");
    check(&browser.text("#total"), "Total energy, 10.0 s");
    check(&browser.text("#total"), "7.80");
    check(&browser.text("#app-figure"), "com.example.app");
    check(&browser.text("#app-figure"), "3.50");
    check(&browser.text("#app-figure"), "3.22–3.80 J (90 %)");
    assert_eq!(address(&browser), "");

    // By pointer: a drag over the chart, a click on an app, a click on a component.
    let width = browser.number("return document.querySelector('#chart').clientWidth");
    browser.drag(CHART, [width * 0.2, 80.0], [width * 0.5, 80.0]);
    check(&address(&browser), "#t=");
    check(&browser.text("#total"), "Selected, 3.00 s");
    go_to(&browser, "t=2-5");
    let joules = |what: &str| browser.number(&format!("return wattle.answer().{what}.joules"));
    close(joules("device"), engine(&ledger, 2..5, |_| true).joules.value(), 1e-6);
    browser.click("#consumers-list tr[data-app=\"com.example.app\"] .pick");
    check(&address(&browser), "t=2-5&app=com.example.app");
    check(&browser.text("#selection"), "com.example.app");
    browser.click("#component-list [data-component=cpu]");
    check(&address(&browser), "t=2-5&app=com.example.app&comp=cpu");
    let cpu = joules("own");
    // Flame graph, call tree and tables have the same joules.
    let in_flame =
        browser.number("return wattle.answer().rows.reduce((all, joules) => all + joules, 0)");
    close(in_flame, cpu, 1e-9);
    browser.key("2");
    check(&address(&browser), "view=tree");
    check(&browser.text("#tree-status"), "attributed to code");
    browser.key("4");
    let shown = browser.text("#components-figures tbody tr:first-child");
    check(&shown, "CPU");
    assert_eq!(
        browser.number("return document.querySelectorAll('#components-figures tbody tr').length"),
        1.0
    );

    // A reload keeps it, back undoes it, Escape clears it.
    let before = address(&browser);
    browser.js("location.reload(); return 1");
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(address(&browser), before);
    close(joules("own"), cpu, 1e-9);
    browser.js("history.back(); return 1");
    std::thread::sleep(std::time::Duration::from_millis(200));
    check(&address(&browser), "view=tree");
    browser.key("\u{e00c}");
    assert_eq!(address(&browser), "#view=tree");
    check(&browser.text("#total"), "Total energy");
    // What is not known stays in the address.
    go_to(&browser, "t=2-5&mine=kept");
    browser.key("1");
    browser.key("3");
    check(&address(&browser), "mine=kept");
    check_quiet(&browser);
}

#[requires(program = "chromedriver")]
#[test]
fn search_zoom_and_callers() {
    let browser = Browser::start("search", &[]);
    browser.open(&file("search.html", &with_bins(support::phone())));
    // Two nested slices of that name count once.
    browser.key("/");
    browser.type_into("#find", "LAYOUT");
    std::thread::sleep(std::time::Duration::from_millis(250));
    check(&browser.text("#flame-matches"), "1 match, 1.70 J (21.8 %)");
    check(&address(&browser), "q=LAYOUT");
    browser.key("\u{e00c}");
    assert_eq!(browser.js("return document.querySelector('#find').value"), "");
    // The second row, at the left: the app.
    browser.point(FLAME, [20.0, 30.0], true);
    check(&browser.text("#flame-selected"), "com.example.app: 3.50 J");
    browser.key("\u{e00c}");
    browser.point(FLAME, [20.0, 30.0], false);
    check(&browser.text("#tip"), "com.example.app");
    // By keys alone: into the flame graph, down to the app's first child, zoom.
    browser.js("document.querySelector('#flame-canvas').focus(); return 1");
    for key in ["\u{e015}", "\u{e015}", "\u{e015}", "\u{e007}"] {
        browser.key(key);
    }
    check(&browser.text("#flame-selected"), "com.example.app › ");
    // Callers and callees of one method.
    browser.js("wattle.select({ mode: 'sandwich', frame: 'Choreographer#doFrame' }); return 1");
    check(&address(&browser), "mode=sandwich");
    let middle = browser.text("#frame-choice");
    check(&middle, "self");
    browser.js("wattle.select({ mode: 'time' }); return 1");
    check(&browser.text("#flame-key"), "In order of time");
    check_quiet(&browser);
}

#[requires(program = "chromedriver")]
#[test]
fn keys_alone_reach_everything() {
    let browser = Browser::start("keys", &["--force-dark-mode"]);
    browser.open(&file("keys.html", &with_bins(support::phone())));
    assert_eq!(browser.js("return document.documentElement.dataset.theme"), "dark");
    browser.key("?");
    assert_eq!(browser.js("return document.querySelector('#keys').open"), true);
    check(&browser.text("#keys"), "Clear search, then zoom, then selection");
    browser.key("\u{e00c}");
    assert_eq!(browser.js("return document.querySelector('#keys').open"), false);
    browser.key("t");
    assert_eq!(browser.js("return document.documentElement.dataset.theme"), "light");
    check(&address(&browser), "theme=light");
    // Arrows make and move a time range; W and S zoom.
    browser.key("\u{e014}");
    browser.key("\u{e014}");
    check(&address(&browser), "t=4.75-5.75");
    browser.key("w");
    let from = "return +document.querySelector('#chart').dataset.from";
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(browser.number(from) > 0.0);
    // Escape: first the zoom, then the selection.
    browser.key("\u{e00c}");
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(browser.number(from), 0.0);
    check(&address(&browser), "t=4.75-5.75");
    browser.key("\u{e00c}");
    assert!(!address(&browser).contains("t="), "{}", address(&browser));
    // The call tree by arrows.
    browser.key("2");
    browser.js("document.querySelector('#tree-list tbody tr').focus(); return 1");
    let rows = "return document.querySelectorAll('#tree-list tbody tr').length";
    let all = browser.number(rows);
    browser.key("\u{e012}");
    assert!(browser.number(rows) < all, "a row closes");
    browser.key("\u{e014}");
    assert_eq!(browser.number(rows), all);
    check_quiet(&browser);
}

#[requires(program = "chromedriver")]
#[test]
fn a_telephone_has_no_sideways_scrolling() {
    let browser = Browser::start("telephone", &[]);
    browser.become_telephone([390, 844]);
    let page = file("telephone.html", &with_tracks(with_bins(support::phone()), 2000));
    browser.open(&page);
    for view in ["flame", "tree", "tracks", "tables", "quality"] {
        browser.js(&format!(
            "wattle.select({{ view: '{view}', t: [2, 5], app: wattle.lookUp('com.example.app').id }}); return 1"
        ));
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert_eq!(browser.number("return innerWidth"), 390.0);
        let wide = browser.number("return document.documentElement.scrollWidth - innerWidth");
        assert!(wide <= 0.0, "{view}: {wide} pixels beyond the edge");
    }
    check(&browser.text("#total"), "Selected");
    check_quiet(&browser);
}

#[requires(program = "chromedriver")]
#[test]
fn a_busy_minute_stays_usable() {
    let page = file("busy.html", &with_bins(support::busy(3000, 12_000)));
    let browser = Browser::start("busy", &["--force-dark-mode"]);
    browser.open(&page);
    browser.type_into("#find", "performRecompose_1");
    std::thread::sleep(std::time::Duration::from_millis(400));
    check(&browser.text("#flame-matches"), "matches");
    browser.js("wattle.select({ q: '', t: [12, 30] }); return 1");
    // A selection is answered within a frame or two.
    let took = browser.number(
        "const start = performance.now(); for (let nth = 0; nth < 5; nth++) wattle.query({ t: [nth, 30], app: null, thread: null, component: null });
         return (performance.now() - start) / 5",
    );
    assert!(took < 400.0, "{took} ms a query");
    check_quiet(&browser);
}

/// 200,000 call paths: the page says what is cut, is small, and is there within a second or so of a busy machine.
#[requires(program = "chromedriver")]
#[test]
fn two_hundred_thousand_paths_open_at_once() {
    let page = file("large.html", &with_bins(support::busy(3000, 200_000)));
    let size = std::fs::metadata(&page).expect("a page").len();
    assert!(size <= wattle_report::HTML_LIMIT as u64, "{size} bytes");
    let browser = Browser::start("large", &[]);
    browser.open(&page);
    let took = browser.number("return +document.documentElement.dataset.readyMs");
    println!("{size} bytes, drawn after {took} ms");
    assert!(took < 5000.0, "{took} ms");
    check(&browser.text("#pane"), "are merged as “smaller” into their caller");
    let brush = browser.number(
        "const start = performance.now(); for (let nth = 1; nth < 6; nth++) wattle.query({ t: [nth, 30], app: null, thread: null, component: null }).device;
         return (performance.now() - start) / 5",
    );
    println!("{brush} ms a query");
    check_quiet(&browser);
}

/// A ledger of an earlier version: no time can be selected, and the page says so.
#[requires(program = "chromedriver")]
#[test]
fn without_energy_over_time_the_page_says_so() {
    let browser = Browser::start("timeless", &[]);
    browser.open(&file("timeless.html", &support::phone()));
    check(&browser.text("#no-time"), "a time range cannot be selected");
    browser.drag(CHART, [100.0, 80.0], [300.0, 80.0]);
    assert_eq!(address(&browser), "");
    browser.click("#component-list [data-component=cpu]");
    check(&browser.text("#total"), "4.40");
    check_quiet(&browser);
}

/// Nothing that axe finds serious, light or dark, in any panel. `WATTLE_AXE` names `axe.min.js` of npm's `axe-core`.
#[requires(program = "chromedriver")]
#[requires(env = "WATTLE_AXE")]
#[test]
fn axe_finds_nothing_serious() {
    let browser = Browser::start("axe", &[]);
    let ledger = with_tracks(with_bins(support::phone()), 2000);
    browser.open(&file("axe.html", &ledger));
    browser.load_axe();
    for theme in ["light", "dark"] {
        for view in ["flame", "tree", "tracks", "tables", "quality"] {
            browser
                .js(&format!("wattle.select({{ theme: '{theme}', view: '{view}', t: [2, 5], mark: 't=0-2' }}); return 1"));
            browser.check_accessibility(&format!("{theme} {view}"));
        }
    }
}

/// `M` keeps a selection, and what is selected next stands beside it.
#[requires(program = "chromedriver")]
#[test]
fn a_marked_selection_is_compared() {
    let ledger = with_bins(support::phone());
    let browser = Browser::start("marked", &[]);
    browser.open(&file("marked.html", &ledger));
    let own = |address: &str| {
        go_to(&browser, address);
        browser.number("return wattle.answer().own.joules")
    };
    let (first, second) = (own("t=0-2&app=com.example.app"), own("t=2-5"));
    go_to(&browser, "t=0-2&app=com.example.app");
    browser.js("document.body.focus(); return 1");
    browser.key("m");
    check(&address(&browser), "mark=t%3D0-2%26app%3Dcom.example.app");
    check(&browser.text("#marked"), "is selected now");
    browser.js("wattle.select({ t: [2, 5], app: null }); return 1");
    let difference = browser.text("#marked-difference").replace('\u{202f}', " ");
    assert!(second > first + 0.1, "the example tells nothing: {first} {second}");
    let (number, unit) = difference.trim_start_matches('+').split_once(' ').expect("a unit");
    let shown: f64 = number.parse().expect("a number");
    close(if unit == "mJ" { shown * 1e-3 } else { shown }, second - first, 0.01);
    // It survives a reload, and a link has it.
    let kept = address(&browser);
    browser.js("location.reload(); return 1");
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(address(&browser), kept);
    check(&browser.text("#marked"), &difference);
    browser.js("[...document.querySelectorAll('#marked button')].pop().click(); return 1");
    assert_eq!(address(&browser), "#t=2-5");
    check_quiet(&browser);
}

/// Lists of the report show the rows of the selection, and say of what their figures are.
#[requires(program = "chromedriver")]
#[test]
fn lists_follow_the_selection() {
    let ledger = with_bins(support::phone());
    let browser = Browser::start("selected-lists", &[]);
    browser.open(&file("selected-lists.html", &ledger));
    let rows = |selector: &str| {
        browser.number(&format!("return document.querySelectorAll('{selector} tbody tr').length"))
    };
    go_to(&browser, "view=tables&table=threads");
    let all = rows("#threads-list");
    go_to(&browser, "view=tables&table=threads&app=com.example.app");
    let of_app = rows("#threads-list");
    assert!(of_app > 0.0 && of_app < all, "{of_app} of {all}");
    check(&browser.text("#table-body"), "Rows of the selected app");
    go_to(&browser, "view=tables&table=hardware&app=com.example.app");
    check(&browser.text("#table-body"), "the selection does not change it");
    // The methods of the selection add up to what the tree has of them.
    for selection in ["", "&app=com.example.app", "&t=2-5", "&comp=cpu"] {
        go_to(&browser, &format!("view=tables&table=selected-methods{selection}"));
        let shown = rows("#selected-methods-figures");
        assert!(shown > 0.0, "no methods for {selection:?}");
    }
    check_quiet(&browser);
}

/// The page says of the whole recording what the report and the terminal say: how much of it was measured.
#[requires(program = "chromedriver")]
#[test]
fn provenance_is_that_of_the_report() {
    let ledger = with_bins(support::phone());
    let report = wattle_report::Report::new(&ledger, &ReportOptions::default());
    let shares = report.energy.provenance_shares.expect("shares");
    let browser = Browser::start("provenance", &[]);
    browser.open(&file("provenance.html", &ledger));
    let found = browser
        .js("const of = wattle.answer().provenance, all = of.measured + of.modelled + of.assumed;
         return [of.measured / all, of.modelled / all, of.assumed / all]");
    for (nth, expected) in [shares.measured, shares.modelled, shares.assumed].iter().enumerate() {
        let found = found[nth].as_f64().expect("a number");
        assert!((found - expected).abs() < 1e-6, "{nth}: {found}, expected {expected}");
    }
}
