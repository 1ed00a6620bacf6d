//! The journal of changes to a device, from which they are undone.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wattle_recording::StepFacts;

use crate::prepare::journal_entry::Entry;
use crate::prepare::journal_file::JournalFile;
use crate::prepare::{
    Before, Change, ConsoleAccess, LeftOver, Need, Preparation, Remains, Restoration, Undo,
    UndoOutcome,
};
use crate::{Cancel, Device, DeviceError};

/// Time to wait for a disconnected device.
const PATIENCE: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(500);

/// Changes a device, remembers what was there, and puts it back: when told to ([`Journal::restore`]), or at the latest
/// when it is dropped. What it cannot put back stays in its file for the next run ([`Journal::unfinished`]).
///
/// Putting back has a [`Cancel`] of its own ([`Journal::cancel`]), so what ended the run does not end it.
#[derive(Debug)]
pub struct Journal {
    device: Box<dyn Device>,
    console: Option<Arc<dyn ConsoleAccess>>,
    cancel: Cancel,
    /// Gone only while this is dropped.
    file: Option<JournalFile>,
    entries: BTreeMap<usize, Entry>,
    patience: Duration,
    /// Entries for what sources leave on the device until they are cleaned.
    remains: Vec<usize>,
    /// Everything that is open has been tried to be put back.
    tried: bool,
}

