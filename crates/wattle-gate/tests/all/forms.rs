//! The forms of a report.

use crate::support::{judged, run, runs};
use serde_json::Value;
use wattle_gate::GateReport;
use wattle_gate::format::{
    MARKER, SourcePlaces, annotations, badge, code_quality, json, junit, markdown, sarif, terminal,
};

/// A budget that is broken, one that is kept, and one without data; names with letters that mean something in each form.
fn report() -> GateReport {
    let policy = "[[rule]]\nsubject = \"method:com.example.news.Feed.load\"\nat-most = \"1 mJ\"\n\
         [[rule]]\nsubject = \"app\"\nat-most = \"1 J\"\n\
         [[rule]]\nsubject = \"finding:a|b<c>\"\nat-most = \"0 J\"\n";
    judged(policy, &[run("run:7", 0.3)], &runs("before", 3, 0.3, 0.01, 1))
}

#[test]
fn people_read_the_verdict_first() {
    let text = terminal(&report());
    let first = text.lines().next().expect("a line");
    assert!(first.starts_with("failed: method:com.example.news.Feed.load 30.0 mJ"), "{first}");
    assert!(first.ends_with("(at most 1.00 mJ); 1 of 3 rules passed (one run)"), "{first}");
    let text = markdown(&report());
    assert!(text.starts_with(MARKER) && text.contains("| `app` | 300 mJ |"), "{text}");
    assert!(text.contains("`finding:a¦b<c>`"), "{text}");
}

#[test]
fn servers_read_their_forms() {
    let report = report();
    let xml = junit(&report, false).expect("XML");
    assert!(xml.contains("tests=\"3\"") && xml.contains("failures=\"1\""), "{xml}");
    assert!(junit(&report, true).expect("XML").contains("failures=\"2\""));
    let none = SourcePlaces::default();
    let log: Value = serde_json::from_str(&sarif(&report, &none, "1")).expect("JSON");
    let results = log.pointer("/runs/0/results").and_then(Value::as_array).expect("results");
    assert_eq!(results.len(), 2);
    assert_eq!(results[0]["level"], "error");
    let issues: Value = serde_json::from_str(&code_quality(&report, &none)).expect("JSON");
    assert_eq!(issues.as_array().map(Vec::len), Some(1), "{issues}");
    assert_eq!(issues[0]["location"]["path"], "wattle.toml");
    let document: Value = serde_json::from_str(&json(&report, false)).expect("JSON");
    assert_eq!(document["verdict"], "failed");
    assert_eq!(document["rules"][1]["measured"]["joules"], 0.3);
    let svg = badge(&report);
    assert!(svg.starts_with("<svg ") && svg.contains("300 mJ, failed"), "{svg}");
}

#[test]
fn places_in_the_code_are_found() {
    let folder = tempfile();
    let source = folder.path().join("app/src/main/java/com/example/news");
    std::fs::create_dir_all(&source).expect("a folder");
    let text = "package com.example.news\n\nclass Feed {\n  val a = load(1)\n  fun load(count: Int) {}\n}\n";
    std::fs::write(source.join("Feed.kt"), text).expect("a file");
    let built = folder.path().join("build/com/example/news");
    std::fs::create_dir_all(&built).expect("a folder");
    std::fs::write(built.join("Feed.java"), "").expect("a file");
    let places = SourcePlaces::below(folder.path());
    let place = places.of_method("com.example.news.Feed.load(int)").expect("a place");
    assert_eq!(
        (place.file.as_str(), place.line),
        ("app/src/main/java/com/example/news/Feed.kt", 5)
    );
    let inner = places.of_method("com.example.news.Feed$Cache.get").expect("a place");
    assert_eq!(inner.line, 1);
    assert!(places.of_method("com.example.Other.run").is_none());
    let text = annotations(&report(), &places);
    let first = text.lines().next().expect("a line");
    assert!(
        first.starts_with(
            "::error file=app/src/main/java/com/example/news/Feed.kt,line=5,title=Energy::"
        ),
        "{first}"
    );
}

fn tempfile() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}
