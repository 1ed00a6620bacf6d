//! A run's page on a server that is zoomed into: more of the recording comes, and its figures are those of `wattle report --from --to`.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use wattle_testdata::requires;

use crate::served_program::Served;
use crate::support::{list, number, trace, wattle};
use crate::webdriver::Browser;

/// A trace without rails: the energy of a part of it does not depend on when rails were read.
const TRACE: &str = "ms_sched_freq_idle_galaxyS21.perfetto-trace";

const TRACKS: &str = "/api/v1/projects/default/runs/1/tracks";

/// A server with a run of this trace, whose name is that of its file.
fn with_run(file: &Path) -> Served {
    let served = Served::start();
    let run = served.push(file, &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    served
}

/// A recording with so much in it that a page has only a part.
fn long_trace(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("long.pftrace");
    let out = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
    wattle_sim::write_big(40_000_000, 1, out).expect("a trace");
    path
}

#[track_caller]
fn tracks(served: &Served, query: &str) -> Value {
    let (status, text) = served.get(&format!("{TRACKS}{query}"));
    assert_eq!(status, 200, "{query}: {text}");
    serde_json::from_str(&text).expect("JSON")
}

/// The sum of a figure over tracks of a kind. Time that was not recorded is not one of them.
fn sum(answer: &Value, kind: &str, figure: &str) -> f64 {
    let of_kind = list(answer, "/tracks").iter().filter(|track| track["kind"] == kind);
    of_kind.map(|track| number(track, &format!("/{figure}"))).sum()
}

/// `wattle report --json` of a part of a file.
fn reported(file: &Path, from: f64, to: f64) -> Value {
    let [from, to] = [from, to].map(|it| format!("{it:.9}"));
    let name = file.to_str().expect("a name");
    wattle(["report", name, "--quiet", "--json", "-", "--from", &from, "--to", &to]).json()
}

fn busy(report: &Value) -> f64 {
    list(report, "/cpus").iter().filter_map(|cpu| cpu["busy_s"].as_f64()).sum()
}

#[track_caller]
fn check_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{found}, not {expected}");
}

#[requires(data)]
#[test]
fn a_range_of_a_real_trace_has_the_figures_of_the_report_of_that_range() {
    let file = trace(TRACE);
    let served = with_run(&file);
    let whole = tracks(&served, "");
    assert_eq!(whole["is_whole"], json!(true), "the trace is short");
    let bin = number(&whole, "/energy/bin_s");
    let ends = [0.0, 100.0, 256.0, 640.0, 1000.0].map(|bins: f64| (bins * bin * 1e9).round() / 1e9);
    let mut sums = [0.0; 3];
    for pair in ends.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        let answer = tracks(&served, &format!("?from={from}&to={to}"));
        // A range is of whole ticks of a microsecond; the report is of the same one.
        let [from, to] = ["/from_s", "/to_s"].map(|end| number(&answer, end));
        let report = reported(&file, from, to);
        check_close(sum(&answer, "power", "joules"), number(&report, "/total_joules"), 1e-9);
        check_close(
            number(&answer, "/energy/total_joules"),
            number(&report, "/total_joules"),
            2e-6,
        );
        check_close(sum(&answer, "cpu-runs", "time_ns") * 1e-9, busy(&report), 1e-9);
        sums[0] += sum(&answer, "power", "joules");
        sums[1] += number(&answer, "/energy/total_joules");
    }
    // Ranges side by side have together what the range around them has, however it is cut.
    let around = format!("?from={}&to={}&stretches=500", ends[0], ends[4]);
    let around = tracks(&served, &around);
    check_close(sums[0], sum(&around, "power", "joules"), 1e-4);
    check_close(sums[1], number(&around, "/energy/total_joules"), 1e-4);
    sums = [0.0; 3];
    // Between whole microseconds nothing is rounded: the sums are the same to the nanosecond.
    for nth in 0..10 {
        let answer = tracks(&served, &format!("?from={nth}.5&to={}.5", nth + 1));
        sums[0] += sum(&answer, "cpu-runs", "time_ns");
        sums[1] += sum(&answer, "power", "joules");
        sums[2] += number(&answer, "/energy/total_joules");
    }
    let around = tracks(&served, "?from=0.5&to=10.5&stretches=1000");
    assert_eq!(around["is_whole"], json!(false));
    assert_eq!(sums[0], sum(&around, "cpu-runs", "time_ns"));
    check_close(sums[1], sum(&around, "power", "joules"), 1e-12);
    check_close(sums[2], number(&around, "/energy/total_joules"), 1e-12);
}

