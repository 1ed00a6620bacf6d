//! CPU times of two runs, for recordings whose energy is not known.

use std::collections::BTreeMap;

use wattle_ledger::Ledger;
use wattle_table::{Column, describe};
use wattle_units::Nanos;

/// Changes below this are the noise of one run against another.
const LEAST: Nanos = Nanos::new(1_000_000);

/// A thread's name as far as it is the same in the next run: names of binder threads have the number of their process in them.
fn stable(thread: &str) -> &str {
    let is_binder = thread.starts_with("binder:") || thread.starts_with("HwBinder:");
    if is_binder { thread.split(':').next().unwrap_or(thread) } else { thread }
}

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
    /// Rows that changed by a millisecond or more, the largest change first.
    pub rows: Vec<CpuTimeRow>,
}

impl CpuTimeDiff {
    /// Compares two runs: of these apps, else of the processes of both.
    pub fn new(runs: [&Ledger; 2], apps: &[String]) -> Self {
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
                    let key = [name, stable(&thread.name), &path.name].map(str::to_owned);
                    rows.entry(key).or_default()[side] += path.self_cpu;
                }
            }
        }
        let mut diff =
            Self { lengths: runs.map(|it| it.recording.window.duration()), ..Self::default() };
        for times in rows.values() {
            diff.total = [diff.total[0] + times[0], diff.total[1] + times[1]];
        }
        diff.rows = rows
            .into_iter()
            .map(|([process, thread, code], times)| CpuTimeRow { process, thread, code, times })
            .collect();
        diff.rows.retain(|row| row.change().value().abs() >= LEAST.value());
        diff.rows.sort_by_key(|row| std::cmp::Reverse(row.change().value().abs()));
        diff
    }
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
        Column::time("before_s", "its own time on CPUs in the first run", |row: &CpuTimeRow| {
            row.times[0]
        }),
        Column::time("after_s", "its own time on CPUs in the second run", |row: &CpuTimeRow| {
            row.times[1]
        }),
    ]
);

describe!(
    CpuTimeDiff,
    "cpu_times",
    "CPU times of both runs, each measured once: no interval is known",
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
    ]
);
