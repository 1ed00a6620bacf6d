//! Command lines that begin with no command, and files of other kinds.

use crate::support::{Run, wattle};
use wattle_testdata::requires;

/// Checks the exit code of a command line and words of what it prints.
#[track_caller]
fn check(arguments: &[&str], code: i32, words: &[&str]) -> Run {
    let run = wattle(arguments);
    assert_eq!(run.code, Some(code), "{arguments:?}: {}{}", run.stdout, run.stderr);
    let said = format!("{}{}", run.stdout, run.stderr);
    for word in words {
        assert!(said.contains(word), "{arguments:?}: no {word:?} in\n{said}");
    }
    run
}

#[test]
fn nothing_at_all_is_a_short_page() {
    let run = check(&[], 0, &["wattle demo", "wattle FILE", "wattle run app.apk", "wattle doctor"]);
    assert!(run.stdout.lines().count() < 24, "{}", run.stdout);
    assert_eq!(run.stderr, "");
}

#[test]
fn every_command_is_listed() {
    check(&["--help"], 0, &["doctor", "completions", "man "]);
}

#[test]
fn a_file_alone_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (trace, ledger) = (path("a.perfetto-trace"), path("a.ledger.json.zst"));
    check(&["demo", "--quiet", "--trace", &trace, "--save", &ledger], 0, &[]);
    for file in [&trace, &ledger] {
        let alone = check(&[file, "--json", "-"], 0, &[]).json();
        let reported = check(&["report", file, "--json", "-"], 0, &[]).json();
        assert_eq!(alone, reported, "{file}");
    }
}

#[test]
fn what_is_neither_command_nor_file_has_a_nearest_one() {
    check(&["reprot"], 2, &["neither a command nor a file", "wattle report"]);
    check(&["no/such.pftrace"], 2, &["no such file: no/such.pftrace"]);
}

#[requires(data)]
#[test]
fn packages_are_told_apart_from_recordings() {
    let app = wattle_testdata::path("apk/androguard-a2dp.Vol_137.apk");
    let app = app.to_str().expect("UTF-8");
    check(&[app], 0, &["this is an Android package: a2dp.Vol", "wattle run", "--simulate"]);
    let run =
        format!("this is an Android package; to measure it on a device run: wattle run {app}");
    for command in ["report", "top", "diagnose"] {
        check(&[command, app], 3, &[&run]);
    }
    check(&[app, "--json", "-"], 3, &[&run]);
}

#[test]
fn files_of_other_kinds_say_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (model, page) = (path("model.toml"), path("page.html"));
    check(&["demo", "--quiet", "--device-model", &model, "--html", &page], 0, &[]);
    check(&["report", &model], 3, &["this is a device model", "--device-model"]);
    check(&["report", &page], 3, &["this is a page that Wattle wrote", "browser"]);
}
