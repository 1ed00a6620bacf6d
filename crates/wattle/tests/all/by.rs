//! `wattle report --by`: one table of methods, APIs, lines, classes, packages or tests.

use crate::support::{Run, wattle};

/// A run of the demonstration, saved: trace sections without any place in code.
fn sections() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("folder");
    let ledger = folder.path().join("demo.ledger.json.zst");
    let ledger = ledger.to_str().expect("UTF-8").to_owned();
    let run = wattle(["demo", "--quiet", "--save", &ledger]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    (folder, ledger)
}

#[track_caller]
fn check(run: &Run, said: &[&str]) {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for words in said {
        assert!(run.stdout.contains(words), "no {words:?} in:\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("Components"), "one table alone:\n{}", run.stdout);
}

#[test]
fn what_is_not_known_is_said_with_what_to_do() {
    let (_folder, ledger) = sections();
    let advice = "wattle run app.apk";
    for by in ["method", "line", "class", "package"] {
        check(&wattle(["report", &ledger, "--by", by]), &["No method is known", advice]);
    }
    check(&wattle(["report", &ledger, "--by", "api"]), &["No call into the framework", advice]);
    check(&wattle(["report", &ledger, "--by", "test"]), &["No test ran", advice]);
    let sections = wattle(["report", &ledger, "--by", "method", "--sort", "calls", "--top", "1"]);
    check(
        &sections,
        &["Trace sections (1 of ", "most calls first", "com.example.tracker.Beacon.collect"],
    );
}

#[test]
fn one_table_is_of_one_ledger() {
    let (_folder, ledger) = sections();
    let run = wattle(["report", &ledger, &ledger, "--by", "method"]);
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(run.stderr.contains("--by"), "{}", run.stderr);
    assert_eq!(wattle(["report", &ledger, "--by", "joule"]).code, Some(2));
}
