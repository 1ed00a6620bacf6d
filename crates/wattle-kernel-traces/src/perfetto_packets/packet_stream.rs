//! The packets of a trace, one after the other, through a buffer that grows only with what is there.

use std::io::{ErrorKind, Read};
use std::ops::Range;

use wattle_wire::{Defect, read_varint};

use wattle_import::limits::MAX_PACKET;

/// `Trace.packet`.
const PACKET: u64 = 1;

/// Bytes requested from the input at a time.
const REFILL: usize = 1 << 18;

/// The longest tag and length before a packet: two varints.
const MAX_PREFIX: usize = 20;

/// The end of a row of packets.
#[derive(Debug)]
pub enum StreamEnd {
    /// With the last packet.
    Complete,
    /// Inside of a packet.
    Truncated {
        /// Offset of the packet.
        offset: u64,
        /// Its length, as far as it is known.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// With bytes that are no packet.
    Damaged {
        /// Offset of the first one.
        offset: u64,
        /// The defect.
        defect: Defect,
    },
    /// With an error of the input.
    Failed {
        /// Offset up to which the input was read.
        offset: u64,
        /// The error.
        error: std::io::Error,
    },
}

/// Tag and length of a field, at the position of the stream.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    /// Its own length.
    head: usize,
    /// That of what follows.
    length: u64,
    is_packet: bool,
}

/// The packets of a trace, read one after the other.
///
/// A packet is borrowed from the stream's buffer, which the next one uses again. So [`Self::next`] is no [`Iterator`].
#[derive(Debug)]
pub struct PacketStream<R> {
    input: R,
    /// Its bytes up to [`Self::filled`] came from the input; those after are room that is used again.
    buffer: Vec<u8>,
    filled: usize,
    /// Start of the next packet in the buffer.
    position: usize,
    /// Offset of the buffer in the input.
    base: u64,
    at_end: bool,
    end: Option<StreamEnd>,
    /// Packets and fields that were not given.
    pub stepped_over: SteppedOver,
}

/// Bytes that [`PacketStream`] stepped over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SteppedOver {
    /// Packets that were too long to be read: offset of the first and their number.
    pub too_long: Option<(u64, u64)>,
    /// Bytes of these, and of fields that are no packets.
    pub bytes: u64,
}

