//! `wattle serve` and `wattle push`, as their users meet them: the real program, a real browser, a real trace.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use wattle_testdata::requires;

use crate::support::{number, trace, wattle};
use crate::webdriver::Browser;

const TRACE: &str = "api32_startup_warm_pixel6a.perfetto-trace";

/// A running `wattle serve` on a folder of its own.
struct Served {
    child: Child,
    url: String,
    folder: tempfile::TempDir,
}

impl Served {
    fn start() -> Self {
        Self::start_in(tempfile::tempdir().expect("temporary folder"))
    }

    fn start_in(folder: tempfile::TempDir) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_wattle"))
            .args(["serve", "--bind", "127.0.0.1:0", "--workers", "1", "--data"])
            .arg(folder.path())
            .current_dir(folder.path())
            .env_remove("WATTLE_TOKEN")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let url = line.split(' ').nth(2).unwrap_or_else(|| panic!("{line:?}")).trim().to_owned();
        Self { child, url, folder }
    }

    fn push(&self, file: &Path, more: &[&str]) -> crate::support::Run {
        let mut arguments = vec!["push".to_owned(), file.display().to_string()];
        arguments.extend(["--server".to_owned(), self.url.clone(), "--quiet".to_owned()]);
        arguments.extend(more.iter().map(|it| (*it).to_owned()));
        wattle(arguments)
    }

    /// Asks it to end, as systemd does, and waits until it has.
    fn end(&mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        self.child.wait().expect("its end").code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

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
    for path in
        ["", "/runs", "/runs/1", "/compare?a=1&b=2", "/queue", "/jobs/1", "/devices", "/settings"]
    {
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
        for path in [
            "",
            "/runs",
            "/runs/1",
            "/compare?a=1&b=2",
            "/queue",
            "/jobs/1",
            "/devices",
            "/settings",
            "/nothing",
        ] {
            let address = format!("{}/p/default{path}#theme={theme}", served.url);
            browser.visit(&address);
            browser.load_axe();
            browser.check_accessibility(&address);
        }
    }
}

#[requires(data)]
#[test]
fn a_trace_is_pushed_and_its_energy_printed() {
    let served = Served::start();
    let run = served.push(&trace(TRACE), &["--app-version", "1.2"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (summary, address) = run.stdout.trim_end().rsplit_once('\n').expect("lines");
    let report = wattle(["report", trace(TRACE).to_str().expect("a name")]);
    let expected: Vec<&str> =
        report.stdout.lines().filter(|line| !line.is_empty()).take(2).collect();
    assert_eq!(summary.lines().collect::<Vec<_>>(), expected);
    assert_eq!(address, format!("{}/p/default/runs/1", served.url));
    let json = served.push(&trace(TRACE), &["--json", "-"]).json();
    assert_eq!(json["state"], "done");
    assert_eq!(json["runs"][0]["id"], 2);
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
    assert_eq!(list.stdout, "ann  manages the server  default: admin\n");
    assert!(added.stdout.contains("start a running server again"), "{}", added.stdout);
    let serve = |words: &[&str]| {
        let words = [&["serve"], words, &["--data", data.as_str()]].concat();
        let run = wattle(&words);
        assert_eq!(run.code, Some(0), "{words:?}: {}", run.stderr);
        run.stdout
    };
    assert_eq!(
        serve(&["project", "add", "android", "--title", "Android"]),
        "added the project android\n"
    );
    let second = serve(&["user", "add", "ben", "--project", "android", "--role", "reader"]);
    assert!(!second.contains("start a running server again"), "{second}");
    serve(&["user", "role", "ben", "member", "--project", "default"]);
    let list = "ann  manages the server  default: admin\nben  android: reader  default: member\n";
    assert_eq!(serve(&["user", "list"]), list);
    serve(&["user", "remove", "ben", "--project", "android"]);
    assert!(serve(&["user", "list"]).ends_with("\nben  default: member\n"));
    let kept =
        serve(&["project", "keep", "android", "--runs", "90", "--last", "20", "--uploads", "1"]);
    assert_eq!(kept, "android keeps runs: 90 days, the latest 20 of a series; uploads: 1 day\n");
    let projects = serve(&["project", "list"]);
    assert!(
        projects.starts_with("android  0 runs, 0 members, 0.0 MB; keeps runs: 90 days"),
        "{projects}"
    );
    assert_eq!(serve(&["tidy", "--dry-run"]), "nothing to delete\n");
    let asked = wattle(["serve", "project", "remove", "android", "--data", &data]);
    assert_eq!(asked.code, Some(2), "{}", asked.stdout);
    assert!(asked.stderr.contains("--yes"), "{}", asked.stderr);
    assert_eq!(serve(&["project", "remove", "android", "--yes"]), "removed the project android\n");
    for (words, expected) in [
        (vec!["user", "add", "cid", "--project", "none"], "no such project"),
        (vec!["user", "role", "cid", "admin", "--project", "default"], "no such user"),
        (vec!["project", "remove", "none"], "no such project"),
        (vec!["project", "add", "default"], "the project default exists"),
    ] {
        let refused = wattle([&["serve"], &words[..], &["--data", data.as_str()]].concat());
        assert_eq!(refused.code, Some(2), "{words:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{words:?}: {}", refused.stderr);
    }
    assert!(!serve(&["user", "list"]).contains("cid"), "nothing of a mistake is left");
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
