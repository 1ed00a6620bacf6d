//! Little-endian numbers of a packed block, one after the other.

use super::Damage;

/// Where in a packed block reading is.
pub(super) struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..count).ok_or(Damage::Ended)?;
        self.at += count;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Damage> {
        let byte = *self.bytes.get(self.at).ok_or(Damage::Ended)?;
        self.at += 1;
        Ok(byte)
    }

    pub(super) fn word(&mut self) -> Result<u16, Damage> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    pub(super) fn long(&mut self) -> Result<u32, Damage> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

/// Bits of a packed block, from the highest of each 16-bit word on, with whole bytes between the words (MS-XCA 2.2.4).
///
/// Two words are read ahead: which bytes lie between them depends on it.
pub(super) struct Bits<'a, 'i> {
    input: &'i mut Input<'a>,
    next: u32,
    /// How many bits there are beyond 16.
    extra: i32,
    /// How many of all these lie behind the end.
    missing: i32,
}

impl<'a, 'i> Bits<'a, 'i> {
    /// At the first word of a block.
    pub(super) fn new(input: &'i mut Input<'a>) -> Result<Self, Damage> {
        let next = u32::from(input.word()?) << 16 | u32::from(input.word()?);
        Ok(Self { input, next, extra: 16, missing: 0 })
    }

    /// The next `count` bits, at most 16, without going on.
    pub(super) fn peek(&self, count: u32) -> u32 {
        if count == 0 { 0 } else { self.next >> (32 - count) }
    }

    /// Goes on by `count` bits, at most 16.
    ///
    /// Nothing lies behind the last word: a block that ends there is not damaged, unless bits are needed that are not there.
    pub(super) fn skip(&mut self, count: u32) -> Result<(), Damage> {
        self.next <<= count;
        self.extra -= count as i32;
        if self.extra < 0 {
            if let Ok(word) = self.input.word() {
                self.next |= u32::from(word) << -self.extra;
            } else {
                self.missing += 16;
            }
            self.extra += 16;
        }
        if self.missing > 16 + self.extra { Err(Damage::Ended) } else { Ok(()) }
    }

    /// Whole bytes between the words.
    pub(super) fn input(&mut self) -> &mut Input<'a> {
        self.input
    }
}
