//! The processes of the apps that were requested.

use std::collections::BTreeSet;

use regex::Regex;
use wattle_ledger::{Account, Ledger};
use wattle_timeline::{Uid, process_base};

/// Those of the packages of which a ledger has no process and no energy.
pub fn missing_apps(ledger: &Ledger, packages: &[String]) -> Vec<String> {
    chosen(ledger, packages).missing
}

/// The requested packages in this ledger.
pub(crate) struct Chosen {
    pub packages: Vec<String>,
    pub missing: Vec<String>,
    /// Similar names that the missing ones may have meant.
    pub similar: Vec<String>,
    pub uids: BTreeSet<u32>,
    /// By index into the ledger's processes.
    pub processes: Vec<bool>,
    /// By index into the ledger's threads.
    pub threads: Vec<bool>,
    /// Whether processes or threads were asked for by name.
    pub is_narrowed: bool,
    /// Whether threads were asked for by name.
    pub by_threads: bool,
    /// Whether anything was asked for.
    pub is_asked: bool,
}

impl Chosen {
    /// Leaves of the chosen processes, or of all if no app was asked for, those whose name or package matches, and of their threads those whose name
    /// matches. An app of which only the uid is known is chosen by its packages, and has no threads.
    pub fn narrow(&mut self, ledger: &Ledger, processes: Option<&Regex>, threads: Option<&Regex>) {
        if processes.is_none() && threads.is_none() {
            return;
        }
        let all = !self.is_asked;
        let matches = |name: &str, package: Option<&str>| {
            let is_match = |pattern: &Regex| {
                pattern.is_match(name) || package.is_some_and(|package| pattern.is_match(package))
            };
            processes.is_none_or(is_match)
        };
        for (chosen, process) in self.processes.iter_mut().zip(&ledger.rows.processes) {
            *chosen = (all || *chosen) && matches(&process.name, process.package.as_deref());
        }
        if threads.is_some() {
            self.uids.clear();
        } else {
            let listed = ledger.rows.packages.iter().filter(|it| matches(&it.name, None));
            let listed: BTreeSet<u32> = listed.map(|it| it.uid).collect();
            self.uids =
                if all { listed } else { self.uids.intersection(&listed).copied().collect() };
        }
        let mut has_thread = vec![false; self.processes.len()];
        for (chosen, thread) in self.threads.iter_mut().zip(&ledger.rows.threads) {
            let process = thread.process as usize;
            *chosen = self.processes.get(process).copied().unwrap_or(false)
                && threads.is_none_or(|pattern| pattern.is_match(&thread.name));
            if let Some(has) = has_thread.get_mut(process).filter(|_| *chosen) {
                *has = true;
            }
        }
        if threads.is_some() {
            self.processes = has_thread;
        }
        let words = [("process", processes), ("thread", threads)];
        self.packages.extend(
            words
                .into_iter()
                .filter_map(|(what, pattern)| pattern.map(|pattern| format!("{what} /{pattern}/"))),
        );
        self.is_narrowed = true;
        self.by_threads = threads.is_some();
        self.is_asked = true;
    }
}

/// Finds the processes of the packages.
///
/// A process is a package's when it says so, or when it bears the package's name up to a colon (Android's own
/// rule for `android:process=":name"`; recordings without a package list know no more). From there on the
/// uid decides, so that a shared uid is one app. An isolated process has a uid of its own, but its name begins
/// with that of the package.
pub(crate) fn chosen(ledger: &Ledger, packages: &[String]) -> Chosen {
    let mut missing = Vec::new();
    let mut uids = BTreeSet::new();
    let mut processes = vec![false; ledger.rows.processes.len()];
    for package in packages {
        let mut found = false;
        for (at, process) in ledger.rows.processes.iter().enumerate() {
            let said = process.package.as_deref() == Some(package);
            if !said && process_base(&process.name) != package {
                continue;
            }
            found = true;
            processes[at] = true;
            if let Some(uid) = process.uid.filter(|uid| !Uid(*uid).is_isolated()) {
                uids.insert(uid);
            }
        }
        // Battery statistics know apps by uid alone.
        let listed = ledger.rows.packages.iter().filter(|listed| listed.name == *package);
        for uid in listed.map(|listed| listed.uid) {
            let is_known = ledger.rows.accounts.contains(&Account::App { uid });
            found |= is_known;
            if is_known {
                uids.insert(uid);
            }
        }
        if !found {
            missing.push(package.clone());
        }
    }
    for (at, process) in ledger.rows.processes.iter().enumerate() {
        processes[at] |= process.uid.is_some_and(|uid| uids.contains(&uid));
    }
    let similar = similar(ledger, packages, &missing);
    let of_process = |process: u32| processes.get(process as usize).copied().unwrap_or(false);
    let threads = ledger.rows.threads.iter().map(|thread| of_process(thread.process)).collect();
    let is_asked = !packages.is_empty();
    Chosen {
        packages: packages.to_vec(),
        missing,
        similar,
        uids,
        processes,
        threads,
        is_narrowed: false,
        by_threads: false,
        is_asked,
    }
}

/// As many as are read at a glance.
const MOST_SIMILAR: usize = 5;

/// Names of apps that share the most with what was not found: all of it first, then the most parts between
/// dots; what every package has in common (`com`, `android`) does not count.
fn similar(ledger: &Ledger, packages: &[String], missing: &[String]) -> Vec<String> {
    let parts = |name: &str| -> BTreeSet<String> {
        let of = name.split('.').map(str::to_lowercase);
        of.filter(|part| part.len() > 3 && part != "android" && part != "google").collect()
    };
    let names: BTreeSet<&str> = ledger
        .rows
        .processes
        .iter()
        .map(|process| process.package.as_deref().unwrap_or(&process.name))
        .map(process_base)
        .filter(|name| !packages.iter().any(|package| package == name))
        .filter(|name| name.contains('.') && !name.starts_with(['/', '.', '[']))
        .collect();
    let mut ranked: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let of_name = parts(name);
        let score = |wanted: &String| {
            let wanted = wanted.to_lowercase();
            if !wanted.is_empty() && name.to_lowercase().contains(&wanted) {
                usize::MAX
            } else {
                parts(&wanted).intersection(&of_name).count()
            }
        };
        if let Some(score) = missing.iter().map(score).max().filter(|score| *score > 0) {
            ranked.push((score, name));
        }
    }
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    ranked.into_iter().take(MOST_SIMILAR).map(|(_, name)| name.to_owned()).collect()
}
