//! The processes of the apps that were requested.

use std::collections::BTreeSet;

use wattle_ledger::{Account, Ledger};
use wattle_timeline::{Uid, process_base};

/// The requested packages in this ledger.
pub(crate) struct Chosen {
    pub packages: Vec<String>,
    pub missing: Vec<String>,
    /// Similar names that the missing ones may have meant.
    pub similar: Vec<String>,
    pub uids: BTreeSet<u32>,
    /// By index into the ledger's processes.
    pub processes: Vec<bool>,
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
    Chosen { packages: packages.to_vec(), missing, similar, uids, processes }
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
