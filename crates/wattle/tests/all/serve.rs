//! `wattle serve` and `wattle push`, as their users meet them: the real program, a real browser, a real trace.

use std::time::Duration;

use serde_json::{Value, json};
use wattle_testdata::requires;

use crate::served_program::Served;
use crate::support::{number, trace, wattle};
use crate::webdriver::Browser;

const TRACE: &str = "api32_startup_warm_pixel6a.perfetto-trace";

/// The pages of a project with two runs of one job each.
const PAGES: [&str; 12] = [
    "",
    "/runs",
    "/runs/1",
    "/compare?a=1&b=2",
    "/apps/androidx.benchmark.integration.macrobenchmark.target",
    "/findings",
    "/budgets",
    "/queue",
    "/jobs/1",
    "/devices",
    "/settings",
    "/findings?last=1",
];

/// Presses a button that leads to another page, and waits for that.
fn click_away(browser: &Browser, selector: &str) {
    browser.js("document.documentElement.dataset.ready = 'old'; return 1");
    browser.click(selector);
    browser.wait_until_ready();
}

/// A script of a page that waits, and its result.
fn fetched(browser: &Browser, path: &str) -> String {
    browser.js(&format!(
        "window.fetched = null; fetch('{path}').then((it) => it.text()).then((text) => {{ window.fetched = text; }}); return 1"
    ));
    for _ in 0..400 {
        let text = browser.js("return window.fetched");
        if let Some(text) = text.as_str() {
            return text.to_owned();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{path}: no answer");
}

#[track_caller]
fn check_quiet(browser: &Browser) {
    let log = browser.log("browser");
    assert!(log.is_empty(), "console: {log:#?}");
}

/// Nothing is wider than a telephone.
#[track_caller]
fn check_narrow(browser: &Browser, address: &str) {
    browser.visit(address);
    let width = browser.number("return document.documentElement.scrollWidth");
    assert!(width <= 390.0, "{address} is {width} wide");
}

/// Uploads the trace by the page, and waits for the page of its run.
fn upload_by_page(browser: &Browser, url: &str) {
    browser.visit(url);
    browser.type_into("#files", &trace(TRACE).display().to_string());
    browser.click("#start");
    for _ in 0..1200 {
        let place = browser.js("return location.pathname");
        if place.as_str().is_some_and(|path| path.contains("/runs/")) {
            browser.wait_until_ready();
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("no run: {} {:?}", browser.text("main"), browser.log("browser"));
}

#[requires(data, program = "chromedriver")]
#[test]
fn a_trace_is_uploaded_read_shared_and_compared() {
    let mut served = Served::start();
    let url = served.url.clone();
    let browser = Browser::start("serve", &[]);
    upload_by_page(&browser, &url);

    // The figures are those of the command line.
    let expected = wattle(["report", "--json", "-", trace(TRACE).to_str().expect("a name")]).json();
    let total = number(&expected, "/total_joules");
    let shown = browser.number("return wattle.answer().device.joules");
    assert!((shown - total).abs() <= 1e-6 * total, "{shown} J, expected {total} J");
    let run = "/api/v1/projects/default/runs/1";
    let report: Value =
        serde_json::from_str(&fetched(&browser, &format!("{run}/files/report.json")))
            .expect("JSON");
    assert_eq!(report["total_joules"], expected["total_joules"]);
    assert_eq!(report["processes"], expected["processes"]);
    let threads = fetched(&browser, &format!("{run}/files/threads.csv"));
    let joules: f64 = csv_column(&threads, "joules").iter().sum();
    assert!((joules - total).abs() <= 1e-6 * total, "threads sum to {joules} J, not {total} J");

    // All views work under the server's policy, and the selection is in the address.
    for view in ["tree", "tracks", "tables", "quality", "flame"] {
        browser.js(&format!("wattle.select({{ view: '{view}' }}); return 1"));
    }
    browser.js("wattle.select({ t: [0.1, 0.2], view: 'tables' }); return 1");
    let address = browser.js("return location.href");
    let address = address.as_str().expect("an address").to_owned();
    assert!(address.contains("#t=0.1-0.2"), "{address}");
    let selected = browser.number("return wattle.answer().device.joules");
    assert!(selected > 0.0 && selected < total, "{selected} J of {total} J");
    check_quiet(&browser);

    // A comment keeps the selection.
    browser.type_into("#comment", "here");
    click_away(&browser, "#comment-form button");
    assert!(browser.text("#comments").contains("here"));
    browser.visit(&format!("{url}/p/default/runs/1"));
    browser.click("#comments a[data-selection]");
    std::thread::sleep(Duration::from_millis(500));
    let again = browser.number("return wattle.answer().device.joules");
    assert!((again - selected).abs() <= 1e-9 * total, "{again} J, selected {selected} J");

    // A link shows the same to whoever has it.
    click_away(&browser, "form[action$=\"/share\"] button");
    let link = browser.text("#link");
    browser.visit(&link);
    let shared = browser.number("return wattle.answer().device.joules");
    assert!((shared - total).abs() <= 1e-6 * total, "{shared} J");
    check_quiet(&browser);

    // The same trace once more, and both compared: nothing changed.
    assert_eq!(served.push(&trace(TRACE), &[]).code, Some(0));
    browser.visit(&format!("{url}/p/default/runs"));
    click_away(&browser, "form[action$=\"/compare\"] button");
    let figures = browser.js("return wattle.figures()");
    assert_eq!(figures["difference"], json!(0), "{figures}");
    check_quiet(&browser);

    // On a telephone.
    browser.become_telephone([390, 844]);
    for path in PAGES {
        check_narrow(&browser, &format!("{url}/p/default{path}"));
    }
    check_quiet(&browser);
    drop(browser);
    assert_eq!(served.end(), Some(0), "it ends in order");
}

/// The numbers of a column of CSV.
fn csv_column(text: &str, name: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let at = reader.headers().expect("a head").iter().position(|it| it == name);
    let at = at
        .unwrap_or_else(|| panic!("no column {name}: {}", text.lines().next().unwrap_or_default()));
    let number = |row: csv::Result<csv::StringRecord>| row.expect("a row")[at].parse().ok();
    reader.records().filter_map(number).collect()
}

#[requires(data, env = "WATTLE_AXE")]
#[test]
fn pages_can_be_used_by_everybody() {
    let served = Served::start();
    assert_eq!(served.push(&trace(TRACE), &[]).code, Some(0));
    assert_eq!(served.push(&trace(TRACE), &[]).code, Some(0));
    let browser = Browser::start("serve-axe", &[]);
    for theme in ["light", "dark"] {
        for path in PAGES.into_iter().chain(["/nothing"]) {
            let address = format!("{}/p/default{path}#theme={theme}", served.url);
            browser.visit(&address);
            browser.load_axe();
            browser.check_accessibility(&address);
        }
    }
}

#[test]
fn what_cannot_be_read_is_a_failed_job_and_the_server_goes_on() {
    let served = Served::start();
    let folder = served.folder.path();
    let garbage = folder.join("garbage.pftrace");
    std::fs::write(&garbage, b"no trace at all").expect("a file");
    // 1 GB of zeros in 1 MB.
    let bomb = folder.join("bomb.zip");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&bomb).expect("a file"));
    archive.start_file("trace.pftrace", zip::write::SimpleFileOptions::default()).expect("a file");
    for _ in 0..1000 {
        std::io::Write::write_all(&mut archive, &vec![0; 1 << 20]).expect("zeros");
    }
    archive.finish().expect("an archive");
    for file in [&garbage, &bomb] {
        let run = served.push(file, &[]);
        assert_eq!(run.code, Some(3), "{}: {} {}", file.display(), run.stdout, run.stderr);
        assert!(run.stdout.contains("/p/default/jobs/"), "{}", run.stdout);
        assert!(
            !run.stderr.contains(&folder.display().to_string()),
            "a path of the server: {}",
            run.stderr
        );
    }
    let none = served.push(&folder.join("none"), &[]);
    assert_eq!(none.code, Some(3), "{}", none.stderr);
}

#[test]
fn others_are_let_in_only_as_users() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let data = folder.path().to_str().expect("a name").to_owned();
    let refused = wattle(["serve", "--bind", "0.0.0.0:0", "--data", &data]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("wattle serve user add NAME"), "{}", refused.stderr);
    let added = wattle(["serve", "user", "add", "ann", "--data", &data]);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    assert!(added.stdout.contains("password: "), "{}", added.stdout);
    let again = wattle(["serve", "user", "add", "ann", "--data", &data]);
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    let list = wattle(["serve", "user", "list", "--data", &data]);
    assert_eq!(list.stdout, "ann  manages the server\n");
    let last = wattle(["serve", "user", "disable", "ann", "--data", &data]);
    assert_eq!(last.code, Some(2), "{}", last.stderr);
    let mut served = Served::start_in(folder);
    let file = served.folder.path().join("a.pftrace");
    std::fs::write(&file, b"x").expect("a file");
    let unknown = served.push(&file, &[]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("--token-file"), "{}", unknown.stderr);
    assert_eq!(served.end(), Some(0));
}
