//! Little-endian numbers of a packed block, one after the other.

use wattle_wire::{ByteCursor, ByteOrder};

use super::Damage;

/// The place in a packed block. Its end is a [`Damage`] here.
pub(super) struct Input<'a>(ByteCursor<'a>);

impl<'a> Input<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(ByteCursor::new(bytes, 0, ByteOrder::LITTLE))
    }

    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        self.0.take(count).ok_or(Damage::Ended)
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8, Damage> {
        self.0.u8().ok_or(Damage::Ended)
    }

    #[inline]
    pub(super) fn word(&mut self) -> Result<u16, Damage> {
        self.0.u16().ok_or(Damage::Ended)
    }

    pub(super) fn long(&mut self) -> Result<u32, Damage> {
        self.0.u32().ok_or(Damage::Ended)
    }
}

/// Bits of a packed block, from the highest of each 16-bit word on, with whole bytes between the words (MS-XCA 2.2.4).
///
/// Two words are read ahead: which bytes lie between them depends on it.
pub(super) struct Bits<'a, 'i> {
    input: &'i mut Input<'a>,
    next: u32,
    /// Number of bits held beyond the first 16.
    extra: i32,
    /// Number of all these bits that lie past the end.
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
