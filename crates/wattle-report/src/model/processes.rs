//! Processes and their threads.

use std::sync::Arc;

use wattle_units::Nanos;

use super::basis::Basis;
use super::covered_energy::covered_time;
use super::order::by_energy;
use super::{ProcessRow, Tally, ThreadRow};

/// All processes that paid or ran, most energy first, then by pid and name.
pub(super) fn rows(basis: Basis<'_>) -> Vec<ProcessRow> {
    let Basis { ledger, gathered, estimator, chosen, watched, total } = basis;
    let duration = covered_time(ledger, None);
    let mut tallies = vec![Tally::default(); ledger.rows.processes.len()];
    let mut threads: Vec<Vec<ThreadRow>> = vec![Vec::new(); ledger.rows.processes.len()];
    let mut cpu = vec![Nanos::ZERO; ledger.rows.processes.len()];
    let names: Vec<Arc<str>> = ledger
        .rows
        .processes
        .iter()
        .map(|entry| ProcessRow::title_of(entry.pid, &entry.name).into())
        .collect();
    for (at, (thread, tally)) in ledger.rows.threads.iter().zip(&gathered.threads).enumerate() {
        let process = thread.process as usize;
        let Some(of_process) = threads.get_mut(process) else { continue };
        if gathered.is_own(ledger, at) {
            tallies[process].merge(&tally.all);
            cpu[process] += thread.cpu;
        }
        let energy = estimator.figure(&tally.all, watched.threads);
        of_process.push(ThreadRow {
            tid: thread.tid,
            name: thread.name.clone(),
            process: Arc::clone(&names[process]),
            pid: ledger.rows.processes[process].pid,
            energy,
            cpu_core: estimator.figure(&tally.core, watched.thread_cores),
            cpu_shared: estimator.figure(&tally.shared, watched.threads),
            wake_transition: estimator.figure(&tally.wake, watched.thread_cores),
            mean_mw: energy.mean_milliwatts(duration),
            cpu: ledger.recording.has_scheduler.then_some(thread.cpu),
            in_app: chosen.threads.get(at).copied().unwrap_or(false),
            is_recorder: tally.is_recorders,
        });
    }
    let mut rows = Vec::with_capacity(ledger.rows.processes.len());
    for (at, (entry, mut threads)) in ledger.rows.processes.iter().zip(threads).enumerate() {
        threads.sort_by(|a, b| by_energy(a.energy, b.energy).then(a.tid.cmp(&b.tid)));
        let energy = estimator.figure(&tallies[at], watched.threads);
        rows.push(ProcessRow {
            pid: entry.pid,
            name: entry.name.clone(),
            package: entry.package.clone(),
            uid: entry.uid,
            energy,
            share: energy.share_of(total),
            mean_mw: energy.mean_milliwatts(duration),
            cpu: ledger.recording.has_scheduler.then_some(cpu[at]),
            in_app: chosen.processes.get(at).copied().unwrap_or(false),
            threads,
        });
    }
    rows.sort_by(|a, b| {
        by_energy(a.energy, b.energy).then(a.pid.cmp(&b.pid)).then_with(|| a.name.cmp(&b.name))
    });
    rows
}
