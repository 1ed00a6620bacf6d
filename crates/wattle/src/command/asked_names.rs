//! Apps, processes and threads that flags name: one that the recording does not contain is an error with the nearest names.

use std::collections::BTreeSet;

use anyhow::anyhow;
use regex::Regex;
use wattle_ledger::{Ledger, ProcessEntry};

use super::nearest::suggestion;
use crate::exit::{Failure, Outcome};

/// Refuses apps that the recording does not know. One that it knows and that has no energy is no error, and neither is any app where
/// the recording names no process and no package.
pub fn check_apps(asked: &[String], ledger: &Ledger) -> Outcome {
    let known = apps(ledger);
    let rows = &ledger.rows;
    let is_unnamed =
        rows.packages.is_empty() && rows.processes.iter().all(|process| process.name.is_empty());
    match asked.iter().find(|app| !known.contains(app.as_str())) {
        Some(app) if !is_unnamed => Err(Failure::Usage(anyhow!(
            "--app {app}: no process of {app} in the recording{}",
            suggestion(app, known)
        ))),
        _ => Ok(()),
    }
}

/// The suggestion for an app that no recording knows.
pub fn suggested_app(app: &str, ledgers: [&Ledger; 2]) -> String {
    suggestion(app, ledgers.into_iter().flat_map(apps))
}

/// Refuses patterns that no process, or no thread of a process that matches, has a name for.
pub fn check_patterns(process: Option<&Regex>, thread: Option<&Regex>, ledger: &Ledger) -> Outcome {
    let rows = &ledger.rows;
    let matches = |it: &ProcessEntry| {
        process.is_none_or(|pattern| {
            pattern.is_match(&it.name)
                || it.package.as_deref().is_some_and(|package| pattern.is_match(package))
        })
    };
    let is_package = |name: &str| process.is_some_and(|pattern| pattern.is_match(name));
    let found = rows.processes.iter().any(matches)
        || rows.packages.iter().any(|package| is_package(&package.name));
    if let Some(pattern) = process.filter(|_| !found) {
        let text =
            format!("--process {pattern}: no process matches; `--view processes` lists them");
        return Err(Failure::Usage(anyhow!(text)));
    }
    let Some(pattern) = thread else { return Ok(()) };
    let is_chosen = |at: u32| rows.processes.get(at as usize).is_some_and(matches);
    let mut threads = rows.threads.iter().filter(|it| is_chosen(it.process));
    if threads.any(|it| pattern.is_match(&it.name)) {
        return Ok(());
    }
    Err(Failure::Usage(anyhow!("--thread {pattern}: no thread of these processes matches")))
}

/// Refuses processes by name or pid that the recording does not contain.
pub fn check_processes(asked: &[String], ledger: &Ledger) -> Outcome {
    let processes = &ledger.rows.processes;
    let is = |word: &str| {
        let number = word.parse::<u32>().ok();
        let mut all = processes.iter();
        all.any(|it| it.name == word || (number.is_some() && it.pid == number))
    };
    let names = processes.iter().map(|process| process.name.as_str());
    check("process", asked, is, names)
}

/// Refuses threads by name or tid that the recording does not contain.
pub fn check_threads(asked: &[String], ledger: &Ledger) -> Outcome {
    let threads = &ledger.rows.threads;
    let is = |word: &str| {
        let number = word.parse::<u32>().ok();
        threads.iter().any(|it| it.name == word || number == Some(it.tid))
    };
    check("thread", asked, is, threads.iter().map(|thread| thread.name.as_str()))
}

fn check<'a>(
    noun: &str,
    asked: &[String],
    is: impl Fn(&str) -> bool,
    names: impl Iterator<Item = &'a str>,
) -> Outcome {
    let Some(word) = asked.iter().find(|word| !is(word)) else { return Ok(()) };
    let names: BTreeSet<&str> = names.collect();
    Err(Failure::Usage(anyhow!(
        "--{noun} {word}: no such {noun} in the recording{}",
        suggestion(word, names)
    )))
}

/// Packages and processes without the part behind a colon, which is of one app.
fn apps(ledger: &Ledger) -> BTreeSet<&str> {
    let rows = &ledger.rows;
    let named = rows.processes.iter().flat_map(|process| {
        let of_app = process.name.split(':').next().unwrap_or_default();
        [Some(of_app), process.package.as_deref()]
    });
    let packages = rows.packages.iter().map(|package| package.name.as_str());
    let recorded = ledger.recording.apps.iter().map(String::as_str);
    named.flatten().chain(packages).chain(recorded).filter(|name| !name.is_empty()).collect()
}
