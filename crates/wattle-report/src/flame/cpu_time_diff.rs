//! CPU times of two runs, for recordings whose energy is not known.

use std::collections::BTreeMap;

use wattle_ledger::Ledger;
use wattle_table::{Column, describe};
use wattle_units::Nanos;

use super::PerUnit;
use super::steady_names::folded_thread;

/// Changes below this are the noise of one run against another.
const LEAST: Nanos = Nanos::new(1_000_000);

/// The CPU time of one piece of code in both runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuTimeRow {
    /// The process's name.
    pub process: String,
    /// The thread's name.
    pub thread: String,
    /// The function or section; empty for time outside of any.
    pub code: String,
    /// Self time on CPUs, before and after.
    pub times: [Nanos; 2],
}

impl CpuTimeRow {
    /// Time that the second run took more.
    pub fn change(&self) -> Nanos {
        self.times[1] - self.times[0]
    }
}

/// Self times on CPUs of two runs, by process, thread and code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuTimeDiff {
    /// All of it that was compared.
    pub total: [Nanos; 2],
    /// Lengths of the recordings.
    pub lengths: [Nanos; 2],
    /// Rows that changed by a millisecond or more, the largest change first. Threads of a pool, whose names differ in numbers only, are one.
    pub rows: Vec<CpuTimeRow>,
    /// Time of the code that changed by less.
    pub rest: [Nanos; 2],
}

impl CpuTimeDiff {
    /// Compares two runs, each divided by its number of units: of these apps, else of the processes of both.
    pub fn new(runs: [&Ledger; 2], per: &PerUnit, apps: &[String]) -> Self {
        let mut rows: BTreeMap<[String; 3], [Nanos; 2]> = BTreeMap::new();
        for (side, ledger) in runs.into_iter().enumerate() {
            for path in &ledger.rows.paths {
                let Some(thread) = ledger.rows.threads.get(path.thread as usize) else { continue };
                let process = ledger.rows.processes.get(thread.process as usize);
                let name = process.map_or("", |it| it.name.as_str());
                let package = process.and_then(|it| it.package.as_deref()).unwrap_or(name);
                let is_meant =
                    apps.is_empty() || apps.iter().any(|app| app == name || app == package);
                if is_meant && path.self_cpu.value() > 0 {
                    let thread = folded_thread(&thread.name);
                    let key = [name, thread.as_ref(), &path.name].map(str::to_owned);
                    rows.entry(key).or_default()[side] += path.self_cpu;
                }
            }
        }
        let mut diff =
            Self { lengths: runs.map(|it| it.recording.window.duration()), ..Self::default() };
        let [before, after] = per.factors();
        let scaled = |time: Nanos, factor: f64| Nanos::from_seconds(time.seconds() * factor);
        // A difference is as small in units as it is in runs.
        let least = scaled(LEAST, before.max(after)).value();
        for ([process, thread, code], times) in rows {
            let times = [scaled(times[0], before), scaled(times[1], after)];
            let row = CpuTimeRow { process, thread, code, times };
            diff.total = sums(diff.total, times);
            if row.change().value().abs() >= least {
                diff.rows.push(row);
            } else {
                diff.rest = sums(diff.rest, times);
            }
        }
        diff.rows.sort_by_key(|row| std::cmp::Reverse(row.change().value().abs()));
        diff
    }

    /// Whether both runs have any.
    pub fn is_known(&self) -> bool {
        self.total.iter().all(|time| *time > Nanos::ZERO)
    }
}

fn sums(one: [Nanos; 2], other: [Nanos; 2]) -> [Nanos; 2] {
    [one[0] + other[0], one[1] + other[1]]
}

describe!(
    CpuTimeRow,
    "cpu_time_row",
    "CPU time of one piece of code in both runs",
    [
        Column::text("process", "the process's name", |row: &CpuTimeRow| &row.process),
        Column::text("thread", "the thread's name", |row: &CpuTimeRow| &row.thread),
        Column::text(
            "code",
            "the function or section; empty for time outside of any",
            |row: &CpuTimeRow| &row.code
        ),
        Column::time(
            "before_s",
            "its own time on CPUs in the first run; 0 if it did not run",
            |row: &CpuTimeRow| { row.times[0] }
        ),
        Column::time(
            "after_s",
            "its own time on CPUs in the second run; 0 if it did not run",
            |row: &CpuTimeRow| { row.times[1] }
        ),
    ]
);

describe!(
    CpuTimeDiff,
    "cpu_times",
    "CPU times of both runs, divided by the number of units; each measured once: no interval is known",
    [
        Column::time("before_s", "all time on CPUs in the first run", |row: &CpuTimeDiff| {
            row.total[0]
        }),
        Column::time("after_s", "all time on CPUs in the second run", |row: &CpuTimeDiff| {
            row.total[1]
        }),
        Column::list::<CpuTimeRow>(
            "rows",
            "code that changed by a millisecond or more, largest change first",
            |row: &CpuTimeDiff| &row.rows
        ),
        Column::time(
            "rest_before_s",
            "code that changed by less, in the first run",
            |row: &CpuTimeDiff| { row.rest[0] }
        ),
        Column::time(
            "rest_after_s",
            "code that changed by less, in the second run",
            |row: &CpuTimeDiff| { row.rest[1] }
        ),
    ]
);
