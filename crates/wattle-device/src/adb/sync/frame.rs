//! The frames that all sync requests are made of: `<id, four letters><number, 32 bits, little endian>`.

use crate::DeviceError;
use crate::adb::adb_limits::Deadline;
use crate::adb::link::Link;
use crate::adb::{AdbServer, Features};

/// The four letters of a frame.
pub(super) type Id = [u8; 4];

/// The most bytes of one piece of a file (`SYNC_DATA_MAX`).
pub(super) const LARGEST_PIECE: usize = 64 * 1024;

/// The longest path that a device takes (`SyncRequest::path_length`).
const LONGEST_PATH: usize = 1024;

/// The longest reason that is read, bytes.
const LONGEST_REASON: u32 = 16 * 1024;

/// A connection to a device's sync service.
#[derive(Debug)]
pub(in crate::adb) struct SyncSession {
    pub(super) link: Link,
    pub(super) deadline: Deadline,
    pub(super) features: Features,
}

impl SyncSession {
    /// Opens the service for one task, described for a sentence.
    pub(in crate::adb) fn open(
        server: &AdbServer,
        serial: &str,
        features: &Features,
        what: &str,
    ) -> Result<Self, DeviceError> {
        let mut link = server.transport(serial, what)?;
        link.ask("sync:", &server.deadline(what))?;
        let deadline = Deadline::new(what, server.limits().file);
        Ok(Self { link, deadline, features: features.clone() })
    }

    /// Sends a request about a path.
    pub(super) fn request(&mut self, id: Id, path: &str) -> Result<(), DeviceError> {
        if path.len() > LONGEST_PATH {
            return Err(DeviceError::TooLong {
                what: format!("{}: the path", self.deadline.what),
                limit: LONGEST_PATH as u64,
            });
        }
        let mut bytes = frame(id, path.len() as u32).to_vec();
        bytes.extend_from_slice(path.as_bytes());
        self.link.write_all(&bytes, &self.deadline)
    }

    /// Reads so many bytes, no more than a structure of the protocol has.
    pub(super) fn read<const N: usize>(&mut self) -> Result<[u8; N], DeviceError> {
        let mut bytes = [0; N];
        self.link.read_exact(&mut bytes, &self.deadline)?;
        Ok(bytes)
    }

    /// Reads the next frame.
    ///
    /// # Errors
    /// [`DeviceError::Refused`] if it is `FAIL`, with the device's reason.
    pub(super) fn frame(&mut self) -> Result<(Id, u32), DeviceError> {
        let [a, b, c, d, number @ ..] = self.read::<8>()?;
        let (id, number) = ([a, b, c, d], u32::from_le_bytes(number));
        if &id == b"FAIL" { Err(self.refused(number)?) } else { Ok((id, number)) }
    }

    /// Reads the reason of a refusal.
    pub(super) fn refused(&mut self, length: u32) -> Result<DeviceError, DeviceError> {
        if length > LONGEST_REASON {
            return Err(self.garbled("a reason of at most 16 KiB", &length.to_le_bytes()));
        }
        let mut reason = vec![0; length as usize];
        self.link.read_exact(&mut reason, &self.deadline)?;
        Ok(DeviceError::Refused {
            what: self.deadline.what.clone(),
            said: String::from_utf8_lossy(&reason).into_owned(),
        })
    }

    pub(super) fn garbled(&self, expected: &'static str, found: &[u8]) -> DeviceError {
        self.link.garbled(&self.deadline, expected, found)
    }
}

/// A frame's bytes.
pub(super) fn frame(id: Id, number: u32) -> [u8; 8] {
    let [a, b, c, d] = id;
    let [e, f, g, h] = number.to_le_bytes();
    [a, b, c, d, e, f, g, h]
}
