//! The journal's file on this machine, from which the next run puts back what a killed one left.
//!
//! One JSON object a line, only ever appended, so that a line cut short by a crash loses nothing but itself. The first is
//! a [`Header`], then come entries (`{"entry": …}`; a later one with the same number takes its place) and ends of entries
//! (`{"done": number}`). The file is locked while its program lives, and removed when nothing is left to do.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::DeviceError;
use crate::host_clock::unix_nanos;
use crate::prepare::journal_entry::Entry;

/// Real ones have kilobytes.
const MAX_BYTES: u64 = 8 << 20;
pub(super) const EXTENSION: &str = "restore";

/// Whose journal it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    wattle_restore: u32,
    /// adb's name of the device then.
    pub(super) serial: String,
    /// The hardware, whatever adb calls it. Absent in journals of the first versions.
    #[serde(default)]
    pub(super) hardware: Option<String>,
    pub(super) started_host_ns: i64,
}

/// A journal that is read again.
pub(super) struct Reopened {
    pub(super) header: Header,
    pub(super) file: JournalFile,
    pub(super) entries: BTreeMap<usize, Entry>,
    /// Lines that are no entries, but the last, which a crash may have cut short.
    pub(super) unread: usize,
}

/// The state of a journal's file.
pub(super) enum JournalState {
    /// Nothing is left to do about it, or its program lives.
    Settled,
    /// It does not say of which device it is.
    Damaged,
    /// Its program lives no more, and has left changes.
    Unfinished(Reopened),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Entry { number: usize, entry: Entry },
    Done(usize),
}

/// The open file of a journal.
#[derive(Debug)]
pub(crate) struct JournalFile {
    path: PathBuf,
    file: File,
}

/// Whether a text is the beginning of a first line, of a program that died while it wrote it.
fn is_cut_header(text: &str) -> bool {
    const BEGIN: &str = "{\"wattle_restore\"";
    !text.contains('\n') && (text.starts_with(BEGIN) || BEGIN.starts_with(text))
}

impl JournalFile {
    /// A new file for a device, locked.
    pub(crate) fn create(folder: &Path, serial: &str, hardware: &str) -> Result<Self, DeviceError> {
        fs::create_dir_all(folder)
            .map_err(|source| DeviceError::File { path: folder.to_owned(), source })?;
        let started_host_ns = unix_nanos();
        let name: String = hardware
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .take(64)
            .collect();
        let process = std::process::id();
        let path = folder.join(format!("{name}-{process}-{started_host_ns}.{EXTENSION}"));
        let error = |source| DeviceError::File { path: path.clone(), source };
        let file =
            File::options().create_new(true).read(true).append(true).open(&path).map_err(error)?;
        file.try_lock().map_err(|source| error(source.into()))?;
        let header = Header {
            wattle_restore: 1,
            serial: serial.to_owned(),
            hardware: Some(hardware.to_owned()),
            started_host_ns,
        };
        let mut journal = Self { path, file };
        journal.write(&header)?;
        Ok(journal)
    }

    /// Remembers an entry, and that it is on the disk before the device is touched.
    pub(crate) fn entry(&mut self, number: usize, entry: &Entry) -> Result<(), DeviceError> {
        self.write(&Line::Entry { number, entry: entry.clone() })
    }

    /// Remembers that nothing is left to do about an entry.
    pub(crate) fn done(&mut self, number: usize) -> Result<(), DeviceError> {
        self.write(&Line::Done(number))
    }

    /// The file of a journal, locked if its program lives no more.
    pub(super) fn reopen(path: &Path) -> JournalState {
        let Ok(file) = File::options().read(true).append(true).open(path) else {
            return JournalState::Damaged;
        };
        // A lock means that the run still goes on, or that another one is putting the device back.
        if file.try_lock().is_err() {
            return JournalState::Settled;
        }
        // From here on the lock goes with it, whatever is found.
        let file = Self { path: path.to_owned(), file };
        let mut bytes = Vec::new();
        if (&file.file).take(MAX_BYTES).read_to_end(&mut bytes).is_err() {
            return JournalState::Damaged;
        }
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.lines();
        let header = lines.next().map(serde_json::from_str::<Header>);
        let header = match header {
            // The program died before it did anything.
            None => {
                file.remove();
                return JournalState::Settled;
            }
            Some(Err(_)) if is_cut_header(&text) => {
                file.remove();
                return JournalState::Settled;
            }
            Some(Err(_)) => return JournalState::Damaged,
            Some(Ok(header)) => header,
        };
        let mut entries = BTreeMap::new();
        let mut unread = 0;
        let mut lines = lines.peekable();
        while let Some(line) = lines.next() {
            match serde_json::from_str(line) {
                Ok(Line::Entry { number, entry }) => {
                    entries.insert(number, entry);
                }
                Ok(Line::Done(number)) => {
                    entries.remove(&number);
                }
                Err(_) => unread += usize::from(lines.peek().is_some()),
            }
        }
        entries.retain(|_, entry: &mut Entry| entry.undo.is_some());
        if entries.is_empty() && unread == 0 {
            file.remove();
            return JournalState::Settled;
        }
        JournalState::Unfinished(Reopened { header, file, entries, unread })
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), DeviceError> {
        let error = |source| DeviceError::File { path: self.path.clone(), source };
        let mut text = serde_json::to_vec(line).map_err(|source| error(source.into()))?;
        text.push(b'\n');
        self.file.write_all(&text).map_err(error)?;
        self.file.sync_data().map_err(error)
    }

    /// Nothing is left to do.
    pub(crate) fn remove(self) {
        // A file that stays is read again by the next run, which finds everything undone.
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for JournalFile {
    fn drop(&mut self) {
        // Closing is not enough: a child process that another thread is starting at this moment has a copy of the
        // descriptor until it executes its program, and would keep the lock for so long.
        let _ = self.file.unlock();
    }
}
