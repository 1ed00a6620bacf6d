//! The page of a difference, and sampled stacks in a report's flame graph, in a real browser.
//!
//! Needs `chromedriver`, and is ignored where it is missing; `.ci/run` installs it and demands it.

use crate::support;
use std::path::PathBuf;

use wattle_ledger::{Charge, FrameClass, FrameEntry, Ledger};
use wattle_report::{FlameOptions, HTML_LIMIT, Per, ReportOptions, diff_html};
use wattle_testdata::requires;

use crate::support::html;

use self::support::{BIG, Builder, HOSTILE, LITTLE};
use crate::webdriver::Browser;

const FLAME: &str = "#flame-canvas";

fn write(name: &str, page: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, page).expect("a file");
    file
}

fn diff_page(before: &Ledger, after: &Ledger, per: &Per) -> String {
    let runs = [("old.ledger.json.zst", before), ("<b>new</b>", after)];
    diff_html(runs, per, &FlameOptions::default()).expect("a page")
}

#[track_caller]
fn check(found: &str, expected: &str) {
    assert!(found.contains(expected), "found {found:?}, expected {expected:?}");
}

/// The page has had no error and asked for nothing but itself and what it carries.
#[track_caller]
fn check_quiet(browser: &Browser) {
    let log = browser.log("browser");
    assert!(log.is_empty(), "console: {log:#?}");
    for url in browser.requests() {
        assert!(url.starts_with("file://") || url.starts_with("data:"), "asked for {url}");
    }
}

fn select(browser: &Browser, selector: &str, option: &str) {
    browser.js(&format!(
        "const select = document.querySelector('{selector}');
         select.value = [...select.options].find((o) => o.text.startsWith('{option}')).value;
         select.dispatchEvent(new Event('change'));
         return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(1))))"
    ));
}

/// The phone of the other tests after a change: drawing costs more, one layout less, and a method is new.
fn changed() -> Ledger {
    let mut ledger = support::phone();
    let path = |ledger: &Ledger, name: &str| {
        ledger.rows.paths.iter().position(|path| path.name == name).expect("a path") as u32
    };
    let draw = path(&ledger, "DrawFrames");
    let hostile = path(&ledger, HOSTILE);
    "measure".clone_into(&mut ledger.rows.paths[hostile as usize].name);
    let frame = path(&ledger, "Choreographer#doFrame");
    for booking in &mut ledger.bookings {
        let path = ledger.rows.accounts[booking.account.0 as usize].path().map(|path| path.0);
        if path == Some(draw) && booking.charge == Charge::Core {
            booking.joules = booking.joules * 2.0;
        }
        if path == Some(frame) && booking.charge == Charge::Core {
            booking.joules = booking.joules * 0.5;
        }
    }
    ledger
}

