//! The packets of the shell protocol: `<id><length, 32 bits, little endian><bytes>`.
//!
//! Source: AOSP `packages/modules/adb/shell_protocol.h`.

use std::collections::VecDeque;

use crate::ShellEvent;

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const EXIT: u8 = 3;
const CLOSE_STDIN: u8 = 4;

/// Id and length.
const HEADER: usize = 1 + 4;

/// The most that one packet of ours carries: what fits into the buffer of every device.
pub(super) const LARGEST_INPUT: usize = 32 * 1024;

/// A packet of standard input.
pub(super) fn input(bytes: &[u8]) -> Vec<u8> {
    packet(STDIN, bytes)
}

/// The end of standard input.
pub(super) fn end_of_input() -> Vec<u8> {
    packet(CLOSE_STDIN, &[])
}

fn packet(id: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let mut packet = Vec::with_capacity(bytes.len().saturating_add(HEADER));
    packet.push(id);
    packet.extend_from_slice(&length.to_le_bytes());
    packet.extend_from_slice(bytes);
    packet
}

/// Takes packets out of bytes as they come. A packet's bytes are handed on as they come too, so a length that is a lie
/// costs no memory.
#[derive(Debug, Default)]
pub(super) struct PacketSplitter {
    header: [u8; HEADER],
    /// The number of bytes of the header read so far.
    filled: usize,
    /// The number of payload bytes still to come, once the header is complete.
    left: u32,
}

impl PacketSplitter {
    /// Takes the next bytes. Nothing follows an exit: what comes after it is left.
    pub(super) fn feed(&mut self, mut bytes: &[u8], events: &mut VecDeque<ShellEvent>) {
        while let Some((first, rest)) = bytes.split_first() {
            if self.filled < HEADER {
                if let Some(place) = self.header.get_mut(self.filled) {
                    *place = *first;
                }
                self.filled += 1;
                bytes = rest;
                if self.filled == HEADER {
                    let [_, length @ ..] = self.header;
                    self.left = u32::from_le_bytes(length);
                    self.end_if_whole(events);
                }
                continue;
            }
            let [id, ..] = self.header;
            let take = bytes.len().min(self.left as usize);
            let (piece, rest) = bytes.split_at(take);
            self.left = self.left.saturating_sub(take as u32);
            bytes = rest;
            match id {
                STDOUT => events.push_back(ShellEvent::Stdout(piece.to_vec())),
                STDERR => events.push_back(ShellEvent::Stderr(piece.to_vec())),
                EXIT => {
                    events.push_back(ShellEvent::Exit(piece.first().copied()));
                    return;
                }
                // A device does not send input, and ids to come are not meant for us.
                _ => {}
            }
            if self.left == 0 {
                self.filled = 0;
            }
        }
    }

    fn end_if_whole(&mut self, events: &mut VecDeque<ShellEvent>) {
        if self.left == 0 {
            self.filled = 0;
            if self.header.first() == Some(&EXIT) {
                events.push_back(ShellEvent::Exit(None));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Outputs joined, and the first exit.
    fn summary(
        events: impl IntoIterator<Item = ShellEvent>,
    ) -> (Vec<u8>, Vec<u8>, Option<ShellEvent>) {
        let (mut out, mut err, mut exit) = (Vec::new(), Vec::new(), None);
        for event in events {
            match event {
                ShellEvent::Stdout(bytes) => out.extend(bytes),
                ShellEvent::Stderr(bytes) => err.extend(bytes),
                end @ ShellEvent::Exit(_) => exit = exit.or(Some(end)),
            }
        }
        (out, err, exit)
    }

    fn split(bytes: &[u8], cuts: &[usize]) -> VecDeque<ShellEvent> {
        let (mut splitter, mut events) = (PacketSplitter::default(), VecDeque::new());
        let mut rest = bytes;
        for cut in cuts {
            let (piece, after) = rest.split_at(*cut.min(&rest.len()));
            splitter.feed(piece, &mut events);
            rest = after;
        }
        splitter.feed(rest, &mut events);
        events
    }

    #[test]
    fn the_bytes_of_the_protocol_are_read() {
        // Written by hand after shell_protocol.h: "ok" on stdout, "!" on stderr, exit 3.
        let bytes = b"\x01\x02\0\0\0ok\x02\x01\0\0\0!\x03\x01\0\0\0\x03";
        let expected = (b"ok".to_vec(), b"!".to_vec(), Some(ShellEvent::Exit(Some(3))));
        assert_eq!(summary(split(bytes, &[])), expected);
        assert_eq!(input(b"ab"), b"\0\x02\0\0\0ab");
        assert_eq!(end_of_input(), b"\x04\0\0\0\0");
    }

    #[test]
    fn what_nobody_knows_is_passed_over() {
        let bytes = b"\x09\x03\0\0\0xyz\x01\0\0\0\0\x05\0\0\0\0\x01\x01\0\0\0a\x03\0\0\0\0";
        assert_eq!(
            summary(split(bytes, &[])),
            (b"a".to_vec(), Vec::new(), Some(ShellEvent::Exit(None)))
        );
    }

    #[test]
    fn a_length_that_is_a_lie_costs_nothing() {
        let bytes = b"\x01\xff\xff\xff\xffabc";
        assert_eq!(summary(split(bytes, &[])), (b"abc".to_vec(), Vec::new(), None));
    }

    proptest! {
        /// However the bytes are cut on their way, the same comes out.
        #[test]
        fn cuts_do_not_matter(
            outputs in proptest::collection::vec(
                (any::<bool>(), proptest::collection::vec(any::<u8>(), 0..40)), 0..12),
            status in any::<u8>(),
            cuts in proptest::collection::vec(0usize..30, 0..20),
        ) {
            let (mut bytes, mut out, mut err) = (Vec::new(), Vec::new(), Vec::new());
            for (is_error, output) in &outputs {
                let (id, into) = if *is_error { (STDERR, &mut err) } else { (STDOUT, &mut out) };
                bytes.extend(packet(id, output));
                into.extend_from_slice(output);
            }
            bytes.extend(packet(EXIT, &[status]));
            prop_assert_eq!(summary(split(&bytes, &cuts)), (out, err, Some(ShellEvent::Exit(Some(status)))));
        }

        /// Whatever comes, no more comes out than went in.
        #[test]
        fn garbage_neither_panics_nor_grows(
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
            cuts in proptest::collection::vec(0usize..30, 0..20),
        ) {
            let (out, err, _) = summary(split(&bytes, &cuts));
            prop_assert!(out.len() + err.len() <= bytes.len());
        }
    }
}
