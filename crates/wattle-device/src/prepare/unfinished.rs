//! Journals of runs that were killed.

use std::collections::BTreeMap;
use std::sync::Arc;

use wattle_recording::StepFacts;

use crate::facts::DeviceIdentity;
use crate::prepare::journal_entry::Entry;
use crate::prepare::journal_file::{Header, JournalFile, Reopened};
use crate::prepare::{ConsoleAccess, Journal, Restoration};
use crate::{Cancel, Device};

/// The changes that a killed run left on a device.
#[derive(Debug)]
pub struct Unfinished {
    serial: String,
    hardware: Option<String>,
    started_host_ns: i64,
    file: JournalFile,
    entries: BTreeMap<usize, Entry>,
    unread: usize,
}

impl Unfinished {
    pub(super) fn new(reopened: Reopened) -> Self {
        let Reopened { header, file, entries, unread } = reopened;
        let Header { serial, hardware, started_host_ns, .. } = header;
        Self { serial, hardware, started_host_ns, file, entries, unread }
    }

    /// Lines of its journal that are damaged: changes that nobody knows of any more.
    pub const fn unread_lines(&self) -> usize {
        self.unread
    }

    /// adb's name of the device when it was left.
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// Whether this is the device that was left, whatever adb calls it now.
    pub fn is_of(&self, device: &dyn Device, identity: &DeviceIdentity) -> bool {
        match &self.hardware {
            Some(hardware) => *hardware == identity.hardware,
            None => self.serial == device.serial(),
        }
    }

    /// When that run began: the host's wall clock, Unix nanoseconds.
    pub const fn started_host_ns(&self) -> i64 {
        self.started_host_ns
    }

    /// The changes that are still to be undone.
    pub fn steps(&self) -> Vec<StepFacts> {
        self.entries.values().map(Entry::facts).collect()
    }

    /// The commands by which a person undoes it, in their order.
    pub fn commands(&self) -> Vec<String> {
        let undos = self.entries.values().rev().filter_map(|entry| entry.undo.as_ref());
        undos.flat_map(|undo| undo.commands(&self.serial)).collect()
    }

    /// Puts the device back, as the run that was killed would have done.
    pub fn resume_restore(
        self,
        device: &dyn Device,
        console: Option<Arc<dyn ConsoleAccess>>,
        cancel: &Cancel,
    ) -> Restoration {
        Journal::resumed(device, console, cancel, self.file, self.entries).restore()
    }

    /// Forgets it: somebody has put the device back by hand, or it is no more.
    pub fn forget(self) {
        self.file.remove();
    }
}
