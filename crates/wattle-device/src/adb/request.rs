//! The smart-socket words of the adb server: `<4 hex digits of length><text>`, answered by `OKAY` or `FAIL<length><text>`.
//!
//! Source: AOSP `packages/modules/adb`, `docs/dev/services.md` and `adb_io.cpp`.

use super::adb_limits::Deadline;
use super::link::Link;
use crate::DeviceError;

impl Link {
    /// Sends a request and waits for its `OKAY`.
    ///
    /// # Errors
    /// [`DeviceError::Refused`] with adb's text.
    pub(super) fn ask(&mut self, request: &str, deadline: &Deadline) -> Result<(), DeviceError> {
        // Four hex digits say no more. It is also below what one packet to a device holds since Android 7 (256 KiB), and
        // a server dies of a request that does not fit there (`connect_to_remote` in adb's `sockets.cpp`).
        if request.len() > usize::from(u16::MAX) {
            return Err(DeviceError::TooLong {
                what: format!("{}: the request", deadline.what),
                limit: u64::from(u16::MAX),
            });
        }
        self.write_all(format!("{:04x}{request}", request.len()).as_bytes(), deadline)?;
        self.expect_okay(deadline)
    }

    /// Waits for `OKAY`.
    ///
    /// # Errors
    /// [`DeviceError::Refused`] with adb's text.
    pub(super) fn expect_okay(&mut self, deadline: &Deadline) -> Result<(), DeviceError> {
        let mut word = [0; 4];
        self.read_exact(&mut word, deadline)?;
        match &word {
            b"OKAY" => Ok(()),
            b"FAIL" => Err(DeviceError::Refused {
                what: deadline.what.clone(),
                said: self.string(deadline)?,
            }),
            other => Err(self.garbled(deadline, "OKAY or FAIL", other)),
        }
    }

    /// Reads a text with its length before it. No more than 65535 bytes can be announced.
    pub(super) fn string(&mut self, deadline: &Deadline) -> Result<String, DeviceError> {
        let mut digits = [0; 4];
        self.read_exact(&mut digits, deadline)?;
        let length = hex_length(digits)
            .ok_or_else(|| self.garbled(deadline, "a length of four hex digits", &digits))?;
        let mut text = vec![0; length];
        self.read_exact(&mut text, deadline)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The other end said something that the protocol does not know.
    pub(super) fn garbled(
        &self,
        deadline: &Deadline,
        expected: &'static str,
        found: &[u8],
    ) -> DeviceError {
        DeviceError::Garbled {
            peer: self.peer().to_owned(),
            what: deadline.what.clone(),
            expected,
            found: found.escape_ascii().to_string(),
        }
    }
}

/// Four hex digits; no sign, no space.
pub(super) fn hex_length(digits: [u8; 4]) -> Option<usize> {
    digits.iter().try_fold(0, |length: usize, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(length * 16 + value as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::hex_length;

    #[test]
    fn lengths_are_four_hex_digits_and_nothing_else() {
        for (digits, length) in [
            (b"0000", Some(0)),
            (b"000c", Some(12)),
            (b"00FF", Some(255)),
            (b"ffff", Some(65535)),
            (b"+00c", None),
            (b" 00c", None),
            (b"00g0", None),
            (b"\xff\xff\xff\xff", None),
        ] {
            assert_eq!(hex_length(*digits), length, "{digits:?}");
        }
    }
}
