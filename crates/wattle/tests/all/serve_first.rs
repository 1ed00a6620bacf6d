//! The first figures of a long recording, while the rest of it is read.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use wattle_testdata::requires;

use crate::served_program::Served;
use crate::support::{list, number, trace, wattle};
use crate::webdriver::Browser;

/// A recording of so many bytes.
fn recording(folder: &Path, bytes: u64) -> PathBuf {
    let path = folder.join("long.pftrace");
    let out = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
    wattle_sim::write_big(bytes, 1, out).expect("a trace");
    path
}

/// The first figures that a report of a file states, with progress as lines.
fn stated(file: &Path, progress: &str) -> Option<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_wattle"))
        .args(["report", file.to_str().expect("a name"), "--quiet", "--json", "-"])
        .env("WATTLE_PROGRESS", progress)
        .output()
        .expect("the program runs");
    assert!(output.status.success());
    let words = String::from_utf8(output.stderr).expect("UTF-8");
    let mut first = words.lines().filter_map(|line| line.strip_prefix("wattle-first "));
    let figures = first.next().map(|json| serde_json::from_str(json).expect("JSON"));
    assert_eq!(first.next(), None, "they are stated once");
    figures
}

/// First figures are those of the report of the same time of the whole recording.
#[track_caller]
fn check_true(figures: &Value, joules: f64, file: &Path) {
    let until = format!("{:.9}", number(figures, "/seconds"));
    let name = file.to_str().expect("a name");
    let report = wattle(["report", name, "--quiet", "--json", "-", "--to", &until]).json();
    let expected = number(&report, "/total_joules");
    assert!((joules - expected).abs() <= 0.01 * expected, "{joules} J, the report {expected} J");
    let of = |rows: &Value, path: &str| -> Vec<(String, f64)> {
        let row =
            |row: &Value| (row["name"].as_str().expect("a name").to_owned(), number(row, path));
        list(rows, "/consumers").iter().map(row).collect()
    };
    let (found, known) = (of(figures, "/cpu_s"), of(&report, "/cpu_s"));
    assert!(!found.is_empty());
    for (name, seconds) in found {
        let (_, expected) = known.iter().find(|(of, _)| *of == name).expect("the same consumer");
        assert!(
            (seconds - expected).abs() <= 0.01 * expected.max(0.01),
            "{name}: {seconds}, {expected}"
        );
    }
}

#[test]
fn first_figures_are_those_of_the_beginning() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = recording(folder.path(), 48_000_000);
    let figures = stated(&file, "lines").expect("figures");
    assert!(number(&figures, "/read_bytes") < 0.2 * number(&figures, "/of_bytes"), "{figures}");
    let (low, high) = (number(&figures, "/interval/0"), number(&figures, "/interval/1"));
    let joules = number(&figures, "/joules");
    assert!(low < joules && joules < high, "{figures}");
    check_true(&figures, joules, &file);
    // Nobody else asked for them.
    assert_eq!(stated(&file, ""), None);
}

#[requires(data)]
#[test]
fn what_is_read_at_once_has_no_first_figures() {
    assert_eq!(stated(&trace("api32_startup_warm_pixel6a.perfetto-trace"), "lines"), None);
    // Nor has a file that only looks long: a trace that ends soon, and no trace at all.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("zeros.pftrace");
    std::fs::write(&path, [&[0x0a, 0xff, 0xff][..], &vec![0; 40_000_000]].concat())
        .expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_wattle"))
        .args(["report", path.to_str().expect("a name"), "--quiet"])
        .env("WATTLE_PROGRESS", "lines")
        .output()
        .expect("the program runs");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!words.contains("wattle-first"), "{words}");
    assert!(!words.contains("panicked"), "{words}");
}

#[requires(program = "chromedriver")]
#[test]
fn a_job_shows_first_figures_and_keeps_none_of_them() {
    let served = Served::start();
    let file = recording(served.folder.path(), 150_000_000);
    let browser = Browser::start("serve-first", &[]);
    browser.become_telephone([390, 844]);
    let pushed = served.push(&file, &["--no-wait"]);
    assert_eq!(pushed.code, Some(0), "{}", pushed.stderr);
    browser.visit(&format!("{}/p/default/jobs/1", served.url));
    let tall = browser.number("return document.getElementById('first').offsetHeight");
    let mut shown = String::new();
    for _ in 0..600 {
        let text = browser.js("const place = document.getElementById('first-of'); return place === null ? null : place.textContent");
        match text.as_str() {
            Some("") => std::thread::sleep(Duration::from_millis(20)),
            Some(text) => {
                shown = text.to_owned();
                break;
            }
            None => panic!("the job ended before it had figures"),
        }
    }
    assert!(shown.starts_with("the first ") && shown.contains(" of 15"), "{shown}");
    let energy = browser.text("#first-energy");
    assert!(energy.contains('J') && energy.contains("cpu"), "{energy}");
    assert_eq!(browser.number("return document.getElementById('first').offsetHeight"), tall);
    assert!(browser.number("return document.documentElement.scrollWidth") <= 390.0);
    assert!(
        browser.number("return document.querySelectorAll('#first-consumers li').length") >= 1.0
    );
    if std::env::var_os("WATTLE_AXE").is_some() {
        browser.load_axe();
        browser.check_accessibility("first figures");
    }
    if let Some(folder) = std::env::var_os("WATTLE_PICTURES") {
        browser.picture(&PathBuf::from(folder).join("server-first.png"));
    }
    let job = "/api/v1/projects/default/jobs/1";
    let info: Value = serde_json::from_str(&served.get(job).1).expect("JSON");
    assert_eq!(info["state"], "running");
    let first = &info["first_figures"];
    check_true(first, number(first, "/energy/joules"), &file);

    // Then comes the report, and nothing of them is left.
    for _ in 0..1800 {
        let place = browser.js("return location.pathname");
        if place == json!("/p/default/runs/1") {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    browser.wait_until_ready();
    let total = browser.number("return wattle.answer().device.joules");
    assert!(total > 5.0 * number(first, "/energy/joules"), "{total} J in all");
    let info: Value = serde_json::from_str(&served.get(job).1).expect("JSON");
    assert_eq!((&info["state"], &info["first_figures"]), (&json!("done"), &Value::Null));
    let events = served.get(&format!("{job}/events")).1;
    let told: Vec<Value> = events
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .collect();
    let of_kind: Vec<&Value> = told.iter().filter(|event| event["kind"] == "figures").collect();
    assert_eq!(of_kind.len(), 1, "{events}");
    assert_eq!(of_kind[0]["figures"], Value::Null);
    let runs: Value =
        serde_json::from_str(&served.get("/api/v1/projects/default/runs").1).expect("JSON");
    assert_eq!(runs.as_array().map(Vec::len), Some(1));
    let kept = number(&runs, "/0/total/joules");
    assert!((kept - total).abs() <= 1e-6 * total, "{kept} J kept, {total} J shown");
    let page = served.get("/p/default/jobs/1").1;
    assert!(!page.contains("id=\"first\""), "{page}");
    let log = browser.log("browser");
    assert!(log.is_empty(), "console: {log:#?}");
}