#[requires(data, program = "chromedriver")]
#[test]
fn a_page_that_has_everything_asks_for_nothing() {
    let served = with_run(&trace(TRACE));
    let browser = Browser::start("serve-ranges-short", &[]);
    browser.visit(&format!("{}/p/default/runs/1#view=tracks", served.url));
    wait(&browser, "return wattle.tracks !== null && wattle.tracks.ready");
    browser.js("wattle.look([5, 5.2], true); return 1");
    std::thread::sleep(Duration::from_millis(700));
    let asked = browser.js("return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/tracks?')).length");
    assert_eq!(asked, json!(0));
    assert_eq!(browser.text("#track-detail"), "");
}

#[track_caller]
fn wait(browser: &Browser, script: &str) {
    for _ in 0..400 {
        if browser.js(script) == json!(true) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!(
        "{script}: {} {:?}",
        browser.js("return JSON.stringify(wattle.detail)"),
        browser.log("browser")
    );
}

/// Waits until the detail of what is on screen is there.
#[track_caller]
fn wait_for_detail(browser: &Browser) {
    wait(
        browser,
        "return wattle.detail.asked === null && document.getElementById('track-detail').textContent === 'in detail'",
    );
}

/// Stretches of tracks of calls that begin in a range, and the time that threads ran in it.
fn shown(browser: &Browser, from: f64, to: f64) -> [f64; 2] {
    let script = format!(
        "const inside = (row) => row.start.reduce((sum, start) => sum + (start >= {from} && start < {to} ? 1 : 0), 0);
         const time = (row) => row.start.reduce((sum, start, at) => sum + (row.value[at] < 0 ? 0 : Math.max(0, Math.min(row.end[at], {to}) - Math.max(start, {from}))), 0);
         const all = (kind, of) => wattle.tracks.ofKind(kind).flatMap(({{ rows }}) => rows).reduce((sum, row) => sum + of(row), 0);
         return [all('slices', inside), all('cpu-runs', time)]"
    );
    let shown = browser.js(&script);
    [number(&shown, "/0"), number(&shown, "/1")]
}

#[requires(program = "chromedriver")]
#[test]
fn zooming_into_a_long_recording_brings_what_the_page_does_not_have() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = long_trace(folder.path());
    let mut served = with_run(&file);
    let browser = Browser::start("serve-ranges", &[]);
    browser.visit(&format!("{}/p/default/runs/1#view=tracks", served.url));
    wait(&browser, "return wattle.tracks !== null && wattle.tracks.ready");
    let [kept, held] =
        ["kept", "stretches"].map(|it| browser.number(&format!("return wattle.tracks.{it}")));
    assert!(kept > held, "the page has {held} of {kept} stretches: nothing to ask for");
    browser.js(
        "window.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value; }).observe({ type: 'layout-shift', buffered: false });
         window.tall = document.getElementById('track-list').offsetHeight; return 1",
    );
    let [from, to] = [5.0, 5.6];
    let before = shown(&browser, from, to);
    browser.js(&format!("wattle.look([{from}, {to}], true); return 1"));
    wait_for_detail(&browser);
    let after = shown(&browser, from, to);
    assert!(after[0] > before[0], "calls: {} before, {} after", before[0], after[0]);

    // The time that threads ran is that of the report of this time, to a tick at each end of each stretch.
    let report = reported(&file, from, to);
    check_close(after[1], busy(&report), 1e-3);
    let answer = tracks(&served, &format!("?from={from}&to={to}"));
    check_close(sum(&answer, "cpu-runs", "time_ns") * 1e-9, busy(&report), 1e-9);

    // Nothing moved, little was loaded, and soon.
    assert_eq!(browser.number("return window.shift"), 0.0);
    assert_eq!(
        browser.js("return document.getElementById('track-list').offsetHeight === window.tall"),
        json!(true)
    );
    let sizes = browser.js("return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/tracks?')).map(({ encodedBodySize }) => encodedBodySize)");
    let sizes: Vec<f64> =
        sizes.as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
    assert!(
        !sizes.is_empty() && sizes.iter().all(|bytes| (1.0..=200_000.0).contains(bytes)),
        "{sizes:?} bytes"
    );
    let took = browser.number("return wattle.detail.tookMs");
    println!(
        "{kept} stretches, {held} in the page; {sizes:?} bytes after {took} ms; calls in {from} to {to} s: {before:?}, then {after:?}"
    );

    // What was loaded does for a little panning, and the whole recording is drawn of the page's data and it.
    browser.js("wattle.look([5.02, 5.62], true); return 1");
    std::thread::sleep(Duration::from_millis(600));
    browser.js("wattle.look([0, 11.9], true); return 1");
    std::thread::sleep(Duration::from_millis(600));
    let asked = browser.number("return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/tracks?')).length");
    assert_eq!(asked, sizes.len() as f64);

    // A selection is in the address, and a page that is opened at it comes to the same detail.
    browser.js("wattle.select({ t: [7.1, 7.2] }); return 1");
    wait_for_detail(&browser);
    let address = browser.js("return location.href");
    let address = address.as_str().expect("an address").to_owned();
    assert!(address.contains("t=7.1-7.2") && address.contains("view=tracks"), "{address}");
    let there = shown(&browser, 7.1, 7.2);
    browser.visit(&format!("{}/p/default/runs", served.url));
    browser.visit(&address);
    wait_for_detail(&browser);
    assert_eq!(shown(&browser, 7.1, 7.2), there);
    let log = browser.log("browser");
    assert!(log.is_empty(), "console: {log:#?}");

    // A shared run has it, too, and a telephone.
    let (_, made) = served.send("POST", "/api/v1/projects/default/shares", &json!({ "runs": [1] }));
    let made: Value = serde_json::from_str(&made).expect("JSON");
    let link = made["url"].as_str().expect("an address");
    browser.become_telephone([390, 844]);
    browser.visit(&format!("{link}#view=tracks&t=7.1-7.2"));
    wait_for_detail(&browser);
    assert_eq!(shown(&browser, 7.1, 7.2), there);
    let width = browser.number("return document.documentElement.scrollWidth");
    assert!(width <= 390.0, "{width} wide");
    if std::env::var_os("WATTLE_AXE").is_some() {
        browser.load_axe();
        browser.check_accessibility("tracks in detail");
    }

    // Without its server the page keeps what it has, and says that there is no more.
    assert_eq!(served.end(), Some(0));
    browser.js("wattle.look([2, 2.1], true); return 1");
    wait(
        &browser,
        "return document.getElementById('track-detail').textContent === 'no more detail'",
    );
    let kept = shown(&browser, 7.1, 7.2);
    assert_eq!(kept, there);
}

