//! An app is a uid and a user: all its processes, isolated ones included.

use std::collections::{BTreeMap, BTreeSet};

use wattle_ledger::Ledger;
use wattle_timeline::Uid;
use wattle_units::Nanos;

use super::gathered::Gathered;
use super::report::by_energy;
use super::watched::Watched;
use super::{AppProcessRow, AppReport, ComponentRow, Estimator, Figure, ProcessRow, Tally};

/// What the packages that were asked for are in this ledger.
pub(crate) struct Chosen {
    pub packages: Vec<String>,
    pub missing: Vec<String>,
    /// What may have been meant by the missing ones.
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
    let base = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
    let mut missing = Vec::new();
    let mut uids = BTreeSet::new();
    let mut processes = vec![false; ledger.processes.len()];
    for package in packages {
        let mut found = false;
        for (at, process) in ledger.processes.iter().enumerate() {
            let said = process.package.as_deref() == Some(package);
            if !said && base(&process.name) != *package {
                continue;
            }
            found = true;
            processes[at] = true;
            if let Some(uid) = process.uid.filter(|uid| !Uid(*uid).is_isolated()) {
                uids.insert(uid);
            }
        }
        if !found {
            missing.push(package.clone());
        }
    }
    for (at, process) in ledger.processes.iter().enumerate() {
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
        .processes
        .iter()
        .map(|process| process.package.as_deref().unwrap_or(&process.name))
        .map(|name| name.split(':').next().unwrap_or_default())
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

/// What the chosen processes pay.
pub(super) fn report(
    ledger: &Ledger,
    gathered: &Gathered,
    estimator: &Estimator<'_>,
    chosen: &Chosen,
    processes: &[ProcessRow],
    watched: Watched,
    total: Figure,
) -> AppReport {
    let mut own = Tally::default();
    let mut others = Tally::default();
    let mut by_component: BTreeMap<usize, Tally> = BTreeMap::new();
    let mut cpu = Nanos::ZERO;
    for (at, (thread, tally)) in ledger.threads.iter().zip(&gathered.threads).enumerate() {
        if !gathered.is_own(ledger, at) {
            continue;
        }
        if !chosen.processes.get(thread.process as usize).copied().unwrap_or(false) {
            others.merge(&tally.all);
            continue;
        }
        own.merge(&tally.all);
        cpu += thread.cpu;
        for (component, tally) in &tally.components {
            by_component.entry(*component).or_default().merge(tally);
        }
    }
    for (uid, components) in &gathered.uids {
        let is_own = chosen.uids.contains(uid);
        for (component, tally) in components {
            if is_own {
                own.merge(tally);
                by_component.entry(*component).or_default().merge(tally);
            } else {
                others.merge(tally);
            }
        }
    }
    let found = chosen.processes.contains(&true);
    let energy = estimator.figure(&own, watched.threads.filter(|_| found));
    let component = |(at, tally): (&usize, &Tally)| {
        let figure = estimator.figure(tally, None);
        let name = ledger.components.get(*at)?.name.to_string();
        Some(ComponentRow { name, energy: figure, share: figure.share_of(energy) })
    };
    let mut components: Vec<_> = by_component.iter().filter_map(component).collect();
    components.sort_by(|a, b| by_energy(a.energy, b.energy).then_with(|| a.name.cmp(&b.name)));
    AppReport {
        packages: chosen.packages.clone(),
        missing: chosen.missing.clone(),
        similar: chosen.similar.clone(),
        uids: chosen.uids.iter().copied().collect(),
        energy,
        human: None,
        share: energy.share_of(total),
        mean_mw: energy.mean_milliwatts(ledger.window.duration()),
        cpu: (ledger.has_scheduler && found).then_some(cpu),
        components,
        processes: processes
            .iter()
            .filter(|process| process.in_app)
            .map(|process| AppProcessRow {
                pid: process.pid,
                name: process.name.clone(),
                energy: process.energy,
            })
            .collect(),
        other_processes: estimator.figure(&others, watched.threads),
    }
}
