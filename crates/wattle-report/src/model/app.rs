//! An app is a uid and a user: all its processes, isolated ones included.

use std::collections::BTreeMap;

use wattle_units::Nanos;

use super::basis::Basis;
use super::covered_energy::covered_time;
use super::order::by_energy;
use super::{AppProcessRow, AppReport, ComponentRow, ProcessRow, Tally};

/// Reports the energy attributed to the chosen processes.
pub(super) fn report(basis: Basis<'_>, processes: &[ProcessRow]) -> AppReport {
    let Basis { ledger, gathered, estimator, chosen, watched, total } = basis;
    let mut own = Tally::default();
    let mut others = Tally::default();
    let mut by_component: BTreeMap<usize, Tally> = BTreeMap::new();
    let mut cpu = Nanos::ZERO;
    for (at, (thread, tally)) in ledger.rows.threads.iter().zip(&gathered.threads).enumerate() {
        if !gathered.is_own(ledger, at) {
            continue;
        }
        if !chosen.threads.get(at).copied().unwrap_or(false) {
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
    let found = chosen.threads.contains(&true) || chosen.processes.contains(&true);
    let energy = estimator.figure(&own, watched.threads.filter(|_| found));
    let component = |(at, tally): (&usize, &Tally)| {
        let figure = estimator.figure(tally, None);
        let name = ledger.rows.components.get(*at)?.name.to_string();
        Some(ComponentRow { name, energy: figure, share: figure.share_of(energy), mean_mw: None })
    };
    let mut components: Vec<_> = by_component.iter().filter_map(component).collect();
    components.sort_by(|a, b| by_energy(a.energy, b.energy).then_with(|| a.name.cmp(&b.name)));
    AppReport {
        is_selection: chosen.is_narrowed,
        by_threads: chosen.by_threads,
        packages: chosen.packages.clone(),
        missing: chosen.missing.clone(),
        similar: chosen.similar.clone(),
        uids: chosen.uids.iter().copied().collect(),
        energy,
        human: None,
        share: energy.share_of(total),
        mean_mw: energy.mean_milliwatts(covered_time(ledger, None)),
        cpu: (ledger.recording.has_scheduler && found).then_some(cpu),
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
