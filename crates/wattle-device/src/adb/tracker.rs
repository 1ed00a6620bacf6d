//! Devices coming and going.

use std::time::Duration;

use super::AttachedDevice;
use super::adb_limits::Deadline;
use super::link::{Link, Ready};
use super::request::hex_length;
use crate::DeviceError;

/// A list of devices each time that one comes, goes or changes (`host:track-devices-l`). Dropping it ends it.
#[derive(Debug)]
pub struct DeviceTracker {
    link: Link,
    /// Bytes received of the next message.
    pending: Vec<u8>,
}

impl DeviceTracker {
    pub(super) const fn new(link: Link) -> Self {
        Self { link, pending: Vec::new() }
    }

    /// The next list; the first comes at once. `None` if nothing changed within the time.
    ///
    /// # Errors
    /// [`DeviceError::Disconnected`] if the server ended, [`DeviceError::Cancelled`], [`DeviceError::Garbled`].
    pub fn next(&mut self, patience: Duration) -> Result<Option<Vec<AttachedDevice>>, DeviceError> {
        let deadline = Deadline::new("watching for devices", patience);
        loop {
            if let Some(list) = self.complete(&deadline)? {
                return Ok(Some(AttachedDevice::parse_list(&list)));
            }
            let mut chunk = [0; 4096];
            match self.link.attempt_read(&mut chunk, &deadline)? {
                Ready::Bytes(0) => return Err(self.link.gone(&deadline)),
                Ready::Bytes(count) => {
                    self.pending.extend_from_slice(chunk.get(..count).unwrap_or_default());
                }
                Ready::Nothing if deadline.left().is_zero() => return Ok(None),
                Ready::Nothing => {}
            }
        }
    }

    /// Takes a whole message off. No message is longer than four hex digits say.
    fn complete(&mut self, deadline: &Deadline) -> Result<Option<String>, DeviceError> {
        let Some((digits, rest)) = self.pending.split_first_chunk::<4>() else { return Ok(None) };
        let Some(length) = hex_length(*digits) else {
            return Err(self.link.garbled(deadline, "a length of four hex digits", digits));
        };
        let Some(text) = rest.get(..length) else { return Ok(None) };
        let text = String::from_utf8_lossy(text).into_owned();
        self.pending.drain(..length.saturating_add(4));
        Ok(Some(text))
    }
}
