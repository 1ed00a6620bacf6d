//! Why threads did not run, in rows.

use wattle_ledger::{Ledger, WaitEntry};
use wattle_table::{Column, describe};
use wattle_units::Nanos;

use super::chosen::Chosen;

/// Waits of one thread of one kind, that one waker ended.
#[derive(Clone, Debug)]
pub struct WaitRow {
    /// The waits.
    pub entry: WaitEntry,
    /// Their part of the recording's length.
    pub share: Option<f64>,
    /// The beginning of the longest, from the beginning of the recording on.
    pub longest_at: Nanos,
}

describe!(
    WaitRow,
    "wait",
    "why a thread did not run, and what ended that",
    [
        Column::time("total_s", "time of these waits", |row: &WaitRow| row.entry.total)
            .label("total")
            .strong(),
        Column::share("share", "its part of the recording, 0 to 1", |row: &WaitRow| row.share)
            .label("share"),
        Column::count("count", "number of waits", |row: &WaitRow| row.entry.count).label("waits"),
        Column::time("longest_s", "time of the longest", |row: &WaitRow| row.entry.longest)
            .label("longest"),
        Column::time(
            "longest_at_s",
            "its beginning, from the beginning of the recording on",
            |row: &WaitRow| row.longest_at
        )
        .instant()
        .label("at"),
        Column::text(
            "kind",
            "why it did not run: sleep (could be woken by a signal), blocked (could not), disk (blocked, and it waited for a disk), \
             runnable (others had the CPUs), stopped",
            |row: &WaitRow| row.entry.kind.name()
        )
        .words(&["sleep", "blocked", "disk", "runnable", "stopped"])
        .label("why"),
        Column::maybe_text(
            "function",
            "the kernel's function in which it slept (sched_blocked_reason)",
            |row: &WaitRow| row.entry.function.as_deref()
        )
        .label("in")
        .rare(),
        Column::maybe_text(
            "woken_by",
            "the thread or interrupt that woke it (sched_waking)",
            |row: &WaitRow| row.entry.woken_by.as_deref()
        )
        .label("woken by")
        .rare(),
        Column::text("thread", "the thread's name", |row: &WaitRow| &row.entry.thread)
            .label("thread")
            .elastic(),
        Column::id("tid", "the kernel's number of the thread", |row: &WaitRow| row.entry.tid)
            .label("tid"),
        Column::text("process", "the process's name", |row: &WaitRow| &row.entry.process)
            .label("process")
            .elastic(),
        Column::maybe_id("pid", "the kernel's number of the process", |row: &WaitRow| {
            row.entry.pid
        }),
    ]
);

/// The waits of the chosen threads, most time first.
pub(super) fn rows(ledger: &Ledger, chosen: &Chosen) -> Vec<WaitRow> {
    let is_chosen = |entry: &&WaitEntry| {
        if !chosen.is_asked && !chosen.is_narrowed {
            return true;
        }
        let threads = ledger.rows.threads.iter().zip(&chosen.threads);
        threads.filter(|(_, is_chosen)| **is_chosen).any(|(thread, _)| {
            let process = ledger.rows.processes.get(thread.process as usize);
            thread.tid == entry.tid && process.is_some_and(|it| it.pid == entry.pid)
        })
    };
    let length = ledger.recording.window.duration();
    let row = |entry: &WaitEntry| WaitRow {
        share: (length > Nanos::ZERO).then(|| entry.total.seconds() / length.seconds()),
        longest_at: entry.longest_at - ledger.recording.window.start,
        entry: entry.clone(),
    };
    ledger.sheets.waits.iter().filter(is_chosen).map(row).collect()
}
