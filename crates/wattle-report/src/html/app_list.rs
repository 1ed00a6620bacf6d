//! Apps of a page: the consumers that a reader selects.

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
        let records = recorders(ledger);
        for at in 0..ledger.rows.processes.len() {
            let Some(app) = groups.of_process(at) else { continue };
            apps.make_room(app);
            apps.asked[app] |= asked.get(at).copied().unwrap_or(false);
            apps.recorder[app] |= records.get(at).copied().unwrap_or(false);
            if let Some(row) = places.processes.get(at).copied().flatten() {
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
        apps.name = groups.into_names().iter().map(|name| clean(name)).collect();
        apps
    }

    fn make_room(&mut self, app: usize) {
        let count = self.asked.len().max(app + 1);
        self.asked.resize(count, false);
        self.recorder.resize(count, false);
    }
}

/// By process: whether the energy of a thread of it is that of the recorder.
fn recorders(ledger: &Ledger) -> Vec<bool> {
    let mut records = vec![false; ledger.rows.processes.len()];
    for account in &ledger.rows.accounts {
        let Account::Recorder { path } = account else { continue };
        let path = ledger.rows.paths.get(path.0 as usize);
        let thread = path.and_then(|path| ledger.rows.threads.get(path.thread as usize));
        if let Some(of) = thread.and_then(|thread| records.get_mut(thread.process as usize)) {
            *of = true;
        }
    }
    records
}
