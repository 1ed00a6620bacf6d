//! Energy that only recording caused.

use std::collections::BTreeMap;
use wattle_table::{Column, Row, describe};

use wattle_ledger::{Ledger, ProbeCostEntry};
use wattle_units::Nanos;

use super::gathered::Gathered;
use super::order::by_energy;
use super::watched::Watched;
use super::{Estimator, Tally};
use crate::Figure;

/// Profiling overhead.
#[derive(Clone, Debug)]
pub struct OverheadReport {
    /// All of it.
    pub energy: Figure,
    /// Its part of the whole.
    pub share: Option<f64>,
    /// The probes in the app's code; `None` where there are none.
    pub probes: Option<ProbesReport>,
    /// The recorder's own processes and threads, most energy first.
    pub recorders: Vec<RecorderRow>,
}

describe!(
    OverheadReport,
    "overhead",
    "what was drawn only because somebody recorded",
    [
        Column::energy("", "all of it", |row: &OverheadReport| row.energy.0),
        Column::share("share", "its part of the whole", |row: &OverheadReport| row.share),
        Column::maybe_object::<ProbesReport>(
            "probes",
            "the probes in the app's code; null where there are none",
            |row: &OverheadReport| row.probes.as_ref().map(|it| it as &dyn Row)
        ),
        Column::list::<RecorderRow>(
            "recorders",
            "the recorder's own processes and threads, most energy first",
            |row: &OverheadReport| &row.recorders
        ),
    ]
);

/// The probes in an app's code.
#[derive(Clone, Debug)]
pub struct ProbesReport {
    /// Number of times that a probe was passed.
    pub events: u64,
    /// Those of which no cost is known: nothing was taken off for them.
    pub unpriced: u64,
    /// Calls that had less time on a CPU than their probes cost.
    pub short_calls: u64,
    /// Time on a CPU that was taken off.
    pub cpu: Nanos,
    /// Energy of that time; its interval contains the spread of the times of the probes that were timed.
    pub energy: Figure,
    /// Costs of a pair of probes.
    pub costs: Vec<ProbeCostRow>,
}

describe!(
    ProbesReport,
    "probes",
    "the probes in an app's code",
    [
        Column::count("events", "how many times a probe was passed", |row: &ProbesReport| row
            .events),
        Column::count(
            "unpriced",
            "those of which no cost is known: nothing was taken off for them",
            |row: &ProbesReport| row.unpriced
        ),
        Column::count(
            "short_calls",
            "calls that had less time on a CPU than their probes cost",
            |row: &ProbesReport| row.short_calls
        ),
        Column::time("cpu_s", "time on a CPU that was taken off", |row: &ProbesReport| row.cpu),
        Column::energy(
            "",
            "what that time drew; its interval holds how differently long the probes that were timed took",
            |row: &ProbesReport| row.energy.0
        ),
        Column::list::<ProbeCostRow>(
            "costs",
            "what a pair of probes costs",
            |row: &ProbesReport| &row.costs
        ),
    ]
);

/// Cost of a pair of probes in one process.
#[derive(Clone, Debug)]
pub struct ProbeCostRow {
    /// The process; `None`: all that have no cost of their own.
    pub pid: Option<u32>,
    /// Median.
    pub pair: Nanos,
    /// 5th percentile.
    pub low: Nanos,
    /// 95th percentile.
    pub high: Nanos,
    /// Part of the median that lies inside the slice.
    pub inside: Nanos,
    /// Number of pairs that were timed.
    pub pairs: u32,
}

describe!(
    ProbeCostRow,
    "probe_cost",
    "what a pair of probes costs: median, 5th and 95th percentile",
    [
        Column::maybe_id(
            "pid",
            "null: all processes without a cost of their own",
            |row: &ProbeCostRow| row.pid
        ),
        Column::time("pair_s", "median", |row: &ProbeCostRow| row.pair),
        Column::time("low_s", "5th percentile", |row: &ProbeCostRow| row.low),
        Column::time("high_s", "95th percentile", |row: &ProbeCostRow| row.high),
        Column::time(
            "inside_s",
            "what of the median lies inside the slice",
            |row: &ProbeCostRow| row.inside
        ),
        Column::count("pairs", "how many pairs were timed", |row: &ProbeCostRow| row.pairs.into()),
    ]
);

/// One of the recorder's processes, or its thread inside an app.
#[derive(Clone, Debug)]
pub struct RecorderRow {
    /// The kernel's number of the process.
    pub pid: Option<u32>,
    /// The process's name.
    pub name: String,
    /// The thread's name where only that thread is the recorder's.
    pub thread: Option<String>,
    /// Energy of it.
    pub energy: Figure,
    /// Its part of the whole.
    pub share: Option<f64>,
    /// Its time on a CPU.
    pub cpu: Option<Nanos>,
}

describe!(
    RecorderRow,
    "recorder",
    "one of the recorder's processes, or its thread inside an app",
    [
        Column::maybe_id("pid", "the kernel's number of the process", |row: &RecorderRow| row.pid),
        Column::text("name", "the process's name", |row: &RecorderRow| &row.name),
        Column::maybe_text(
            "thread",
            "the thread's name where only that thread is the recorder's",
            |row: &RecorderRow| row.thread.as_deref()
        ),
        Column::energy("", "what it drew", |row: &RecorderRow| row.energy.0),
        Column::share("share", "its part of the whole", |row: &RecorderRow| row.share),
        Column::maybe_time("cpu_s", "its time on a CPU", |row: &RecorderRow| row.cpu),
    ]
);

/// `None` where nothing was drawn for recording and no code has probes.
pub(super) fn report(
    ledger: &Ledger,
    gathered: &Gathered,
    estimator: &Estimator<'_>,
    watched: Watched,
    total: Figure,
) -> Option<OverheadReport> {
    let recorders = recorders(ledger, gathered, estimator, watched, total);
    let probes = ledger.sheets.probes.as_ref().map(|probes| ProbesReport {
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
    for (at, (thread, tally)) in ledger.rows.threads.iter().zip(&gathered.threads).enumerate() {
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
            let process = ledger.rows.processes.get(process as usize)?;
            let thread = thread.and_then(|at| ledger.rows.threads.get(at));
            let energy = estimator.figure(&tally, watched.threads);
            Some(RecorderRow {
                pid: process.pid,
                name: process.name.clone(),
                thread: thread.map(|thread| thread.name.clone()),
                energy,
                share: energy.share_of(total),
                cpu: ledger.recording.has_scheduler.then_some(cpu),
            })
        })
        .collect();
    rows.sort_by(|a, b| by_energy(a.energy, b.energy).then(a.pid.cmp(&b.pid)));
    rows
}
