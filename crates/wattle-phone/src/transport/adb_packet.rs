//! One message of the protocol.

use std::io::{self, Read};

/// The largest content that newer hosts and devices send (`MAX_PAYLOAD` of `adb.h`).
pub(crate) const MOST_PAYLOAD: u32 = 1 << 20;
/// The largest content of a host that has not said what it takes (`MAX_PAYLOAD_V1`).
pub(crate) const LEAST_PAYLOAD: u32 = 4096;
/// The version since which contents have no checksum (`A_VERSION_SKIP_CHECKSUM`).
pub(crate) const VERSION: u32 = 0x0100_0001;

const HEADER: usize = 24;

/// The type of a message. Unlisted types pass through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Command(pub(crate) u32);

impl Command {
    /// `A_CNXN`: hello.
    pub(crate) const CONNECT: Self = Self(u32::from_le_bytes(*b"CNXN"));
    /// `A_AUTH`: proof of who the host is.
    pub(crate) const AUTHENTICATE: Self = Self(u32::from_le_bytes(*b"AUTH"));
    /// `A_OPEN`: the host wants a service.
    pub(crate) const OPEN: Self = Self(u32::from_le_bytes(*b"OPEN"));
    /// `A_OKAY`: ready for the next write.
    pub(crate) const OKAY: Self = Self(u32::from_le_bytes(*b"OKAY"));
    /// `A_CLSE`: a stream is closed.
    pub(crate) const CLOSE: Self = Self(u32::from_le_bytes(*b"CLSE"));
    /// `A_WRTE`: bytes of a stream.
    pub(crate) const WRITE: Self = Self(u32::from_le_bytes(*b"WRTE"));
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    pub(crate) command: Command,
    /// The sender's number of the stream, or the version.
    pub(crate) first: u32,
    /// The receiver's number of the stream, or the largest content.
    pub(crate) second: u32,
    pub(crate) payload: Vec<u8>,
}

impl Packet {
    /// Reads the next message; `None` at an orderly end.
    ///
    /// # Errors
    /// If the bytes are no message, or one that is larger than allowed: the connection is of no use then.
    pub(crate) fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let mut header = [0; HEADER];
        let mut have = 0;
        while let Some(rest) = header.get_mut(have..).filter(|rest| !rest.is_empty()) {
            match from.read(rest)? {
                0 if have == 0 => return Ok(None),
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => have += count,
            }
        }
        let word = |index: usize| {
            let bytes = header.get(index * 4..index * 4 + 4).and_then(|four| four.try_into().ok());
            u32::from_le_bytes(bytes.unwrap_or_default())
        };
        let (command, length) = (word(0), word(3));
        if word(5) != !command || length > MOST_PAYLOAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut payload = Vec::new();
        // Grows with what arrives, not with what is announced.
        from.take(u64::from(length)).read_to_end(&mut payload)?;
        if payload.len() != length as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some(Self { command: Command(command), first: word(1), second: word(2), payload }))
    }

    /// The message as it is sent. The checksum is the sum of the bytes, which old hosts look at.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let sum = self.payload.iter().fold(0_u32, |sum, byte| sum.wrapping_add(u32::from(*byte)));
        let Command(command) = self.command;
        let words = [command, self.first, self.second, self.payload.len() as u32, sum, !command];
        let mut bytes = Vec::with_capacity(HEADER + self.payload.len());
        for word in words {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(&self.payload);
        bytes
    }
}