#[requires(program = "chromedriver")]
#[test]
fn a_reader_finds_what_changed() {
    let page = diff_page(&support::phone(), &changed(), &Per::Run);
    assert!(!page.contains("<b>new") && !page.contains("<img"), "a name became markup");
    let browser = Browser::start("diff", &[]);
    browser.open(&write("diff.html", &page));
    // 0.6 J more for drawing, 0.15 J less for frames; 0.5 J of measuring have another name.
    check(&browser.text("#cards"), "old.ledger.json.zst");
    check(&browser.text("#cards"), "<b>new</b>");
    check(&browser.text("#cards"), "+450 mJ");
    check(&browser.text("#components-list"), "+450 mJ");
    check(&browser.text("#errors"), "common");
    let status = || browser.text("#flame-status");
    check(&status(), "everything: 7.80 J → 8.25 J, +450 mJ, +5.8 %");
    check(&status(), "more");

    // By keyboard into the process that now has most, its thread and its call.
    browser.js("document.querySelector('#flame-canvas').focus(); return 1");
    let down = "\u{e015}";
    for key in [down, down] {
        browser.key(key);
    }
    let chosen = || browser.text("#flame-selected");
    check(&chosen(), "com.example.app › main: 2.30 J → 2.15 J");
    check(&chosen(), "less");
    browser.key("\u{e014}");
    check(&chosen(), "com.example.app › RenderThread: 700 mJ → 1.30 J, +600 mJ, +85.7 %");
    check(&chosen(), "more");
    browser.key("\u{e007}");
    check(&status(), "RenderThread: 700 mJ");
    browser.key("\u{e00c}");
    check(&status(), "com.example.app: 3.00 J → 3.45 J");
    browser.click("#flame-reset");

    browser.type_into("#flame-search", "layout");
    // Two nested ones count once.
    check(&browser.text("#flame-matched"), "2 found, together 1.70 J → 1.70 J, 0 J");
    browser.clear("#flame-search");
    browser.type_into("#flame-search", "measure");
    check(&browser.text("#flame-matched"), "1 found, together 0 J → 500 mJ, +500 mJ");
    browser.clear("#flame-search");

    select(&browser, "#flame-energy", "gpu");
    check(&status(), "everything: 400 mJ → 400 mJ, 0 J");
    check(&status(), "inconclusive");
    select(&browser, "#flame-energy", "all");

    // The hostile name has a width before only.
    browser.point(FLAME, [20.0, 30.0], false);
    check(&browser.text("#tip"), "before → after");
    select(&browser, "#flame-width", "energy before");
    browser.type_into("#flame-search", "alert");
    check(&browser.text("#flame-matched"), "together 700 mJ → 200 mJ, -500 mJ");
    browser.clear("#flame-search");
    assert_ne!(browser.js("return document.title"), "owned");

    let first = || browser.text("#methods-list tbody tr:first-child");
    check(&first(), "DrawFrames");
    check(&first(), "+600 mJ");
    browser.type_into("#methods-filter", "measure");
    check(&first(), "new, more");
    browser.clear("#methods-filter");
    browser.type_into("#methods-filter", "gone");
    check(&first(), "gone, less");
    check_quiet(&browser);
}

/// The colours say what the words say: pixels of the picture itself.
#[requires(program = "chromedriver")]
#[test]
fn more_is_red_and_less_is_blue() {
    let page = write("colours.html", &diff_page(&support::phone(), &changed(), &Per::Second));
    for (name, flag) in
        [("light", "--blink-settings=preferredColorScheme=1"), ("dark", "--force-dark-mode")]
    {
        let browser = Browser::start(name, &[flag]);
        browser.open(&page);
        check(&browser.text("#flame-status"), "everything: 780 mW → 825 mW");
        // Zoomed in on one node, its row is as wide as the picture.
        let color = |query: &str, row: u32| {
            browser.js(&format!(
                "const canvas = document.querySelector('#flame-canvas'); canvas.focus(); return '{query}'"
            ));
            for _ in 0..row {
                browser.key("\u{e015}");
            }
            if query == "RenderThread" {
                browser.key("\u{e014}");
            }
            browser.key("\u{e007}");
            check(&browser.text("#flame-status"), query);
            // Read from a copy: the browser warns of reading from the picture itself.
            let pixel = browser.js(&format!(
                "const copy = document.createElement('canvas').getContext('2d', {{ willReadFrequently: true }});
                 copy.drawImage(document.querySelector('#flame-canvas'), 3 * devicePixelRatio,
                    ({row} * 20 + 3) * devicePixelRatio, 1, 1, 0, 0, 1, 1);
                 return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3)"
            ));
            browser.click("#flame-reset");
            let of = |at: usize| pixel[at].as_i64().expect("a colour");
            [of(0), of(1), of(2)]
        };
        let [red, _, blue] = color("main", 2);
        assert!(blue > red + 15, "{name}: less is {red} {blue}");
        let [red, _, blue] = color("RenderThread", 2);
        assert!(red > blue + 15, "{name}: more is {red} {blue}");
        check_quiet(&browser);
    }
}

