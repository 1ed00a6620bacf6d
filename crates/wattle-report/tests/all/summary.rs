//! The summary of a terminal.

use wattle_ledger::Ledger;
use wattle_report::{Report, ReportOptions, SummaryParts, summary_terminal};

use crate::support;

/// The summary of a ledger at a width.
fn summary(ledger: &Ledger, columns: usize, apps: &[&str]) -> String {
    let mut options = ReportOptions::default();
    options.width = Some(columns);
    options.apps = apps.iter().map(|app| (*app).to_owned()).collect();
    let mut parts = SummaryParts::default();
    parts.over_time = Some(&ledger.over_time);
    let next = ["add --full (all tables)".to_owned()];
    parts.next = &next;
    summary_terminal(&Report::new(ledger, &options), parts, &options)
}

/// At most 25 lines of at most so many columns, without escape sequences.
#[track_caller]
fn check(name: &str, ledger: &Ledger, columns: usize, apps: &[&str]) {
    let page = summary(ledger, columns, apps);
    assert!(page.lines().count() <= 25, "{page}");
    for line in page.lines() {
        let width = unicode_width::UnicodeWidthStr::width(line);
        assert!(width <= columns, "{width} columns: {line}");
        assert_eq!(line, line.trim_end());
    }
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'), "{page:?}");
    insta::assert_snapshot!(name, page);
}

#[test]
fn a_phone_in_25_lines() {
    check("a_phone_in_25_lines", &support::phone(), 100, &[]);
}

#[test]
fn a_narrow_terminal_loses_columns_not_figures() {
    check("a_narrow_terminal", &support::phone(), 80, &["com.example.app"]);
}

#[test]
fn an_app_that_was_asked_for_comes_first() {
    check("an_app", &support::phone(), 120, &["com.example.app", "com.example.absent"]);
}

#[test]
fn no_energy_is_not_zero() {
    check("no_energy", &support::no_energy(), 100, &[]);
    assert!(!summary(&support::no_energy(), 100, &[]).contains("0 J"));
}

#[test]
fn tests_are_a_line() {
    check("tests", &support::recorded_phone(), 100, &[]);
}
