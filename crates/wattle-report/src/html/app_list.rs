//! Apps of a page: the consumers that a reader selects.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_ledger::{Account, Ledger, ProcessEntry};
use wattle_timeline::{Uid, process_base};

use super::tree::Places;
use crate::clean::clean;
use crate::model::ProcessRow;

/// Apps and other programs. An app is all processes of an installed app's uid; any other program is its processes of one name.
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

/// Apps with the same key are one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Uid(u32),
    Name(String),
}

impl Apps {
    /// The apps of a ledger; `asked` has those processes that the reader asked for.
    pub fn new(ledger: &Ledger, asked: &[bool], places: &Places) -> Self {
        let uids = uids_by_name(ledger);
        let mut apps = Self::default();
        let mut known: BTreeMap<Key, usize> = BTreeMap::new();
        let records = recorders(ledger);
        for (at, process) in ledger.rows.processes.iter().enumerate() {
            let key = key(process, &uids);
            let app = apps.number(key, name(process), &mut known);
            apps.asked[app] |= asked.get(at).copied().unwrap_or(false);
            apps.recorder[app] |= records.get(at).copied().unwrap_or(false);
            if let Some(row) = places.processes.get(at).copied().flatten() {
                apps.row.push(row);
                apps.of_row.push(app);
            }
        }
        for (row, uid) in &places.uids {
            let listed = ledger.rows.packages.iter().find(|package| package.uid == *uid);
            let name = listed.map_or_else(|| format!("uid {uid}"), |package| package.name.clone());
            let app = apps.number(Key::Uid(*uid), &name, &mut known);
            apps.row.push(*row);
            apps.of_row.push(app);
        }
        apps
    }

    fn number(&mut self, key: Key, name: &str, known: &mut BTreeMap<Key, usize>) -> usize {
        *known.entry(key).or_insert_with(|| {
            self.name.push(clean(name));
            self.asked.push(false);
            self.recorder.push(false);
            self.name.len() - 1
        })
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

fn name(process: &ProcessEntry) -> &str {
    if let Some(package) = &process.package {
        return package;
    }
    let title = ProcessRow::title_of(process.pid, &process.name);
    if title.starts_with('/') || title.contains(' ') { title } else { process_base(title) }
}

fn app_uid(process: &ProcessEntry) -> Option<u32> {
    process.uid.filter(|uid| Uid(*uid).is_app() && !Uid(*uid).is_isolated())
}

/// The uids of installed apps by the names of their processes and packages, for isolated processes.
fn uids_by_name(ledger: &Ledger) -> BTreeMap<&str, u32> {
    let mut uids = BTreeMap::new();
    for process in &ledger.rows.processes {
        if let Some(uid) = app_uid(process) {
            uids.insert(process_base(&process.name), uid);
            uids.extend(process.package.as_deref().map(|package| (package, uid)));
        }
    }
    uids
}

fn key(process: &ProcessEntry, uids: &BTreeMap<&str, u32>) -> Key {
    let isolated = || uids.get(process_base(&process.name)).copied();
    match app_uid(process).or_else(isolated) {
        Some(uid) => Key::Uid(uid),
        None => Key::Name(name(process).to_owned()),
    }
}