impl<R: Read> PacketStream<R> {
    /// Packets of an input.
    pub fn new(input: R) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            filled: 0,
            position: 0,
            base: 0,
            at_end: false,
            end: None,
            stepped_over: SteppedOver::default(),
        }
    }

    /// Offset of the next packet in the input.
    pub fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    /// Bytes that came from the input, those of an unfinished packet included.
    pub fn bytes_read(&self) -> u64 {
        self.base + self.filled as u64
    }

    /// The end of the row, once [`Self::next`] gave nothing.
    pub fn into_end(self) -> StreamEnd {
        self.end.unwrap_or(StreamEnd::Complete)
    }

    /// The next packet and its offset in the input.
    #[expect(clippy::should_implement_trait, reason = "a packet is borrowed from the stream")]
    pub fn next(&mut self) -> Option<(u64, &[u8])> {
        let place = self.next_place()?;
        Some((self.base + place.start as u64, self.buffer.get(place)?))
    }

    /// The same, whose bytes are taken out of the stream instead of copied: into a buffer, at a place.
    pub(super) fn next_into(&mut self, buffer: &mut Vec<u8>) -> Option<(u64, Range<usize>)> {
        let place = self.next_place()?;
        let offset = self.base + place.start as u64;
        let rest = self.buffer.get(self.position..self.filled).unwrap_or_default().to_vec();
        self.base += self.position as u64;
        (self.position, self.filled) = (0, rest.len());
        *buffer = std::mem::replace(&mut self.buffer, rest);
        Some((offset, place))
    }

    /// Bytes of the next packet, as it declares them.
    pub(super) fn next_length(&mut self) -> Option<u64> {
        self.next_packet().map(|prefix| prefix.length)
    }

    /// The place of the next packet in the buffer; the position is behind it.
    fn next_place(&mut self) -> Option<Range<usize>> {
        let Prefix { head, length, .. } = self.next_packet()?;
        let length = length as usize;
        let offset = self.offset();
        self.fill(head + length);
        // The buffer may have moved.
        let from = self.position + head;
        let to = from + length;
        if to > self.filled {
            let found = (self.filled - from.min(self.filled)) as u64;
            let expected = length as u64;
            self.end.get_or_insert(StreamEnd::Truncated { offset, expected, found });
            return None;
        }
        self.position = to;
        Some(from..to)
    }

    /// Steps over everything that is no packet that can be read.
    fn next_packet(&mut self) -> Option<Prefix> {
        loop {
            let prefix = self.prefix()?;
            if prefix.is_packet && prefix.length <= MAX_PACKET {
                return Some(prefix);
            }
            let offset = self.offset();
            if prefix.length > MAX_PACKET {
                self.stepped_over.too_long.get_or_insert((offset, 0)).1 += 1;
            }
            self.position += prefix.head;
            self.skip(offset, prefix.length);
        }
    }

    /// Tag and length of the next field, which stays.
    fn prefix(&mut self) -> Option<Prefix> {
        if self.end.is_some() {
            return None;
        }
        self.fill(MAX_PREFIX);
        let start = self.position;
        let offset = self.offset();
        let mut position = start;
        if start >= self.filled {
            self.end.get_or_insert(StreamEnd::Complete);
            return None;
        }
        let bytes = self.buffer.get(..self.filled).unwrap_or_default();
        let prefix = read_varint(bytes, &mut position).and_then(|tag| {
            let length = match tag & 7 {
                2 => read_varint(bytes, &mut position)?,
                0 => read_varint(bytes, &mut position).map(|_| 0)?,
                1 => 8,
                5 => 4,
                other => return Err(Defect::WireType(other as u8)),
            };
            match tag >> 3 {
                0 => Err(Defect::FieldNumber(0)),
                number => Ok((number == PACKET && tag & 7 == 2, length)),
            }
        });
        match prefix {
            Ok((is_packet, length)) => {
                return Some(Prefix { head: position - start, length, is_packet });
            }
            Err(Defect::Truncated) => {
                let found = (self.filled - start) as u64;
                self.end.get_or_insert(StreamEnd::Truncated { offset, expected: found + 1, found });
            }
            Err(defect) => {
                self.end.get_or_insert(StreamEnd::Damaged { offset, defect });
            }
        }
        None
    }

    /// Has at least so many bytes in the buffer from the position on, if the input has them.
    fn fill(&mut self, bytes: usize) {
        if self.at_end || self.filled - self.position >= bytes {
            return;
        }
        self.buffer.copy_within(self.position..self.filled, 0);
        self.filled -= self.position;
        self.base += self.position as u64;
        self.position = 0;
        while self.filled < bytes && !self.at_end {
            self.refill();
        }
    }

    fn refill(&mut self) {
        let from = self.filled;
        if self.buffer.len() < from + REFILL {
            self.buffer.resize(from + REFILL, 0);
        }
        let room = self.buffer.get_mut(from..from + REFILL).unwrap_or_default();
        let read = match self.input.read(room) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => 0,
            Err(error) => {
                self.at_end = true;
                let offset = self.base + from as u64;
                self.end = Some(StreamEnd::Failed { offset, error });
                return;
            }
        };
        self.filled = from + read.min(REFILL);
        self.at_end = read == 0;
    }

    fn skip(&mut self, offset: u64, length: u64) {
        let mut left = length;
        while left > 0 && self.end.is_none() {
            let here = (self.filled - self.position) as u64;
            if here == 0 {
                self.fill(1);
                if self.filled == self.position {
                    let found = length - left;
                    self.end.get_or_insert(StreamEnd::Truncated {
                        offset,
                        expected: length,
                        found,
                    });
                }
                continue;
            }
            let taken = here.min(left);
            self.stepped_over.bytes = self.stepped_over.bytes.saturating_add(taken);
            self.position += taken as usize;
            left -= taken;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let taken = self.1.min(self.0.len()).min(into.len());
            into[..taken].copy_from_slice(&self.0[..taken]);
            self.0 = &self.0[taken..];
            Ok(taken)
        }
    }

    #[track_caller]
    fn check(bytes: &[u8], expected: &[(u64, &[u8])], end: &str) {
        for drip in [1, 3, 1000] {
            let mut stream = PacketStream::new(Drip(bytes, drip));
            let mut found = Vec::new();
            while let Some((offset, packet)) = stream.next() {
                found.push((offset, packet.to_vec()));
            }
            let found: Vec<_> = found.iter().map(|(o, p)| (*o, p.as_slice())).collect();
            assert_eq!(found, expected);
            assert_eq!(format!("{:?}", stream.into_end()), end);
        }
    }

    #[test]
    fn packets_and_other_fields() {
        check(&[], &[], "Complete");
        check(&[0x0a, 2, 8, 1, 0x0a, 0], &[(2, &[8, 1]), (6, &[])], "Complete");
        check(&[0x12, 1, 9, 0x0a, 1, 7, 0x18, 5], &[(5, &[7])], "Complete");
    }

    #[test]
    fn cut_and_damaged() {
        let cut = "Truncated { offset: 4, expected: 5, found: 1 }";
        check(&[0x0a, 2, 8, 1, 0x0a, 5, 1], &[(2, &[8, 1])], cut);
        check(&[0x0a], &[], "Truncated { offset: 0, expected: 2, found: 1 }");
        check(&[0x0a, 0, 0x0e], &[(2, &[])], "Damaged { offset: 2, defect: WireType(6) }");
        let long = [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2];
        let cut = "Truncated { offset: 0, expected: 4294967295, found: 2 }";
        check(&long, &[], cut);
    }
}