/// Stretches of tracks of calls and of running threads in a page's data that begin in a range of its time.
fn stretches(tracks: &Value, kind: &str) -> u64 {
    let of_kind = list(tracks, "/tracks").iter().filter(|track| track["kind"] == kind);
    of_kind.filter_map(|track| track["count"].as_u64()).sum()
}

/// Waits for a job, and gives it.
fn ended(served: &Served, job: i64) -> Value {
    for _ in 0..1200 {
        let (status, text) = served.get(&format!("/api/v1/projects/default/jobs/{job}"));
        assert_eq!(status, 200, "{text}");
        let job: Value = serde_json::from_str(&text).expect("JSON");
        if !matches!(job["state"].as_str(), Some("queued" | "running")) {
            return job;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("job {job} does not end");
}

#[requires(program = "chromedriver")]
#[test]
fn a_part_of_a_long_recording_is_read_again_with_all_its_detail() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = long_trace(folder.path());
    let served = with_run(&file);
    let [from, to] = [5.0, 5.3];
    let kept = tracks(&served, &format!("?from={from}&to={to}"));
    let ranges = "/api/v1/projects/default/runs/1/ranges";
    let asked =
        |from: f64, to: f64| served.send("POST", ranges, &json!({ "from_s": from, "to_s": to }));
    for (from, to) in [(5.3, 5.0), (5.0, 5.0), (-1.0, 2.0), (0.0, 1e6)] {
        let (status, text) = asked(from, to);
        assert_eq!(status, 400, "{from} to {to}: {text}");
        assert!(text.contains("two instants of 0 to"), "{text}");
    }

    // On the page, by the selection.
    let browser = Browser::start("serve-read-again", &[]);
    browser.visit(&format!("{}/p/default/runs/1#view=tracks&t={from}-{to}", served.url));
    wait(&browser, "return wattle.tracks !== null && wattle.tracks.ready");
    assert_eq!(
        browser
            .js("return ['range-from', 'range-to'].map((id) => document.getElementById(id).value)"),
        json!(["5", "5.3"])
    );
    browser.js("document.getElementById('range-form').requestSubmit(); return 1");
    wait_for_report(&browser);
    let job = ended(&served, 2);
    assert_eq!(job["state"], json!("done"), "{job}");
    assert_eq!(job["runs"], json!([]), "no run is made");
    assert_eq!(
        browser.number("return Math.round(wattle.tracks.stretches)"),
        browser.number("return Math.round(wattle.tracks.kept)"),
        "all of it is in the page"
    );

    // Its figures are those of the report of that time, and it has more of the calls than the run.
    let (status, report) = served.get("/api/v1/projects/default/jobs/2/files/report.json");
    assert_eq!(status, 200);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let expected = reported(&file, from, to);
    check_close(number(&report, "/total_joules"), number(&expected, "/total_joules"), 1e-9);
    let calls = browser.number("return wattle.tracks.ofKind('slices').flatMap(({ rows }) => rows).reduce((sum, row) => sum + row.start.length, 0)");
    let before = stretches(&kept, "slices") as f64;
    assert!(calls > before, "{calls} calls, {before} of the run");
    println!("{calls} calls in the part, {before} of the run's ledger in the same time");
    assert_eq!(
        browser.js("return document.querySelector('.server a').getAttribute('href')"),
        json!("/p/default/runs/1")
    );
    let log = browser.log("browser");
    assert!(log.is_empty(), "console: {log:#?}");
    if std::env::var_os("WATTLE_AXE").is_some() {
        browser.load_axe();
        browser.check_accessibility("a part read again");
    }
    let (_, runs) = served.get("/api/v1/projects/default/runs");
    let runs: Value = serde_json::from_str(&runs).expect("JSON");
    assert_eq!(runs.as_array().map(Vec::len), Some(1), "{runs}");

    // With the run all that was made of it is gone.
    let page = "/api/v1/projects/default/jobs/2/page-data.json";
    assert_eq!(served.get(page).0, 200);
    assert_eq!(served.send("DELETE", "/api/v1/projects/default/runs/1", &Value::Null).0, 204);
    for gone in [
        page,
        "/api/v1/projects/default/jobs/2/files/report.json",
        "/api/v1/projects/default/jobs/1/files/report.json",
        "/p/default/jobs/2/report",
    ] {
        assert_eq!(served.get(gone).0, 404, "{gone}");
    }
}

/// Waits until the page of the part is there.
#[track_caller]
fn wait_for_report(browser: &Browser) {
    for _ in 0..600 {
        let script = "return location.pathname.endsWith('/report') && typeof wattle === 'object' && wattle.tracks !== null && wattle.tracks.ready";
        if browser.js(script) == json!(true) {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{}: {:?}", browser.js("return location.href"), browser.log("browser"));
}

#[test]
fn what_cannot_be_read_again_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let served = with_run(&long_trace(folder.path()));
    let (_, ledger) = served.download("/api/v1/projects/default/runs/1/files/run.ledger.json.zst");
    let saved = folder.path().join("saved.ledger.json.zst");
    std::fs::write(&saved, ledger).expect("written");
    let pushed = served.push(&saved, &[]);
    assert_eq!(pushed.code, Some(0), "{}", pushed.stderr);
    let range = json!({ "from_s": 1.0, "to_s": 2.0 });
    let (status, text) = served.send("POST", "/api/v1/projects/default/runs/2/ranges", &range);
    assert_eq!(status, 409, "{text}");
    assert!(text.contains("uploaded as a ledger"), "{text}");
    let (_, page) = served.get("/p/default/runs/2");
    assert!(
        page.contains("A part of it cannot be read again: this run was uploaded as a ledger"),
        "{page}"
    );
    let (status, text) = served.send("POST", "/api/v1/projects/default/runs/9/ranges", &range);
    assert_eq!(status, 404, "{text}");
}
