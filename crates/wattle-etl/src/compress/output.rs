//! Bytes unpacked so far.

use super::Damage;

/// Bytes that grow to a known length and never beyond it.
pub(super) struct Output {
    bytes: Vec<u8>,
    length: usize,
}

impl Output {
    /// Nothing yet, of `length` bytes. What a block claims is no reason to take that much memory at once.
    pub(super) fn new(packed: usize, length: usize) -> Self {
        Self { bytes: Vec::with_capacity(length.min(packed.saturating_mul(16))), length }
    }

    /// Whether everything is there.
    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() >= self.length
    }

    /// Returns the number of bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// One byte as it stands in the block.
    pub(super) fn literal(&mut self, byte: u8) {
        if !self.is_full() {
            self.bytes.push(byte);
        }
    }

    /// Several bytes as they stand in the block.
    pub(super) fn literals(&mut self, bytes: &[u8]) {
        let room = self.length - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Repeats `length` bytes from `distance` bytes ago, which may be fewer than `length`: what is written is then repeated, too.
    pub(super) fn repeat(&mut self, distance: usize, length: usize) -> Result<(), Damage> {
        let Some(start) = self.bytes.len().checked_sub(distance).filter(|_| distance > 0) else {
            return Err(Damage::NothingToRepeat);
        };
        let mut left = length.min(self.length - self.bytes.len());
        while left > 0 {
            let part = left.min(self.bytes.len() - start);
            self.bytes.extend_from_within(start..start + part);
            left -= part;
        }
        Ok(())
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
