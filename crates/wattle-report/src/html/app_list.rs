//! Apps of a page: the consumers that a reader selects.

use std::collections::BTreeSet;

use serde::Serialize;
use wattle_ledger::{Account, Ledger};

use super::tree::Places;
use crate::clean::clean;
use crate::model::AppGroups;

/// Apps and other programs.
#[derive(Default, Serialize)]
pub struct Apps {
    name: Vec<String>,
    /// Whether the reader asked for it, or the recording was made for it.
    asked: Vec<bool>,
    /// Whether it only runs because somebody records.
    recorder: Vec<bool>,
    /// Rows of the tree that are of an app, with all below them.
    row: Vec<usize>,
    /// By such a row: its app.
    of_row: Vec<usize>,
}

impl Apps {
    /// The apps of a ledger; `asked` has those processes that the reader asked for.
    pub fn new(ledger: &Ledger, asked: &[bool], places: &Places) -> Self {
        let mut groups = AppGroups::new(ledger);
        let mut apps = Self::default();
        let of_several = [&places.processes, &places.threads].map(|rows| of_several(rows));
        let records = Recorders::new(ledger);
        for (at, process) in ledger.rows.processes.iter().enumerate() {
            // Threads of which no process is known have nothing in common.
            if process.pid.is_none() && process.name.is_empty() {
                let known = (places, &records, &of_several[1]);
                apps.threads_of(at, (ledger, &mut groups), known);
                continue;
            }
            let Some(app) = groups.of_process(at) else { continue };
            apps.make_room(app);
            apps.asked[app] |= asked.get(at).copied().unwrap_or(false);
            apps.recorder[app] |= records.is_process(at);
            let row = places.processes.get(at).copied().flatten();
            if let Some(row) = row.filter(|row| !of_several[0].contains(row)) {
                apps.row.push(row);
                apps.of_row.push(app);
            }
        }
        for (row, uid) in &places.uids {
            let app = groups.of_uid(*uid);
            apps.make_room(app);
            apps.row.push(*row);
            apps.of_row.push(app);
        }
        apps.keep(&groups.into_names());
        apps
    }

    /// Takes the names of those that have a row or were asked for, and leaves the others out: a page that is cut short has thousands.
    fn keep(&mut self, names: &[String]) {
        let mut is_kept = self.asked.clone();
        is_kept.resize(names.len(), false);
        for app in &self.of_row {
            is_kept[*app] = true;
        }
        let mut numbers = Vec::with_capacity(names.len());
        for (app, name) in names.iter().enumerate() {
            numbers.push(self.name.len());
            if is_kept[app] {
                self.name.push(clean(name));
            }
        }
        let mut kept = is_kept.iter();
        self.asked.retain(|_| kept.next() == Some(&true));
        let mut kept = is_kept.iter();
        self.recorder.retain(|_| kept.next() == Some(&true));
        for app in &mut self.of_row {
            *app = numbers[*app];
        }
    }

    /// Each thread of a process as a consumer of its own.
    fn threads_of(
        &mut self,
        process: usize,
        (ledger, groups): (&Ledger, &mut AppGroups<'_>),
        (places, records, of_several): (&Places, &Recorders, &BTreeSet<usize>),
    ) {
        for (at, thread) in ledger.rows.threads.iter().enumerate() {
            let Some(row) = places.threads.get(at).copied().flatten() else { continue };
            if thread.process as usize != process || of_several.contains(&row) {
                continue;
            }
            let app = groups.of_thread(thread.tid, &thread.name);
            self.make_room(app);
            self.recorder[app] |= records.is_thread(at);
            self.row.push(row);
            self.of_row.push(app);
        }
    }

    fn make_room(&mut self, app: usize) {
        let count = self.asked.len().max(app + 1);
        self.asked.resize(count, false);
        self.recorder.resize(count, false);
    }
}

/// Rows that several parts of a ledger have: those of what was left out, which are nobody's.
fn of_several(rows: &[Option<usize>]) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    rows.iter().flatten().copied().filter(|row| !seen.insert(*row)).collect()
}

/// Who has energy of recording, and who has other energy.
struct Recorders {
    /// By thread.
    records: Vec<bool>,
    /// By process.
    processes: Vec<Doing>,
}

/// The kinds of energy that the threads of a process have.
#[derive(Clone, Copy, Default)]
struct Doing {
    recording: bool,
    other: bool,
}

impl Recorders {
    fn new(ledger: &Ledger) -> Self {
        let rows = &ledger.rows;
        let mut of = Self {
            records: vec![false; rows.threads.len()],
            processes: vec![Doing::default(); rows.processes.len()],
        };
        for account in &rows.accounts {
            let (path, is_recording) = match account {
                Account::Recorder { path } => (*path, true),
                Account::Path { path } => (*path, false),
                _ => continue,
            };
            let Some(path) = rows.paths.get(path.0 as usize) else { continue };
            let Some(thread) = rows.threads.get(path.thread as usize) else { continue };
            if let Some(records) = of.records.get_mut(path.thread as usize) {
                *records |= is_recording;
            }
            if let Some(doing) = of.processes.get_mut(thread.process as usize) {
                doing.recording |= is_recording;
                doing.other |= !is_recording;
            }
        }
        of
    }

    fn is_thread(&self, thread: usize) -> bool {
        self.records.get(thread).copied().unwrap_or(false)
    }

    /// Whether a process does nothing but record.
    fn is_process(&self, process: usize) -> bool {
        self.processes.get(process).is_some_and(|doing| doing.recording && !doing.other)
    }
}
