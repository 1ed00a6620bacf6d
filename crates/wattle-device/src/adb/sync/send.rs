//! Files to a device (`SEND`, `SND2`).

use std::io::Read;
use std::time::SystemTime;

use super::frame::{LARGEST_PIECE, SyncSession, frame};
use crate::DeviceError;
use crate::adb::link::Ready;

/// `S_IFREG`: an ordinary file.
const ORDINARY: u32 = 0o100_000;

impl SyncSession {
    /// Writes a file on the device, with these permissions, changed at this time. Gives the number of bytes.
    pub(in crate::adb) fn send(
        mut self,
        from: &mut dyn Read,
        path: &str,
        mode: u32,
        modified: SystemTime,
    ) -> Result<u64, DeviceError> {
        let mode = ORDINARY | (mode & 0o7777);
        if self.features.send_receive_v2() {
            self.request(*b"SND2", path)?;
            let mut setup = frame(*b"SND2", mode).to_vec();
            // No compression.
            setup.extend_from_slice(&0_u32.to_le_bytes());
            self.link.write_all(&setup, &self.deadline)?;
        } else {
            self.request(*b"SEND", &format!("{path},{mode}"))?;
        }
        let mut message = vec![0; LARGEST_PIECE.saturating_add(8)];
        let mut total: u64 = 0;
        loop {
            let (header, piece) = message.split_at_mut(8);
            let length = match from.read(piece) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(source) => return Err(self.failed_here(source)),
            };
            header.copy_from_slice(&frame(*b"DATA", length as u32));
            self.write(message.get(..length.saturating_add(8)).unwrap_or_default())?;
            total = total.saturating_add(length as u64);
            self.deadline.moved();
        }
        let seconds = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        self.write(&frame(*b"DONE", u32::try_from(seconds).unwrap_or(u32::MAX)))?;
        self.deadline.moved();
        match self.frame()? {
            (id, _) if &id == b"OKAY" => Ok(total),
            (id, _) => Err(self.garbled("OKAY or FAIL", &id)),
        }
    }

    /// Writes while looking for a refusal: a device that is full says so in the middle and may then stop reading.
    fn write(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            // Before each piece and never behind the last: the answer to the whole file is not early.
            let mut first = [0; 1];
            match self.link.poll(&mut first, &self.deadline)? {
                Ready::Nothing => {}
                Ready::Bytes(0) => return Err(self.link.gone(&self.deadline)),
                Ready::Bytes(_) => return Err(self.early_answer(first)),
            }
            match self.link.attempt_write(rest, &self.deadline)? {
                Ready::Bytes(0) => return Err(self.early_end()),
                Ready::Bytes(count) => rest = rest.get(count..).unwrap_or_default(),
                Ready::Nothing => self.deadline.check()?,
            }
        }
        Ok(())
    }

    /// The connection is closed for writing; a reason may still be there to read.
    fn early_end(&mut self) -> DeviceError {
        match self.read::<1>() {
            Ok(first) => self.early_answer(first),
            Err(error) => error,
        }
    }

    /// The device spoke before the file was whole, which only a refusal does.
    fn early_answer(&mut self, first: [u8; 1]) -> DeviceError {
        let answer = self.read::<7>().and_then(|rest| {
            let ([a], [b, c, d, number @ ..]) = (first, rest);
            if &[a, b, c, d] == b"FAIL" {
                self.refused(u32::from_le_bytes(number))
            } else {
                Ok(self.garbled("FAIL or nothing before the end of the file", &[a, b, c, d]))
            }
        });
        answer.unwrap_or_else(|error| error)
    }
}
