//! Why threads did not run, in rows.

use std::collections::BTreeSet;

use wattle_ledger::{Ledger, WaitEntry, WaitKind};
use wattle_table::{Column, describe};
use wattle_units::Nanos;

use super::ProcessRow;
use super::chosen::Chosen;

/// Waits of one thread of one kind, that one waker ended.
#[derive(Clone, Debug)]
pub struct WaitRow {
    /// The waits.
    pub entry: WaitEntry,
    /// Their part of the recording's length.
    pub share: Option<f64>,
    /// The name of the process in views.
    pub process: String,
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
        .blank()
        .rare(),
        Column::maybe_text(
            "woken_by",
            "the thread or interrupt that woke it (sched_waking)",
            |row: &WaitRow| row.entry.woken_by.as_deref()
        )
        .label("woken by")
        .blank()
        .elastic()
        .rare(),
        Column::text("thread", "the thread's name", |row: &WaitRow| &row.entry.thread)
            .label("thread")
            .leading()
            .elastic(),
        Column::id("tid", "the kernel's number of the thread", |row: &WaitRow| row.entry.tid)
            .label("tid"),
        Column::text("process", "the process's name", |row: &WaitRow| &row.process)
            .label("process")
            .leading()
            .elastic(),
        Column::maybe_id("pid", "the kernel's number of the process", |row: &WaitRow| {
            row.entry.pid
        })
        .label("pid")
        .only_in_page(),
    ]
);

impl WaitRow {
    /// Whether the thread had something to do and could not.
    pub fn is_held_up(&self) -> bool {
        match self.entry.kind {
            WaitKind::Runnable | WaitKind::Blocked | WaitKind::Disk => true,
            WaitKind::Sleep | WaitKind::Stopped => false,
        }
    }

    fn new(ledger: &Ledger, entry: &WaitEntry) -> Self {
        let window = ledger.recording.window;
        let length = window.duration();
        Self {
            share: (length > Nanos::ZERO).then(|| entry.total.seconds() / length.seconds()),
            process: ProcessRow::title_of(entry.pid, &entry.process).into_owned(),
            longest_at: entry.longest_at - window.start,
            entry: entry.clone(),
        }
    }

    /// The waits of all threads, most time first.
    pub(crate) fn all(ledger: &Ledger) -> Vec<Self> {
        ledger.sheets.waits.iter().map(|entry| Self::new(ledger, entry)).collect()
    }

    /// The waits of the chosen threads, most time first.
    pub(super) fn chosen(ledger: &Ledger, chosen: &Chosen) -> Vec<Self> {
        if !chosen.is_asked && !chosen.is_narrowed {
            return Self::all(ledger);
        }
        let threads = ledger.rows.threads.iter().zip(&chosen.threads);
        let threads: BTreeSet<(u32, Option<u32>)> = threads
            .filter(|(_, is_chosen)| **is_chosen)
            .filter_map(|(thread, _)| {
                let process = ledger.rows.processes.get(thread.process as usize)?;
                Some((thread.tid, process.pid))
            })
            .collect();
        let entries = ledger.sheets.waits.iter();
        let of_chosen = entries.filter(|entry| threads.contains(&(entry.tid, entry.pid)));
        of_chosen.map(|entry| Self::new(ledger, entry)).collect()
    }
}
