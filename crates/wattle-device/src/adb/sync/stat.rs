//! Facts about a path (`STAT`, `STA2`).

use super::frame::SyncSession;
use crate::{DeviceError, FileFacts};

/// `S_IFMT` and `S_IFLNK`.
const KIND: u32 = 0o170_000;
const LINK: u32 = 0o120_000;

/// The reasons for "nothing there", as they are sent (`errno_to_wire` in adb's `adb_io.cpp`: Linux's numbers).
const NO_ENTRY: u32 = 2;
const NO_FOLDER: u32 = 20;

impl SyncSession {
    /// Returns the facts about a path, following links; `None` if there is nothing. Version 1 of the protocol knows
    /// neither sizes above 4 GiB nor why a path cannot be read: such sizes read as smaller, such paths as absent.
    pub(in crate::adb) fn stat(mut self, path: &str) -> Result<Option<FileFacts>, DeviceError> {
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if self.features.stat_v2() {
            return self.stat_v2(path, name);
        }
        let facts = self.stat_v1(path, name)?;
        match facts {
            // Version 1 stops at a link. Only a link to a folder has something behind `/.`.
            Some(facts) if facts.mode & KIND == LINK => {
                let behind = self.stat_v1(&format!("{path}/."), name)?;
                Ok(Some(behind.unwrap_or(facts)))
            }
            facts => Ok(facts),
        }
    }

    /// `sync_stat_v1`: id, mode, size, time of change.
    fn stat_v1(&mut self, path: &str, name: &str) -> Result<Option<FileFacts>, DeviceError> {
        self.request(*b"STAT", path)?;
        let (id, mode) = self.frame()?;
        if &id != b"STAT" {
            return Err(self.garbled("STAT", &id));
        }
        let bytes = u32::from_le_bytes(self.read()?);
        let modified = u32::from_le_bytes(self.read()?);
        Ok((mode != 0).then(|| FileFacts {
            name: name.to_owned(),
            mode,
            bytes: u64::from(bytes),
            modified: i64::from(modified),
        }))
    }

    /// `sync_stat_v2`: id, error, and the facts.
    fn stat_v2(&mut self, path: &str, name: &str) -> Result<Option<FileFacts>, DeviceError> {
        self.request(*b"STA2", path)?;
        let (id, error) = self.frame()?;
        if &id != b"STA2" {
            return Err(self.garbled("STA2", &id));
        }
        let facts = self.facts_v2(name)?;
        match error {
            0 => Ok(Some(facts)),
            NO_ENTRY | NO_FOLDER => Ok(None),
            other => {
                Err(DeviceError::Refused { what: self.deadline.what.clone(), said: reason(other) })
            }
        }
    }

    /// Reads the fields that both `sync_stat_v2` and `sync_dent_v2` have after id and error: device and inode (64 bits
    /// each), mode, link count, user, group (32), size, times of access, change and status change (64).
    pub(super) fn facts_v2(&mut self, name: &str) -> Result<FileFacts, DeviceError> {
        let _device_and_inode: [u8; 16] = self.read()?;
        let mode = u32::from_le_bytes(self.read()?);
        let _links_user_group: [u8; 12] = self.read()?;
        let bytes = u64::from_le_bytes(self.read()?);
        let _accessed: [u8; 8] = self.read()?;
        let modified = i64::from_le_bytes(self.read()?);
        let _status_changed: [u8; 8] = self.read()?;
        Ok(FileFacts { name: name.to_owned(), mode, bytes, modified })
    }
}

/// A Linux error number in words.
fn reason(number: u32) -> String {
    match number {
        1 | 13 => "permission denied".to_owned(),
        5 => "input/output error".to_owned(),
        36 => "the name is too long".to_owned(),
        40 => "too many links behind each other".to_owned(),
        other => format!("error {other} of the device"),
    }
}
