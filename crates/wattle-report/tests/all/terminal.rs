//! The terminal view.

use crate::support;
use wattle_report::ReportOptions;

use crate::support::terminal;

fn options(change: impl FnOnce(&mut ReportOptions)) -> ReportOptions {
    let mut options = ReportOptions::default();
    change(&mut options);
    options
}

#[test]
fn a_phone() {
    insta::assert_snapshot!(terminal(&support::phone(), &ReportOptions::default()));
}

#[test]
fn a_phone_in_80_columns() {
    let options = options(|options| {
        options.width = Some(80);
        options.top = 3;
    });
    let page = terminal(&support::phone(), &options);
    for line in page.lines() {
        let width = unicode_width::UnicodeWidthStr::width(line);
        assert!(width <= 80, "{width} columns: {line}");
    }
    insta::assert_snapshot!(page);
}

#[test]
fn one_app() {
    let options = options(|options| {
        options.apps = vec!["com.example.app".into(), "com.example.absent".into()];
    });
    insta::assert_snapshot!(terminal(&support::phone(), &options));
}

#[test]
fn no_energy_still_shows_cpu_time() {
    let page = terminal(&support::no_energy(), &ReportOptions::default());
    assert!(page.contains("no energy figure: no device model has 7 clusters like this device"));
    assert!(!page.contains("0 J"), "no data is not 0 J:\n{page}");
    insta::assert_snapshot!(page);
}

#[test]
fn tests_and_what_recording_cost() {
    let page = terminal(&support::recorded_phone(), &ReportOptions::default());
    let (_, tests) = page.split_once("Tests (3)\n").expect("tests");
    let (tests, rest) = tests.split_once("\n\n").expect("an end");
    let (_, quality) = rest.split_once("Quality\n").expect("quality");
    insta::assert_snapshot!(format!("{tests}\n…\n{quality}"));
}

#[test]
fn names_do_not_reach_the_terminal_as_escape_sequences() {
    let page = terminal(&support::phone(), &ReportOptions::default());
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
    assert!(page.contains("evil"));
}

#[test]
fn colour_only_when_asked_for() {
    let plain = terminal(&support::phone(), &ReportOptions::default());
    let colored = terminal(&support::phone(), &options(|options| options.color = true));
    assert!(colored.contains("\u{1b}[1;36m"));
    let mut stripped = String::new();
    for (nth, part) in colored.split("\u{1b}[").enumerate() {
        stripped.push_str(if nth == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    assert_eq!(stripped, plain);
}

#[test]
fn an_app_without_energy_still_has_its_cpu_time() {
    let options = options(|options| options.apps = vec!["com.example.app".into()]);
    let page = terminal(&support::no_energy(), &options);
    assert!(page.contains("1.99 s on a CPU"), "{page}");
    assert!(!page.contains("system_server"), "{page}");
}
