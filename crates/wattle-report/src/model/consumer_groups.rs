//! Apps and other programs as consumers: which processes and uids are one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use wattle_ledger::{Ledger, ProcessEntry};
use wattle_timeline::{Uid, process_base};

use super::{ProcessRow, uid_names};

/// Apps and other programs by number. An app is all processes of an installed app's uid, isolated ones included; any other program is its
/// processes of one name.
pub(crate) struct AppGroups<'a> {
    ledger: &'a Ledger,
    names: Vec<String>,
    numbers: BTreeMap<Key, usize>,
    of_process: Vec<usize>,
}

/// Processes with the same key are one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Uid(u32),
    Name(String),
}

impl<'a> AppGroups<'a> {
    /// Those of all processes of a ledger, in their order.
    pub fn new(ledger: &'a Ledger) -> Self {
        let uids = uids_by_name(ledger);
        let mut groups =
            Self { ledger, names: Vec::new(), numbers: BTreeMap::new(), of_process: Vec::new() };
        for process in &ledger.rows.processes {
            let number = groups.number(key(process, &uids), &name(process));
            groups.of_process.push(number);
        }
        groups
    }

    /// The number of a process's, by its index into the ledger's processes.
    pub fn of_process(&self, process: usize) -> Option<usize> {
        self.of_process.get(process).copied()
    }

    /// The number of an app's of which the uid is known; a new one if no process has that uid.
    pub fn of_uid(&mut self, uid: u32) -> usize {
        let listed = self.ledger.rows.packages.iter().find(|package| package.uid == uid);
        let name = match listed.filter(|_| Uid(uid).is_app()) {
            Some(package) => package.name.clone(),
            None => uid_names::name(self.ledger, Uid(uid)),
        };
        self.number(Key::Uid(uid), &name)
    }

    /// The number of a thread of which the process is not known.
    pub fn of_thread(&mut self, tid: u32, name: &str) -> usize {
        let title = format!("{name} (thread {tid})");
        self.number(Key::Name(title.clone()), &title)
    }

    /// The names, by number.
    pub fn into_names(self) -> Vec<String> {
        self.names
    }

    fn number(&mut self, key: Key, name: &str) -> usize {
        *self.numbers.entry(key).or_insert_with(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }
}

fn name(process: &ProcessEntry) -> Cow<'_, str> {
    if let Some(package) = &process.package {
        return Cow::Borrowed(package);
    }
    let title = ProcessRow::title_of(process.pid, &process.name);
    match title {
        Cow::Borrowed(title) if !title.starts_with('/') && !title.contains(' ') => {
            Cow::Borrowed(process_base(title))
        }
        title => title,
    }
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
        None => Key::Name(name(process).into_owned()),
    }
}
