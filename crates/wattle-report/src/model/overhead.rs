//! What was drawn only because somebody recorded.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_ledger::{Ledger, ProbeCostEntry};
use wattle_units::Nanos;

use super::figure::seconds;
use super::gathered::Gathered;
use super::report::by_energy;
use super::watched::Watched;
use super::{Estimator, Figure, Tally};

/// Profiling overhead.
#[derive(Clone, Debug, Serialize)]
pub struct OverheadReport {
    /// All of it.
    #[serde(flatten)]
    pub energy: Figure,
    /// Its part of the whole.
    pub share: Option<f64>,
    /// The probes in the app's code; `None` where there are none.
    pub probes: Option<ProbesReport>,
    /// The recorder's own processes and threads, most energy first.
    pub recorders: Vec<RecorderRow>,
}

/// The probes in an app's code.
#[derive(Clone, Debug, Serialize)]
pub struct ProbesReport {
    /// How many times a probe was passed.
    pub events: u64,
    /// Those of which no cost is known: nothing was taken off for them.
    pub unpriced: u64,
    /// Calls that had less time on a CPU than their probes cost.
    pub short_calls: u64,
    /// Time on a CPU that was taken off.
    #[serde(rename = "cpu_s", serialize_with = "seconds::of")]
    pub cpu: Nanos,
    /// What that time drew; its interval holds how differently long the probes that were timed took.
    #[serde(flatten)]
    pub energy: Figure,
    /// What a pair of probes costs.
    pub costs: Vec<ProbeCostRow>,
}

/// What a pair of probes costs in one process.
#[derive(Clone, Debug, Serialize)]
pub struct ProbeCostRow {
    /// The process; `None`: all that have no cost of their own.
    pub pid: Option<u32>,
    /// Median.
    #[serde(rename = "pair_s", serialize_with = "seconds::of")]
    pub pair: Nanos,
    /// 5th percentile.
    #[serde(rename = "low_s", serialize_with = "seconds::of")]
    pub low: Nanos,
    /// 95th percentile.
    #[serde(rename = "high_s", serialize_with = "seconds::of")]
    pub high: Nanos,
    /// What of the median lies inside the slice.
    #[serde(rename = "inside_s", serialize_with = "seconds::of")]
    pub inside: Nanos,
    /// How many pairs were timed.
    pub pairs: u32,
}

/// One of the recorder's processes, or its thread inside an app.
#[derive(Clone, Debug, Serialize)]
pub struct RecorderRow {
    /// The kernel's number of the process.
    pub pid: Option<u32>,
    /// The process's name.
    pub name: String,
    /// The thread's name where only that thread is the recorder's.
    pub thread: Option<String>,
    /// What it drew.
    #[serde(flatten)]
    pub energy: Figure,
    /// Its part of the whole.
    pub share: Option<f64>,
    /// Its time on a CPU.
    #[serde(rename = "cpu_s", serialize_with = "seconds::maybe")]
    pub cpu: Option<Nanos>,
}

/// `None` where nothing was drawn for recording and no code has probes.
pub(super) fn report(
    ledger: &Ledger,
    gathered: &Gathered,
    estimator: &Estimator<'_>,
    watched: Watched,
    total: Figure,
) -> Option<OverheadReport> {
    let recorders = recorders(ledger, gathered, estimator, watched, total);
    let probes = ledger.probes.as_ref().map(|probes| ProbesReport {
        events: probes.events,
        unpriced: probes.unpriced,
        short_calls: probes.short_calls,
        cpu: probes.cpu,
        energy: estimator.figure(&gathered.probes, watched.threads),
        costs: probes.costs.iter().map(ProbeCostRow::new).collect(),
    });
    if probes.is_none() && recorders.is_empty() && gathered.probes.is_empty() {
        return None;
    }
    let mut all = gathered.probes.clone();
    for thread in &gathered.threads {
        if thread.is_recorders {
            all.merge(&thread.all);
        }
    }
    let energy = estimator.figure(&all, watched.threads);
    Some(OverheadReport { energy, share: energy.share_of(total), probes, recorders })
}

impl ProbeCostRow {
    fn new(cost: &ProbeCostEntry) -> Self {
        let ProbeCostEntry { pid, pair, low, high, inside, pairs } = *cost;
        Self { pid, pair, low, high, inside, pairs }
    }
}

fn recorders(
    ledger: &Ledger,
    gathered: &Gathered,
    estimator: &Estimator<'_>,
    watched: Watched,
    total: Figure,
) -> Vec<RecorderRow> {
    let mut groups: BTreeMap<(u32, Option<usize>), (Tally, Nanos)> = BTreeMap::new();
    for (at, (thread, tally)) in ledger.threads.iter().zip(&gathered.threads).enumerate() {
        if !tally.is_recorders {
            continue;
        }
        let wholly = gathered.recorders.get(thread.process as usize) == Some(&true);
        let key = (thread.process, (!wholly).then_some(at));
        let (sum, cpu) = groups.entry(key).or_default();
        sum.merge(&tally.all);
        *cpu += thread.cpu;
    }
    let mut rows: Vec<RecorderRow> = groups
        .into_iter()
        .filter_map(|((process, thread), (tally, cpu))| {
            let process = ledger.processes.get(process as usize)?;
            let thread = thread.and_then(|at| ledger.threads.get(at));
            let energy = estimator.figure(&tally, watched.threads);
            Some(RecorderRow {
                pid: process.pid,
                name: process.name.clone(),
                thread: thread.map(|thread| thread.name.clone()),
                energy,
                share: energy.share_of(total),
                cpu: ledger.has_scheduler.then_some(cpu),
            })
        })
        .collect();
    rows.sort_by(|a, b| by_energy(a.energy, b.energy).then(a.pid.cmp(&b.pid)));
    rows
}