#[requires(program = "chromedriver")]
#[test]
fn large_differences_stay_usable() {
    let page = diff_page(&support::busy(500, 9000), &support::busy(500, 10_000), &Per::Run);
    assert!(page.len() <= HTML_LIMIT, "{} bytes", page.len());
    let browser = Browser::start("large-diff", &["--force-dark-mode"]);
    browser.open(&write("large-diff.html", &page));
    check(&browser.text("#flame-note"), "smaller ones");
    browser.type_into("#flame-search", "performRecompose_1");
    check(&browser.text("#flame-matched"), "found, together");
    browser.point(FLAME, [20.0, 30.0], true);
    browser.click("#flame-reset");
    check(&browser.text("#flame-status"), "everything");
    check_quiet(&browser);
}

#[requires(program = "chromedriver")]
#[test]
fn empty_runs_make_a_page() {
    let empty = Ledger::empty(wattle_timeline::Window::default());
    let browser = Browser::start("empty-diff", &[]);
    browser.open(&write("empty-diff.html", &diff_page(&empty, &empty, &Per::Run)));
    check(&browser.text("#flame-status"), "no data");
    check(&browser.text("#methods-table"), "No call path");
    check_quiet(&browser);
}

/// Stacks of samples: 2 J in native code, 1 J in the kernel, half a joule truncated.
fn sampled() -> Ledger {
    let mut b = Builder::new(10.0);
    b.pixel();
    let frames = [
        (FrameClass::Native, "libart.so!run"),
        (FrameClass::Kernel, "el0_svc"),
        (FrameClass::Truncated, "[truncated]"),
    ];
    for (class, name) in frames {
        b.ledger.rows.frames.push(FrameEntry {
            class,
            function: Some(name.to_owned()),
            mapping: None,
            inlined: false,
            file: None,
            line: None,
        });
    }
    let app = b.process(100, "com.example.app", Some("com.example.app"), 10_100);
    let thread = b.thread(app, 100, "main", 1000);
    let root = b.path(thread, None, "", 1, [0, 0]);
    let frame = |b: &mut Builder, caller, frame: u32, joules, source| {
        let name = frames[frame as usize].1;
        let path = b.path(thread, Some(caller), name, 0, [100, 0]);
        b.ledger.rows.paths[path.0 as usize].frame = Some(frame);
        b.ledger.rows.paths[path.0 as usize].samples = 10;
        b.pay(path, Charge::Core, source, joules);
        path
    };
    let native = frame(&mut b, root, 0, 2.0, BIG);
    frame(&mut b, native, 1, 1.0, LITTLE);
    frame(&mut b, root, 2, 0.5, BIG);
    b.ledger
}

#[requires(program = "chromedriver")]
#[test]
fn sampled_stacks_are_coloured_by_what_they_are_of() {
    let page = html(&sampled(), &ReportOptions::default()).expect("a page");
    let browser = Browser::start("sampled", &[]);
    browser.open(&write("sampled.html", &page));
    let legend = || browser.text("#flame-legend").replace('\u{202f}', " ");
    assert_eq!(legend(), "", "colours mean components unless asked otherwise");
    select(&browser, "#flame-colour", "what a frame");
    for words in ["native 2.00 J", "kernel 1.00 J", "truncated 500 mJ"] {
        check(&legend(), words);
    }
    browser.point(FLAME, [20.0, 77.0], false);
    check(&browser.text("#tip"), "libart.so!run");
    check(&browser.text("#tip"), "native");
    browser.point(FLAME, [20.0, 99.0], true);
    let selected = browser.text("#flame-selected").replace('\u{202f}', " ");
    check(&selected, "el0_svc: 1.00 J");
    check(&selected, "kernel");
    check_quiet(&browser);

    // Where nothing was sampled there is nothing to choose.
    let page = html(&support::phone(), &ReportOptions::default()).expect("a page");
    browser.open(&write("not-sampled.html", &page));
    let choices = browser.number("return document.querySelectorAll('#flame-colours').length");
    assert_eq!(choices, 0.0);
}
