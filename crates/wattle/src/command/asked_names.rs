//! Apps, processes and threads that flags name: one that the recording does not contain is an error with the nearest names.

use std::collections::BTreeSet;

use anyhow::anyhow;
use wattle_ledger::Ledger;

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
