//! Little-endian fields one after the other.

use super::PointerSize;

/// The bytes of an event.
#[derive(Clone, Debug)]
pub(super) struct Payload {
    bytes: Vec<u8>,
    pointers: PointerSize,
}

impl Payload {
    pub const fn new(pointers: PointerSize) -> Self {
        Self { bytes: Vec::new(), pointers }
    }

    pub fn bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub fn u8(self, value: u8) -> Self {
        self.raw(&[value])
    }

    pub fn u16(self, value: u16) -> Self {
        self.raw(&value.to_le_bytes())
    }

    pub fn u32(self, value: u32) -> Self {
        self.raw(&value.to_le_bytes())
    }

    pub fn i64(self, value: i64) -> Self {
        self.raw(&value.to_le_bytes())
    }

    /// As wide as the log's pointers; what does not fit is cut off.
    pub fn pointer(self, value: u64) -> Self {
        let width = self.pointers.bytes();
        self.raw(&value.to_le_bytes()[..width])
    }

    /// UTF-16 with a zero behind.
    pub fn wide(mut self, text: &str) -> Self {
        for unit in text.encode_utf16().chain([0]) {
            self.bytes.extend_from_slice(&unit.to_le_bytes());
        }
        self
    }

    /// One byte a character with a zero behind.
    pub fn narrow(self, text: &str) -> Self {
        self.raw(text.as_bytes()).u8(0)
    }

    /// Zeros up to a multiple of `to` from the beginning.
    pub fn align(mut self, to: usize) -> Self {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
        self
    }
}
