//! The page's tracks in a real browser: what they show, how they are selected by, and how fast they move.
//!
//! Needs `chromedriver`, and is ignored where it is missing; `.ci/run` installs it and demands it.

use std::path::PathBuf;

use wattle_ledger::Ledger;
use wattle_report::ReportOptions;
use wattle_testdata::requires;

use crate::support;
use crate::support::html;
use crate::support::over_time::with_bins;
use crate::support::tracks::with_tracks;
use crate::webdriver::Browser;

fn file(name: &str, ledger: &Ledger) -> PathBuf {
    let mut options = ReportOptions::default();
    options.apps = vec!["com.example.app".into()];
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, html(ledger, &options).expect("a page")).expect("a file");
    file
}

/// A page with its tracks unpacked and shown.
fn opened(name: &str, ledger: &Ledger) -> Browser {
    let browser = Browser::start(name, &[]);
    browser.open(&file(&format!("{name}.html"), ledger));
    for _ in 0..200 {
        if browser.js("return wattle.tracks.ready") == true {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    browser.key("3");
    browser
}

#[track_caller]
fn check(found: &str, expected: &str) {
    let found = found.replace('\u{202f}', " ");
    assert!(found.contains(expected), "found {found:?}, expected {expected:?}");
}

#[track_caller]
fn check_quiet(browser: &Browser) {
    let log = browser.log("browser");
    assert!(log.is_empty(), "console: {log:#?}");
}

/// Every kind of track says what it is, in which unit, what is cut, and where it has no data.
#[requires(program = "chromedriver")]
#[test]
fn every_kind_of_track_is_there() {
    let browser = opened("track-kinds", &with_tracks(with_bins(support::phone()), 4000));
    let list = browser.text("#track-list");
    for expected in [
        "Components · mean power",
        "Threads of com.example.app",
        "CPUs · clock (line, up to",
        "no data (hatched)",
        "Power rails · measured power between samples",
        "Frames · grey on time",
        "Battery · polled values",
        "89.7 % mean",
        "Wakelocks",
        "*job*/sync",
    ] {
        check(&list, expected);
    }
    // A component leaves its own rails.
    browser.js("wattle.select({ component: wattle.components.find(({ name }) => name === 'display').id }); return 1");
    let list = browser.text("#track-list");
    assert!(!list.contains("cpu.big"), "{list}");
    check_quiet(&browser);
}

/// CPU time of a time range is that of its bins, and of all time that of the recording.
#[requires(program = "chromedriver")]
#[test]
fn cpu_time_of_a_range_is_known() {
    let ledger = with_tracks(with_bins(support::phone()), 100);
    let browser = opened("track-cpu-time", &ledger);
    let of = |t: &str| {
        browser.number(&format!(
            "wattle.select({{ t: {t} }}); return wattle.cpuOf({{ t: {t}, app: wattle.lookUp('com.example.app').id }})"
        ))
    };
    let expected = |bins: std::ops::Range<u32>| -> f64 {
        let table = &ledger.over_time.tracks.as_ref().expect("tracks").cpu_time;
        let is_app = |path: u32| {
            let thread = ledger.rows.paths[path as usize].thread;
            let process = ledger.rows.threads[thread as usize].process;
            ledger.rows.processes[process as usize].name.starts_with("com.example.app")
        };
        let cells = table.cells().filter(|cell| bins.contains(&cell.bin) && is_app(cell.path));
        cells.map(|cell| cell.nanos as f64 * 1e-9).sum()
    };
    for bins in [0..10, 2..5, 9..10] {
        let found = of(&format!("[{}, {}]", bins.start, bins.end));
        let expected = expected(bins);
        assert!((found - expected).abs() < 1e-4, "{found}, expected {expected}");
    }
    let whole = of("null");
    assert!((whole - expected(0..10)).abs() < 1e-4, "{whole}");
    check_quiet(&browser);
}

/// A click on a call selects its time and thread, a drag selects time; keys do the same.
#[requires(program = "chromedriver")]
#[test]
fn tracks_select() {
    let browser = opened("track-select", &with_tracks(with_bins(support::phone()), 2000));
    let canvas = "#track-list canvas[tabindex]";
    let width = browser.number(&format!("return document.querySelector('{canvas}').clientWidth"));
    browser.drag(canvas, [width * 0.3, 8.0], [width * 0.6, 8.0]);
    check(&browser.text("#total"), "Selected, 3.0");
    browser.key("\u{e00c}");
    browser.key("\u{e00c}");
    browser.js(&format!("document.querySelector('{canvas}').focus(); return 1"));
    browser.key("\u{e014}");
    browser.key("\u{e014}");
    check(&browser.js("return document.querySelector('#said').textContent").to_string(), "level 1");
    browser.key("\u{e007}");
    let address = browser.js("return location.hash").to_string();
    assert!(address.contains("t=") && address.contains("thread="), "{address}");
    // Zoom is finer than bins.
    for _ in 0..30 {
        browser.key("w");
    }
    let [from, to] = ["from", "to"].map(|end| {
        browser.number(&format!("return +document.querySelector('#chart').dataset.{end}"))
    });
    assert!(to - from < 0.01, "{from} to {to}");
    check_quiet(&browser);
}

/// Ten minutes with 200,000 call paths and five million stretches of time. What is timed is printed; what is tested does not depend on how
/// busy the machine is.
#[requires(program = "chromedriver")]
#[test]
fn ten_minutes_of_five_million_stretches_open_and_move() {
    let start = std::time::Instant::now();
    let ledger = with_tracks(with_bins(support::busy_for(600.0, 3000, 200_000)), 5_000_000);
    let tracks = ledger.over_time.tracks.as_ref().expect("tracks");
    assert!(tracks.stretches() > 4_500_000, "{}", tracks.stretches());
    println!("made in {:?}", start.elapsed());
    let browser = opened("track-scale", &ledger);
    println!("page written and opened in {:?}", start.elapsed());
    let size =
        std::fs::metadata(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("track-scale.html"));
    let size = size.expect("a page").len();
    assert!(size <= wattle_report::HTML_LIMIT as u64, "{size} bytes");
    assert_eq!(browser.js("return wattle.tracks.byWorker"), true, "unpacked beside the page");
    let stretches = browser.number("return wattle.tracks.stretches");
    assert!(stretches > 50_000.0, "{stretches}");
    let ready = browser.number("return +document.documentElement.dataset.readyMs");
    println!("{size} bytes, {stretches} stretches, first picture after {ready} ms");
    // Zoomed in to a minute, then panned by a tenth of a second a frame for 120 frames.
    let script = "
        wattle.look([100, 160]);
        const tasks = [];
        const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
        observer.observe({ entryTypes: ['longtask'] });
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        globalThis.panned = (async () => {
            for (let nth = 0; nth < 10; nth++) { wattle.look([100, 160]); await frame(); }
            const times = [];
            let last = await frame();
            for (let nth = 0; nth < 120; nth++) {
                wattle.look([100 + nth / 10, 160 + nth / 10]);
                const now = await frame();
                times.push(now - last);
                last = now;
            }
            const cost = [];
            for (let nth = 0; nth < 20; nth++) { const from = performance.now(); wattle.look([100 + nth, 160 + nth], true); cost.push(performance.now() - from); }
            times.sort((a, b) => a - b);
            cost.sort((a, b) => a - b);
            return { fps: 1000 * times.length / times.reduce((a, b) => a + b, 0), median: times[60], worst: times[119], long: tasks.length, cost: cost[10] };
        })();
        return 1";
    browser.js(script);
    let found = browser.js("return globalThis.panned");
    println!("panned: {found}");
    let long = found["long"].as_f64().expect("a number of tasks");
    assert!(long < 60.0, "{found}: more than half of the frames took longer than 50 ms");
    check_quiet(&browser);
}
