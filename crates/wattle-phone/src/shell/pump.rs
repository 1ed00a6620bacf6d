//! From a command's pipes to the stream.

use std::io::Read;

use crate::transport::Stream;

/// Kinds of packets of the shell protocol (`shell_protocol.h` of AOSP).
pub(super) const STDIN: u8 = 0;
pub(super) const STDOUT: u8 = 1;
pub(super) const STDERR: u8 = 2;
pub(super) const EXIT: u8 = 3;
pub(super) const CLOSE_STDIN: u8 = 4;

/// A packet of the shell protocol.
pub(super) fn packet(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let mut packet = Vec::with_capacity(bytes.len() + 5);
    packet.push(kind);
    packet.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    packet.extend_from_slice(bytes);
    packet
}

/// Passes on what a command writes until its end, or until nobody listens. `kind`: as packets of the shell protocol.
pub(super) fn pump(mut from: impl Read, to: &Stream, kind: Option<u8>) {
    let mut buffer = vec![0; 16 << 10];
    loop {
        let count = from.read(&mut buffer).unwrap_or(0);
        let bytes = buffer.get(..count).unwrap_or_default();
        let sent = match kind {
            _ if bytes.is_empty() => Ok(()),
            Some(kind) => to.write(&packet(kind, bytes)),
            None => to.write(bytes),
        };
        if count == 0 || sent.is_err() {
            return;
        }
    }
}

/// Takes the packets of the shell protocol apart, however they are cut.
#[derive(Debug, Default)]
pub(super) struct Unpacker {
    held: Vec<u8>,
}

impl Unpacker {
    /// The largest packet that is taken; adb's have at most 16 KiB, the protocol 4 GiB.
    const MOST_BYTES: usize = 2 << 20;

    /// The packets that are complete; `None` if one is too large to be one.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Option<Vec<(u8, Vec<u8>)>> {
        self.held.extend_from_slice(bytes);
        let mut packets = Vec::new();
        let mut rest = self.held.as_slice();
        while let [kind, a, b, c, d, behind @ ..] = rest {
            let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
            if length > Self::MOST_BYTES {
                return None;
            }
            let Some((content, after)) = behind.split_at_checked(length) else { break };
            packets.push((*kind, content.to_vec()));
            rest = after;
        }
        self.held = rest.to_vec();
        Some(packets)
    }
}
