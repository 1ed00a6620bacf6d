//! Files from a device (`RECV`, `RCV2`).

use std::io::Write;

use super::frame::{LARGEST_PIECE, SyncSession, frame};
use crate::DeviceError;

impl SyncSession {
    /// Copies a file of the device. Gives the number of bytes.
    pub(in crate::adb) fn receive(
        mut self,
        path: &str,
        into: &mut dyn Write,
    ) -> Result<u64, DeviceError> {
        if self.features.send_receive_v2() {
            self.request(*b"RCV2", path)?;
            // The second half of the request: no compression.
            self.link.write_all(&frame(*b"RCV2", 0), &self.deadline)?;
        } else {
            self.request(*b"RECV", path)?;
        }
        let mut piece = vec![0; LARGEST_PIECE];
        let mut total: u64 = 0;
        loop {
            let (id, length) = self.frame()?;
            match &id {
                b"DONE" => break,
                b"DATA" => {}
                other => return Err(self.garbled("DATA, DONE or FAIL", other)),
            }
            let Some(piece) = piece.get_mut(..length as usize) else {
                return Err(self.garbled("at most 64 KiB in a piece", &length.to_le_bytes()));
            };
            self.link.read_exact(piece, &self.deadline)?;
            into.write_all(piece).map_err(|source| self.failed_here(source))?;
            total = total.saturating_add(u64::from(length));
            self.deadline.moved();
        }
        into.flush().map_err(|source| self.failed_here(source))?;
        Ok(total)
    }

    pub(super) fn failed_here(&self, source: std::io::Error) -> DeviceError {
        DeviceError::Copy { what: self.deadline.what.clone(), source }
    }
}
