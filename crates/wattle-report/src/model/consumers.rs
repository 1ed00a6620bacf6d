//! Apps and programs with all that they drew.

use std::collections::BTreeMap;

use wattle_timeline::Uid;
use wattle_units::Nanos;

use super::basis::Basis;
use super::order::by_energy;
use super::{AppGroups, ComponentRow, ConsumerRow, Tally};

/// A consumer before it is a row.
#[derive(Default)]
struct Gathering {
    all: Tally,
    by_component: BTreeMap<usize, Tally>,
    cpu: Nanos,
    processes: usize,
    is_asked: bool,
    is_app: bool,
    records: Option<bool>,
}

impl Gathering {
    fn add(&mut self, component: usize, tally: &Tally) {
        self.by_component.entry(component).or_default().merge(tally);
    }
}

/// All apps and programs that drew something or ran, most energy first, then by CPU time and name.
pub(super) fn rows(basis: Basis<'_>) -> Vec<ConsumerRow> {
    let Basis { ledger, gathered, estimator, chosen, watched, total } = basis;
    let mut groups = AppGroups::new(ledger);
    let mut found: Vec<Gathering> = Vec::new();
    for (at, process) in ledger.rows.processes.iter().enumerate() {
        let Some(of) = groups.of_process(at).map(|number| slot(&mut found, number)) else {
            continue;
        };
        of.processes += 1;
        of.is_asked |= chosen.processes.get(at).copied().unwrap_or(false);
        of.is_app |= process.uid.is_some_and(|uid| Uid(uid).is_app());
        let records = gathered.recorders.get(at).copied().unwrap_or(false);
        of.records = Some(of.records.unwrap_or(true) && records);
    }
    for (at, (thread, tally)) in ledger.rows.threads.iter().zip(&gathered.threads).enumerate() {
        let group = groups.of_process(thread.process as usize);
        let Some(of) = group.filter(|_| gathered.is_own(ledger, at)) else { continue };
        let of = slot(&mut found, of);
        of.all.merge(&tally.all);
        of.cpu += thread.cpu;
        for (component, tally) in &tally.components {
            of.add(*component, tally);
        }
    }
    for (uid, components) in &gathered.uids {
        let of = slot(&mut found, groups.of_uid(*uid));
        of.is_asked |= chosen.uids.contains(uid);
        of.is_app |= Uid(*uid).is_app();
        for (component, tally) in components {
            of.all.merge(tally);
            of.add(*component, tally);
        }
    }
    let has_scheduler = ledger.recording.has_scheduler;
    let rows = groups.into_names().into_iter().zip(found).map(|(name, of)| {
        let energy = estimator.figure(&of.all, watched.threads);
        let component = |(at, tally): (&usize, &Tally)| {
            let name = ledger.rows.components.get(*at)?.name.to_string();
            let part = estimator.figure(tally, None);
            Some(ComponentRow { name, energy: part, share: part.share_of(energy), mean_mw: None })
        };
        let mut components: Vec<ComponentRow> =
            of.by_component.iter().filter_map(component).collect();
        components.sort_by(|a, b| by_energy(a.energy, b.energy).then_with(|| a.name.cmp(&b.name)));
        ConsumerRow {
            name,
            processes: of.processes,
            energy,
            share: energy.share_of(total),
            cpu: (has_scheduler && of.processes > 0).then_some(of.cpu),
            is_asked: of.is_asked,
            is_app: of.is_app,
            is_recorder: of.records == Some(true),
            components,
        }
    });
    let did_something = |row: &ConsumerRow| {
        row.energy.joules().is_some_and(|joules| joules.value() != 0.0)
            || row.cpu.is_some_and(|cpu| cpu > Nanos::ZERO)
    };
    let mut rows: Vec<ConsumerRow> = rows.filter(did_something).collect();
    rows.sort_by(|a, b| {
        by_energy(a.energy, b.energy).then(b.cpu.cmp(&a.cpu)).then_with(|| a.name.cmp(&b.name))
    });
    rows
}

fn slot(found: &mut Vec<Gathering>, number: usize) -> &mut Gathering {
    if found.len() <= number {
        found.resize_with(number + 1, Gathering::default);
    }
    &mut found[number]
}
