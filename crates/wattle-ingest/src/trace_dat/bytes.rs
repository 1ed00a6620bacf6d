//! Numbers and texts of a file, in its order of bytes.

/// How numbers are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Order {
    pub is_big: bool,
}

impl Order {
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
pub(crate) struct Cursor<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    pub order: Order,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], at: usize, order: Order) -> Self {
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

    pub fn u16(&mut self) -> Option<u16> {
        self.number(2).map(|value| value as u16)
    }

    #[inline]
    pub fn u32(&mut self) -> Option<u32> {
        let value = self.order.word(self.bytes, self.at)?;
        self.at += 4;
        Some(value)
    }

    #[inline]
    pub fn u64(&mut self) -> Option<u64> {
        let value = self.order.long(self.bytes, self.at)?;
        self.at += 8;
        Some(value)
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
