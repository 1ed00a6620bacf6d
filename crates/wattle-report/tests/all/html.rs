//! The HTML view as a file: size, safety, content. What it does in a browser is in `browser.rs`.

use std::io::Read as _;

use crate::support;
use base64ct::{Base64, Encoding as _};
use flate2::read::GzDecoder;
use serde_json::Value;
use wattle_ledger::Ledger;
use wattle_report::{HTML_LIMIT, Report, ReportOptions};

use crate::support::html;

fn page(ledger: &Ledger) -> String {
    html(ledger, &ReportOptions::default()).expect("a page")
}

/// The data that a page carries.
fn data(page: &str) -> Value {
    let (_, data) = page.split_once("data-encoding=\"").expect("the data element");
    let (encoding, data) = data.split_once("\">").expect("the encoding");
    let (data, _) = data.split_once("</script>").expect("its end");
    let mut text = data.to_owned();
    if encoding == "gzip" {
        let bytes = Base64::decode_vec(data).expect("base64");
        text.clear();
        GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzip");
    }
    serde_json::from_str(&text).expect("the data is JSON")
}

/// The sum of all lines.
fn lines_joules(data: &Value) -> f64 {
    let units = data["energies"]["lines"]["units"].as_array().expect("lines");
    let sum: f64 = units.iter().filter_map(Value::as_f64).sum();
    sum * data["energies"]["unit"].as_f64().expect("a unit")
}

#[test]
fn names_never_become_markup() {
    let page = page(&support::phone());
    assert!(!page.contains("<script>document.title"), "a name ended the data element");
    assert!(!page.contains("<img"));
    let names = data(&page)["names"].clone();
    let names: Vec<String> = serde_json::from_value(names).expect("names");
    assert!(names.iter().any(|name| name == support::HOSTILE), "the name itself is kept");
}

#[test]
fn a_hostile_device_name_stays_a_title() {
    let mut ledger = support::phone();
    ledger.recording.device.model = Some("</title><script>alert(1)</script>".into());
    let page = page(&ledger);
    assert!(!page.contains("<script>alert"));
}

#[test]
fn the_page_loads_nothing() {
    let page = page(&support::phone());
    assert!(page.contains("default-src 'none'"));
    for way in ["src=", "url(", "@import", "fetch(", "XMLHttpRequest", "innerHTML", "eval("] {
        // The report's own code starts where the data ends; the style before it.
        let (before, rest) = page.split_once("id=\"data\"").expect("the data element");
        let (_, script) = rest.split_once("</script>").expect("its end");
        // The font is a part of the page.
        let before = before.replace("url(data:", "");
        assert!(!before.contains(way) && !script.contains(way), "{way}");
    }
    let svg_namespace = "http://www.w3.org/2000/svg";
    assert_eq!(
        page.matches("http").count() - page.matches("http-equiv").count(),
        page.matches(svg_namespace).count()
    );
}

#[test]
fn the_lines_hold_every_joule() {
    let found = lines_joules(&data(&page(&support::phone())));
    assert!((found - 7.8).abs() < 1e-6, "{found}");
}

#[test]
fn a_busy_minute_is_below_the_limit_and_keeps_its_sum() {
    let ledger = support::busy(5000, 40_000);
    let page = page(&ledger);
    assert!(page.len() <= HTML_LIMIT, "{} bytes", page.len());
    let data = data(&page);
    assert!(data["tree"]["left_out"].as_u64() > Some(10_000), "pruning is said");
    let total =
        Report::new(&ledger, &ReportOptions::default()).energy.total.joules().expect("a total");
    let found = lines_joules(&data);
    assert!((found / total.value() - 1.0).abs() < 1e-4, "{found} of {total}");
}

#[test]
fn ten_thousand_paths_are_all_there() {
    let page = page(&support::busy(2000, 10_000));
    assert!(page.len() <= HTML_LIMIT, "{} bytes", page.len());
    assert_eq!(data(&page)["tree"]["left_out"], 0);
}

#[test]
fn a_ledger_without_energy_makes_a_page() {
    let data = data(&page(&support::no_energy()));
    assert_eq!(data["report"]["total_joules"], Value::Null);
    let columns = data["tables"]["threads"]["columns"].as_array().expect("columns");
    let labels: Vec<_> = columns.iter().filter_map(|column| column["label"].as_str()).collect();
    assert_eq!(labels, ["thread", "tid", "process", "pid", "CPU time"]);
    assert!(page(&Ledger::empty(wattle_timeline::Window::default())).len() < 360_000);
}

#[test]
fn without_energy_the_longest_times_stay() {
    let mut ledger = support::busy(5000, 40_000);
    ledger.rows.components.clear();
    ledger.bookings.clear();
    let data = data(&page(&ledger));
    assert!(data["tree"]["left_out"].as_u64() > Some(10_000), "pruning is said");
    assert_eq!(data["tree"]["left_out_below"], Value::Null);
    assert!(data["tree"]["kind"].as_array().map_or(0, Vec::len) > 1000);
}

#[test]
fn writing_is_not_turned_round() {
    let page = page(&support::phone());
    assert!(!page.contains('\u{202e}') && !page.contains("\\u202e") && !page.contains("\\u001b"));
}

/// Calls of one name from several lines of their caller are several nodes; a line tells them apart.
#[test]
fn calls_from_several_lines_are_told_apart() {
    let mut ledger = support::phone();
    let last = ledger.rows.paths.last().expect("a path").clone();
    let caller = wattle_ledger::PathId(ledger.rows.paths.len() as u32 - 1);
    for (nth, (name, line)) in
        [("a.Api.once", 3), ("a.Api.twice", 4), ("a.Api.twice", 5)].into_iter().enumerate()
    {
        ledger.rows.sites.push(wattle_ledger::SiteEntry {
            kind: wattle_timeline::SiteKind::Call,
            class: "a.Api".to_owned(),
            method: "m".to_owned(),
            descriptor: None,
            file: None,
            line: Some(line),
            within: None,
            api: None,
        });
        ledger.rows.paths.push(wattle_ledger::PathEntry {
            caller: Some(caller),
            name: name.to_owned(),
            site: Some(nth as u32),
            ..last.clone()
        });
    }
    let data = data(&page(&ledger));
    let (texts, rows) = (&data["names"], data["tree"]["name"].as_array().expect("rows"));
    let name = |row: &Value| texts[row.as_u64().expect("a name") as usize].as_str();
    let mut names: Vec<_> =
        rows.iter().filter_map(name).filter(|name| name.starts_with("a.Api.")).collect();
    names.sort_unstable();
    assert_eq!(names, ["a.Api.once", "a.Api.twice:4", "a.Api.twice:5"]);
}