impl Journal {
    /// A journal for a run on a device, kept in a file of the folder, which is made where it is missing. `hardware` is
    /// what the device is known by when adb calls it something else ([`crate::facts::DeviceIdentity`]).
    ///
    /// Put back what [`Journal::unfinished`] gives first: else the state that a killed run has left counts as the one to
    /// be put back.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin(
        device: &dyn Device,
        hardware: &str,
        console: Option<Arc<dyn ConsoleAccess>>,
        folder: &Path,
    ) -> Result<Self, DeviceError> {
        let file = JournalFile::create(folder, device.serial(), hardware)?;
        Ok(Self::resumed(device, console, &Cancel::new(), file, BTreeMap::new()))
    }

    pub(crate) fn resumed(
        device: &dyn Device,
        console: Option<Arc<dyn ConsoleAccess>>,
        cancel: &Cancel,
        file: JournalFile,
        entries: BTreeMap<usize, Entry>,
    ) -> Self {
        Self {
            device: device.with_cancel(cancel.clone()),
            console,
            cancel: cancel.clone(),
            file: Some(file),
            entries,
            patience: PATIENCE,
            remains: Vec::new(),
            tried: false,
        }
    }

    /// Total time to wait for a disconnected device that is to be restored. Default is 15 s.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Ends the putting back (a second Ctrl-C): what is not done by then is left, and said.
    pub fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// The changes in order, with their results.
    pub fn steps(&self) -> Vec<StepFacts> {
        self.entries.values().map(Entry::facts).collect()
    }

    /// The commands by which a person undoes what is not undone yet, in their order.
    pub fn commands(&self) -> Vec<String> {
        let open = self.entries.values().rev().filter(|entry| entry.restored != Some(true));
        let serial = self.device.serial();
        open.filter_map(|entry| entry.undo.as_ref())
            .flat_map(|undo| undo.commands(serial))
            .collect()
    }

    /// Prepares the device. The `Cancel` of this device ends it; what was done until then will be undone.
    ///
    /// # Errors
    /// If something that somebody asked for cannot be done, the device is gone, or somebody asked to stop. Wishes that
    /// are not granted are in [`Journal::steps`].
    pub fn prepare(
        &mut self,
        device: &dyn Device,
        wanted: &Preparation,
    ) -> Result<(), DeviceError> {
        let console = self.console.clone();
        let changes = wanted.changes(console.as_deref());
        changes.iter().try_for_each(|change| self.perform(device, change.as_ref()))
    }

    /// Makes one change.
    pub(crate) fn perform(
        &mut self,
        device: &dyn Device,
        change: &dyn Change,
    ) -> Result<(), DeviceError> {
        let mut entry = Entry { what: change.description(), ..Entry::default() };
        let done = self.attempt(device, change, &mut entry);
        if let Err(error) = &done {
            entry.error = Some(error.to_string());
        }
        let number = self.number();
        // Where even remembering failed, there is no entry yet; a recording should still say what was tried.
        self.entries.entry(number).or_insert(entry);
        match done {
            Err(error @ (DeviceError::Cancelled | DeviceError::File { .. })) => Err(error),
            Err(error) if error.is_away() || change.need() == Need::Must => Err(error),
            Err(_) | Ok(()) => Ok(()),
        }
    }

    fn attempt(
        &mut self,
        device: &dyn Device,
        change: &dyn Change,
        entry: &mut Entry,
    ) -> Result<(), DeviceError> {
        let Before { state, undo, as_wanted } = change.look(device)?;
        entry.before = state;
        if as_wanted {
            entry.during.clone_from(&entry.before);
            return Ok(());
        }
        entry.undo = undo;
        // From here on the device may be changed, whatever happens: first it is remembered, then done.
        self.remember(entry)?;
        change.apply(device)?;
        let wanted = entry.undo.clone();
        entry.during = Some(change.verify(device, entry.undo.as_mut())?);
        if entry.undo != wanted {
            self.remember(entry)?;
        }
        Ok(())
    }

    /// Takes an entry for something that was done, or is about to be done, elsewhere.
    pub(crate) fn note(
        &mut self,
        what: String,
        state: [Option<String>; 2],
        undo: Option<Undo>,
    ) -> Result<usize, DeviceError> {
        let [before, during] = state;
        let entry = Entry { what, before, during, undo, ..Entry::default() };
        let number = self.number();
        self.remember(&entry)?;
        self.entries.insert(number, entry);
        Ok(number)
    }

    /// Takes an entry for what a source is about to leave on the device.
    ///
    /// # Errors
    /// If the file cannot be written: then nothing must be left on the device.
    pub(crate) fn expect(&mut self, remains: &Remains) -> Result<(), DeviceError> {
        let Remains { what, undo } = remains.clone();
        let number = self.note(what, [None, None], Some(undo))?;
        self.remains.push(number);
        Ok(())
    }

    /// The sources have removed what they had left.
    pub(crate) fn settle(&mut self) {
        for number in std::mem::take(&mut self.remains) {
            if self.entries.remove(&number).is_some()
                && let Some(file) = &mut self.file
            {
                // At worst the next run looks again.
                let _ = file.done(number);
            }
        }
    }

    fn remember(&mut self, entry: &Entry) -> Result<(), DeviceError> {
        self.tried = false;
        let number = self.number();
        match &mut self.file {
            Some(file) if entry.undo.is_some() => file.entry(number, entry),
            _ => Ok(()),
        }
    }

    /// The number of the next entry.
    fn number(&self) -> usize {
        self.entries.last_key_value().map_or(0, |(last, _)| last.saturating_add(1))
    }

    /// Puts everything back, newest change first, and goes on after what fails. Does nothing the second time, but for
    /// what failed the first time.
    pub fn restore(&mut self) -> Restoration {
        let mut restoration = Restoration::default();
        let mut patience = self.patience;
        let open: Vec<usize> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.undo.is_some() && entry.restored != Some(true))
            .map(|(number, _)| *number)
            .rev()
            .collect();
        for number in open {
            let Some(undo) = self.entries.get(&number).and_then(|entry| entry.undo.clone()) else {
                continue;
            };
            let outcome = self.undo(&undo, &mut patience);
            self.book(number, &undo, outcome, &mut restoration);
        }
        self.tried = true;
        restoration
    }

    /// Undoes one change; a device that is away is waited for until patience ends.
    fn undo(&self, undo: &Undo, patience: &mut Duration) -> Result<UndoOutcome, DeviceError> {
        loop {
            let begun = Instant::now();
            match undo.restore(self.device.as_ref(), self.console.as_deref()) {
                Err(error) if error.is_away() && !patience.is_zero() => {
                    self.cancel.sleep(PAUSE.min(*patience))?;
                    *patience = patience.saturating_sub(begun.elapsed());
                }
                outcome => return outcome,
            }
        }
    }

    fn book(
        &mut self,
        number: usize,
        undo: &Undo,
        outcome: Result<UndoOutcome, DeviceError>,
        restoration: &mut Restoration,
    ) {
        let Some(entry) = self.entries.get_mut(&number) else { return };
        let (restored, reason, changed_by_others) = match outcome {
            Ok(UndoOutcome::Back) => (true, None, false),
            Ok(UndoOutcome::Changed(found)) => {
                let reason =
                    format!("changed to {found} by someone else in the meantime; left unchanged");
                (false, Some(reason), true)
            }
            Err(error) => (false, Some(format!("not restored: {error}")), false),
        };
        entry.restored = Some(restored);
        match reason {
            None => restoration.put_back = restoration.put_back.saturating_add(1),
            Some(reason) => {
                restoration.left.push(LeftOver {
                    what: entry.what.clone(),
                    before: entry.before.clone(),
                    reason: reason.clone(),
                    changed_by_others,
                    commands: undo.commands(self.device.serial()),
                });
                entry.error = Some(reason);
            }
        }
        if restored || changed_by_others {
            if changed_by_others {
                entry.undo = None;
            }
            if let Some(file) = &mut self.file {
                // The device is as it should be; at worst the next run looks again.
                let _ = file.done(number);
            }
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if !self.tried {
            // Nobody is left who could be told: what fails stays in the file.
            self.restore();
        }
        let is_open = |entry: &Entry| entry.undo.is_some() && entry.restored != Some(true);
        if let Some(file) = self.file.take()
            && !self.entries.values().any(is_open)
        {
            file.remove();
        }
    }
}
