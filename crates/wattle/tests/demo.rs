//! `wattle demo`: command one of the README.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod support;

use support::{list, number, wattle};

#[test]
fn truth_stands_beside_estimate() {
    let run = wattle(["demo"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for word in ["truth", "estimate", "90 % interval", "idle floor", "The ledger closes"] {
        assert!(run.stdout.contains(word), "no {word:?} in:\n{}", run.stdout);
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = |seed| wattle(["demo", "--seed", seed, "--json", "-"]).json();
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7")["total_joules"], run("8")["total_joules"]);
}

#[test]
fn its_trace_can_be_reported_like_any_other() {
    let folder = tempfile::tempdir().expect("folder");
    let trace = folder.path().join("demo.perfetto-trace");
    let model = folder.path().join("demo.toml");
    let (trace, model) = (trace.to_str().expect("UTF-8"), model.to_str().expect("UTF-8"));
    let demo = wattle(["demo", "--trace", trace, "--device-model", model, "--json", "-"]).json();
    let report = wattle(["report", trace, "--device-model", model, "--json", "-"]).json();
    let (demo_total, total) = (number(&demo, "/total_joules"), number(&report, "/total_joules"));
    assert!((demo_total / total - 1.0).abs() < 1e-9, "{demo_total} J and {total} J");
    assert!(!list(&report, "/slices").is_empty());
}
