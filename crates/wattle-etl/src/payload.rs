//! Numbers and texts in a payload, all of them with the least significant byte first.

use wattle_wire::ByteOrder;

const LITTLE: ByteOrder = ByteOrder::LITTLE;

/// The bytes of an event's payload, read by place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payload<'a> {
    pub bytes: &'a [u8],
    /// Bytes of a pointer: 4 or 8.
    pub pointer_size: usize,
}

impl<'a> Payload<'a> {
    pub fn new(bytes: &'a [u8], pointer_size: u8) -> Self {
        Self { bytes, pointer_size: if pointer_size == 4 { 4 } else { 8 } }
    }

    #[inline]
    pub fn u8(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    #[inline]
    pub fn u16(&self, at: usize) -> Option<u16> {
        LITTLE.half(self.bytes, at)
    }

    #[inline]
    pub fn u32(&self, at: usize) -> Option<u32> {
        LITTLE.word(self.bytes, at)
    }

    #[inline]
    pub fn u64(&self, at: usize) -> Option<u64> {
        LITTLE.long(self.bytes, at)
    }

    #[inline]
    pub fn i64(&self, at: usize) -> Option<i64> {
        self.u64(at).map(u64::cast_signed)
    }

    #[inline]
    pub fn pointer(&self, at: usize) -> Option<u64> {
        if self.pointer_size == 4 { self.u32(at).map(u64::from) } else { self.u64(at) }
    }

    /// Returns the offset of a field that comes after so many bytes and so many pointers.
    #[inline]
    pub fn after(&self, bytes: usize, pointers: usize) -> usize {
        bytes + pointers * self.pointer_size
    }

    /// A text in UTF-16 that ends with a zero, or with the payload; and where what follows it begins.
    pub fn utf16(&self, at: usize) -> Option<(String, usize)> {
        let rest = self.bytes.get(at..)?;
        let units = rest.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let length = units.clone().take_while(|unit| *unit != 0).count();
        let text = char::decode_utf16(units.take(length))
            .map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER));
        Some((text.collect(), at + (length + 1) * 2))
    }

    /// A text of single bytes that ends with a zero, or with the payload; and where what follows it begins.
    pub fn text(&self, at: usize) -> Option<(String, usize)> {
        let rest = self.bytes.get(at..)?;
        let length = memchr::memchr(0, rest).unwrap_or(rest.len());
        let text = String::from_utf8_lossy(rest.get(..length)?).into_owned();
        Some((text, at + length + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_with_a_zero_or_with_the_payload() {
        let payload = Payload::new(b"a\0b\0\0\0c\0", 8);
        assert_eq!(payload.utf16(0), Some(("ab".to_owned(), 6)));
        assert_eq!(payload.utf16(6), Some(("c".to_owned(), 10)));
        assert_eq!(payload.utf16(10), None);
        assert_eq!(payload.text(0), Some(("a".to_owned(), 2)));
        assert_eq!(payload.text(8), Some((String::new(), 9)));
    }
}
