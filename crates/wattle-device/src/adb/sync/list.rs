//! The files of a folder (`LIST`, `LIS2`).

use super::frame::SyncSession;
use crate::{DeviceError, FileFacts};

/// The longest name of a file that is read; Linux allows 255 bytes.
const LONGEST_NAME: u32 = 4096;

/// The most files of a folder that are read.
const MOST_FILES: usize = 200_000;

impl SyncSession {
    /// The files of a folder, sorted by name, without `.` and `..`; empty where there is no folder.
    pub(in crate::adb) fn list(mut self, folder: &str) -> Result<Vec<FileFacts>, DeviceError> {
        let newer = self.features.list_v2();
        self.request(if newer { *b"LIS2" } else { *b"LIST" }, folder)?;
        let mut files = Vec::new();
        loop {
            let (id, first) = self.frame()?;
            match (&id, newer) {
                (b"DNT2", true) | (b"DENT", false) => {}
                (b"DONE", _) => break,
                _ => return Err(self.garbled("an entry of a folder or DONE", &id)),
            }
            let mut file = if newer { self.facts_v2("")? } else { self.entry_v1(first)? };
            let length = u32::from_le_bytes(self.read()?);
            if length > LONGEST_NAME {
                return Err(self.garbled("a name of at most 4 KiB", &length.to_le_bytes()));
            }
            let mut name = vec![0; length as usize];
            self.link.read_exact(&mut name, &self.deadline)?;
            file.name = String::from_utf8_lossy(&name).into_owned();
            if file.name == "." || file.name == ".." {
                continue;
            }
            if files.len() >= MOST_FILES {
                return Err(DeviceError::TooLong {
                    what: format!("{}: the list", self.deadline.what),
                    limit: MOST_FILES as u64,
                });
            }
            files.push(file);
            self.deadline.moved();
        }
        files.sort_by(|a: &FileFacts, b| a.name.cmp(&b.name));
        Ok(files)
    }

    /// `sync_dent_v1` behind its id and mode: size, time of change.
    fn entry_v1(&mut self, mode: u32) -> Result<FileFacts, DeviceError> {
        let bytes = u64::from(u32::from_le_bytes(self.read()?));
        let modified = i64::from(u32::from_le_bytes(self.read()?));
        Ok(FileFacts { name: String::new(), mode, bytes, modified })
    }
}
