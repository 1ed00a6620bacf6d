//! Numbers and texts of binary formats with fixed widths, in either order of bytes.

/// The order of bytes of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteOrder {
    /// Whether the most significant byte comes first.
    pub is_big: bool,
}

impl ByteOrder {
    /// The least significant byte first.
    pub const LITTLE: Self = Self { is_big: false };
    /// The most significant byte first.
    pub const BIG: Self = Self { is_big: true };

    /// A number of up to eight bytes, without a sign.
    #[inline]
    pub fn number(self, bytes: &[u8]) -> Option<u64> {
        if bytes.is_empty() || bytes.len() > 8 {
            return None;
        }
        let join = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        Some(if self.is_big {
            bytes.iter().fold(0, join)
        } else {
            bytes.iter().rev().fold(0, join)
        })
    }

    /// Two bytes.
    #[inline]
    pub fn half(self, bytes: &[u8], at: usize) -> Option<u16> {
        let half: [u8; 2] = bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if self.is_big { u16::from_be_bytes(half) } else { u16::from_le_bytes(half) })
    }

    /// Four bytes.
    #[inline]
    pub fn word(self, bytes: &[u8], at: usize) -> Option<u32> {
        let word: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if self.is_big { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) })
    }

    /// Eight bytes.
    #[inline]
    pub fn long(self, bytes: &[u8], at: usize) -> Option<u64> {
        let long: [u8; 8] = bytes.get(at..at.checked_add(8)?)?.try_into().ok()?;
        Some(if self.is_big { u64::from_be_bytes(long) } else { u64::from_le_bytes(long) })
    }
}

/// A place in the file. Whatever would go past the end gives nothing.
#[derive(Clone, Copy, Debug)]
pub struct ByteCursor<'a> {
    /// The whole file, or part.
    pub bytes: &'a [u8],
    /// The place of the next byte.
    pub at: usize,
    /// The order of bytes of numbers.
    pub order: ByteOrder,
}

impl<'a> ByteCursor<'a> {
    /// A cursor at a place.
    pub fn new(bytes: &'a [u8], at: usize, order: ByteOrder) -> Self {
        Self { bytes, at, order }
    }

    /// The next so many bytes.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    /// A number of so many bytes.
    pub fn number(&mut self, size: usize) -> Option<u64> {
        let order = self.order;
        order.number(self.take(size)?)
    }

    /// The next byte.
    #[inline]
    pub fn u8(&mut self) -> Option<u8> {
        let value = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(value)
    }

    /// A number of two bytes.
    #[inline]
    pub fn u16(&mut self) -> Option<u16> {
        let value = self.order.half(self.bytes, self.at)?;
        self.at += 2;
        Some(value)
    }

    /// A number of four bytes.
    #[inline]
    pub fn u32(&mut self) -> Option<u32> {
        let value = self.order.word(self.bytes, self.at)?;
        self.at += 4;
        Some(value)
    }

    /// A number of eight bytes.
    #[inline]
    pub fn u64(&mut self) -> Option<u64> {
        let value = self.order.long(self.bytes, self.at)?;
        self.at += 8;
        Some(value)
    }

    /// A number of eight bytes with a sign.
    #[inline]
    pub fn i64(&mut self) -> Option<i64> {
        self.u64().map(u64::cast_signed)
    }

    /// An unsigned number of seven bits a byte (LEB128, a varint). The place stays where it is cut off or too long.
    #[inline]
    pub fn varint(&mut self) -> Option<u64> {
        crate::read_varint(self.bytes, &mut self.at).ok()
    }

    /// All bytes that are left.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// A number of four bytes that says how much follows.
    pub fn count(&mut self) -> Option<usize> {
        usize::try_from(self.u32()?).ok()
    }

    /// A number of eight bytes that says how much follows, or where something is.
    pub fn size(&mut self) -> Option<usize> {
        usize::try_from(self.u64()?).ok()
    }

    /// A text up to its NUL.
    pub fn text(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let end = memchr::memchr(0, rest)?;
        self.at += end + 1;
        rest.get(..end)
    }

    /// Steps over a text that must be here.
    pub fn expect(&mut self, text: &[u8]) -> Option<()> {
        (self.take(text.len())? == text).then_some(())
    }
}
