//! Call slices by name and thread.

use std::collections::BTreeMap;

use wattle_units::Nanos;

use super::basis::Basis;
use super::order::by_energy;
use super::{CallTree, SliceComponent, SliceRow, Tally};

/// Slices of one name on one thread.
#[derive(Default)]
struct Group {
    own: Tally,
    total: Tally,
    calls: u64,
    /// Samples that found it on the stack; `None` where calls were recorded.
    samples: Option<u64>,
    own_cpu: Nanos,
    cpu: Nanos,
    wall: Nanos,
    /// By component: own and total.
    devices: BTreeMap<usize, (Tally, Tally)>,
}

/// All slices, most total energy first, then by name and thread.
pub(super) fn rows(basis: Basis<'_>, tree: &CallTree) -> Vec<SliceRow> {
    let Basis { ledger, gathered, estimator, chosen, watched, .. } = basis;
    let mut ids = BTreeMap::new();
    let mut names = Vec::with_capacity(ledger.rows.paths.len());
    for path in &ledger.rows.paths {
        let next = ids.len() as u32;
        names.push(*ids.entry(path.name.as_str()).or_insert(next));
    }
    let recursive = tree.recursive(&names);

    // Callees come after their callers: going backwards, a path's callees are complete when it is reached.
    let mut below = gathered.paths.clone();
    let mut samples_below: Vec<u64> = ledger.rows.paths.iter().map(|path| path.samples).collect();
    let mut cpu_below: Vec<Nanos> = ledger.rows.paths.iter().map(|path| path.self_cpu).collect();
    let mut groups: BTreeMap<(u32, u32), Group> = BTreeMap::new();
    for (at, path) in ledger.rows.paths.iter().enumerate().rev() {
        let total = std::mem::take(&mut below[at]);
        let is_root = path.caller.is_none() && path.name.is_empty();
        if !is_root {
            let group = groups.entry((path.thread, names[at])).or_default();
            group.own.merge(&gathered.paths[at]);
            group.calls = group.calls.saturating_add(path.calls);
            group.own_cpu += path.self_cpu;
            if path.frame.is_some() {
                group.samples.get_or_insert(0);
            }
            if !recursive[at] {
                group.samples = group.samples.map(|sum| sum.saturating_add(samples_below[at]));
                group.total.merge(&total);
                group.cpu += cpu_below[at];
                group.wall += path.wall;
            }
        }
        if let Some(caller) = tree.caller(at) {
            below[caller].absorb(total);
            let cpu = cpu_below[at];
            cpu_below[caller] += cpu;
            samples_below[caller] = samples_below[caller].saturating_add(samples_below[at]);
        }
    }

    // Few paths use more than the CPU: each hands its part to all around it.
    for ((at, component), tally) in &gathered.devices {
        let mut around = Some(*at);
        while let Some(path) = around {
            let entry = &ledger.rows.paths[path];
            if let Some(group) = groups.get_mut(&(entry.thread, names[path])) {
                let (own, total) = group.devices.entry(*component).or_default();
                if path == *at {
                    own.merge(tally);
                }
                if !recursive[path] {
                    total.merge(tally);
                }
            }
            around = tree.caller(path);
        }
    }

    let texts: Vec<&str> = {
        let mut texts = vec![""; ids.len()];
        for (text, id) in &ids {
            texts[*id as usize] = text;
        }
        texts
    };
    let mut rows = Vec::with_capacity(groups.len());
    for ((thread, name), group) in groups {
        let at = thread as usize;
        let Some(thread) = ledger.rows.threads.get(at) else { continue };
        let process = ledger.rows.processes.get(thread.process as usize);
        let total = estimator.figure(&group.total, watched.threads);
        rows.push(SliceRow {
            name: texts[name as usize].to_owned(),
            thread: thread.name.clone(),
            tid: thread.tid,
            process: process.map(|process| process.name.clone()).unwrap_or_default(),
            pid: process.and_then(|process| process.pid),
            own: estimator.figure(&group.own, watched.threads),
            total,
            calls: group.calls,
            samples: group.samples,
            own_cpu: ledger.recording.has_scheduler.then_some(group.own_cpu),
            cpu: ledger.recording.has_scheduler.then_some(group.cpu),
            wall: group.wall,
            mean_mw: total.mean_milliwatts(group.wall),
            components: group
                .devices
                .iter()
                .filter_map(|(component, (own, total))| {
                    let entry = ledger.rows.components.get(*component)?;
                    Some(SliceComponent {
                        name: entry.name.name().to_owned(),
                        own: estimator.figure(own, Some(entry.provenance)),
                        total: estimator.figure(total, Some(entry.provenance)),
                    })
                })
                .collect(),
            in_app: chosen.threads.get(at).copied().unwrap_or(false),
        });
    }
    rows.sort_by(|a, b| {
        by_energy(a.total, b.total)
            .then_with(|| a.name.cmp(&b.name))
            .then_with(|| (a.pid, a.tid).cmp(&(b.pid, b.tid)))
    });
    rows
}
