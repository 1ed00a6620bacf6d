//! Which part of a ledger is exported.

use wattle_ledger::{Ledger, ProcessEntry, ThreadEntry};

/// A filter of threads; an empty list selects nothing by itself. Threads that fit each of the lists that are not empty
/// are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Packages of apps.
    pub apps: Vec<String>,
    /// Processes by name or pid.
    pub processes: Vec<String>,
    /// Threads by name or tid.
    pub threads: Vec<String>,
}

impl Filter {
    /// Whether it asks for nothing, so that all is exported.
    pub fn is_empty(&self) -> bool {
        self.apps.is_empty() && self.processes.is_empty() && self.threads.is_empty()
    }

    /// Whether a thread is asked for.
    pub fn keeps(&self, process: &ProcessEntry, thread: &ThreadEntry) -> bool {
        let is_of_app = |app: &String| {
            let is_process = process.name == *app || process.name.starts_with(&format!("{app}:"));
            process.package.as_ref() == Some(app) || is_process
        };
        let asked = |words: &[String], name: &str, number: Option<u32>| {
            let is = |word: &String| {
                word == name || word.parse().ok().is_some_and(|n| number == Some(n))
            };
            words.is_empty() || words.iter().any(is)
        };
        (self.apps.is_empty() || self.apps.iter().any(is_of_app))
            && asked(&self.processes, &process.name, process.pid)
            && asked(&self.threads, &thread.name, Some(thread.tid))
    }

    /// Whether an app that pays as a whole is asked for: by its package, if no thread is asked for.
    pub fn keeps_app(&self, ledger: &Ledger, uid: u32) -> bool {
        let mut packages = ledger.rows.packages.iter().filter(|package| package.uid == uid);
        self.processes.is_empty()
            && self.threads.is_empty()
            && packages.any(|package| self.apps.contains(&package.name))
    }
}
