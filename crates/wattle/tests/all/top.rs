//! `wattle top` as somebody at a terminal has it, and as a pipe has it.

use std::path::{Path, PathBuf};

use crate::support::{Run, list, number, wattle};
use crate::terminal_bench::TerminalBench;
use wattle_testdata::requires;

/// A ledger of the simulated phone.
fn ledger(folder: &Path) -> PathBuf {
    let path = folder.join("demo.ledger.json.zst");
    let save = ["demo", "--quiet", "--save"].map(std::ffi::OsString::from);
    let run = wattle(save.into_iter().chain([path.clone().into_os_string()]));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    path
}

fn top(ledger: &Path, flags: &[&str]) -> Run {
    let ledger = ledger.to_str().expect("UTF-8");
    wattle(["top", ledger].into_iter().chain(flags.iter().copied()))
}

#[test]
fn a_pipe_gets_plain_text() {
    let folder = tempfile::tempdir().expect("folder");
    let ledger = ledger(folder.path());
    let run = top(&ledger, &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
    let heading = run.stdout.lines().nth(heading(&run.stdout)).expect("a heading");
    for word in ["name", "total", "90 % interval", "self", "share", "CPU time"] {
        assert!(heading.contains(word), "{heading}");
    }
    // Deeper rows are further in.
    assert!(names(&run.stdout).iter().any(|name| name.starts_with("    ")), "{}", run.stdout);
    let flat = top(&ledger, &["--by", "functions", "--sort", "name"]);
    let names = names(&flat.stdout);
    assert!(names.len() > 3 && !names.iter().any(|name| name.starts_with(' ')), "{names:?}");
}

/// The number of the line with the headings of columns: below what the total covers.
fn heading(page: &str) -> usize {
    page.lines().position(|line| line.ends_with("name")).expect("headings")
}

/// Returns the texts below the heading of names, the last of a line.
fn names(page: &str) -> Vec<String> {
    let heading = heading(page);
    let column = page.lines().nth(heading).and_then(|line| line.find("name")).expect("names");
    let rows = page.lines().skip(heading + 1);
    rows.map(|line| line.chars().skip(column).collect()).collect()
}

#[test]
fn json_has_the_sum_of_the_ledger() {
    let folder = tempfile::tempdir().expect("folder");
    let ledger = ledger(folder.path());
    let tree = top(&ledger, &["--json", "-", "--min-share", "0", "--depth", "100"]).json();
    let report = wattle(["report", ledger.to_str().expect("UTF-8"), "--json", "-"]).json();
    let roots = list(&tree, "/rows").iter().filter(|row| row["parent"].is_null());
    let sum: f64 = roots.map(|row| number(row, "/joules")).sum();
    let total = number(&report, "/total_joules");
    assert!((sum / total - 1.0).abs() < 1e-9, "{sum} J and {total} J");
    assert!((number(&tree, "/joules") / total - 1.0).abs() < 1e-12);
}

#[track_caller]
fn check_refused(flags: &[&str], words: &str) {
    let folder = tempfile::tempdir().expect("folder");
    let run = top(&ledger(folder.path()), flags);
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(run.stderr.contains(words), "{}", run.stderr);
}

#[test]
fn what_cannot_be_is_refused() {
    check_refused(&["--sort", "colour"], "expected one of name, total, self");
    check_refused(&["--min-share", "101"], "expected percent");
    check_refused(&["--app-only", "--app", "com.absent"], "no process of com.absent");
}

#[requires(program = "script")]
#[test]
fn a_person_searches_and_quits() {
    let folder = tempfile::tempdir().expect("folder");
    let ledger = ledger(folder.path());
    // A function below processes and threads, so that nothing shows it before it is searched for.
    let tree = top(&ledger, &["--json", "-", "--min-share", "0"]).json();
    let rows = list(&tree, "/rows").iter();
    let deep = rows.filter(|row| row["kind"] == "function").max_by_key(|row| row["depth"].as_u64());
    let name = deep.expect("a function")["name"].as_str().expect("a name").to_owned();
    let mut terminal = TerminalBench::start(&ledger);
    terminal.wait("? help");
    assert!(!terminal.text().contains(&name), "{}", terminal.text());
    terminal.press("/");
    terminal.press(&name);
    terminal.wait("matches");
    terminal.press("\r");
    terminal.wait("n N next");
    assert!(terminal.text().contains(&name), "{}", terminal.text());
    assert!(terminal.is_on_other_screen());
    terminal.press("\u{1b}");
    terminal.press("?");
    terminal.wait("open the path that drew most");
    terminal.press("?q");
    assert_eq!(terminal.end(), 0);
}

#[requires(program = "script")]
#[test]
fn whoever_ends_it_finds_the_terminal_as_it_was() {
    let folder = tempfile::tempdir().expect("folder");
    let ledger = ledger(folder.path());
    let mut terminal = TerminalBench::start(&ledger);
    terminal.wait("? help");
    terminal.press("\u{3}");
    assert_eq!(terminal.end(), 0);
    let terminal = TerminalBench::start(&ledger);
    terminal.wait("? help");
    terminal.terminate();
    assert_eq!(terminal.end(), 130);
}

#[cfg(unix)]
#[requires(program = "script", program = "mkfifo")]
#[test]
fn what_takes_long_shows_that_it_loads_and_can_be_ended() {
    let folder = tempfile::tempdir().expect("folder");
    // A pipe that nobody writes into: reading it takes for ever.
    let pipe = folder.path().join("slow.pftrace");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let mut terminal = TerminalBench::start(&pipe);
    terminal.wait("Loading");
    terminal.press("q");
    assert_eq!(terminal.end(), 130);
}
