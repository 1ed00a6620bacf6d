//! Little-endian reading and writing, with the place of every failure.

use crate::ApkError;

/// A forward reader over a part of a file; `base` is where that part begins in the file.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
    base: usize,
    what: &'static str,
}

impl<'a> Cursor<'a> {
    /// Reads `bytes`, which begin at `base` in the file and are called `what` in errors.
    pub(crate) fn new(bytes: &'a [u8], base: usize, what: &'static str) -> Self {
        Self { bytes, position: 0, base, what }
    }

    /// Offset in the file of the next byte.
    pub(crate) fn offset(&self) -> usize {
        self.base.saturating_add(self.position)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.position >= self.bytes.len()
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.position)
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], ApkError> {
        let taken = self
            .position
            .checked_add(length)
            .and_then(|end| self.bytes.get(self.position..end))
            .ok_or(ApkError::Truncated {
                what: self.what,
                offset: self.offset() as u64,
                expected: length as u64,
                found: self.remaining() as u64,
            })?;
        self.position = self.position.saturating_add(length);
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ApkError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, ApkError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ApkError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, ApkError> {
        self.array().map(u64::from_le_bytes)
    }

    /// The bytes of a field that begins with its length in 32 bits, as signing blocks are made of.
    pub(crate) fn prefixed(&mut self) -> Result<&'a [u8], ApkError> {
        let length = self.u32()?;
        self.take(length as usize)
    }

    /// A reader of such a field.
    pub(crate) fn nested(&mut self, what: &'static str) -> Result<Self, ApkError> {
        let bytes = self.prefixed()?;
        Ok(Self::new(bytes, self.offset().saturating_sub(bytes.len()), what))
    }
}

/// The 16-bit number at `offset`, if it is there.
pub(crate) fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    let found = bytes.get(offset..offset.checked_add(2)?)?;
    found.try_into().ok().map(u16::from_le_bytes)
}

/// The 32-bit number at `offset`, if it is there.
pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let found = bytes.get(offset..offset.checked_add(4)?)?;
    found.try_into().ok().map(u32::from_le_bytes)
}

/// The 64-bit number at `offset`, if it is there.
pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    let found = bytes.get(offset..offset.checked_add(8)?)?;
    found.try_into().ok().map(u64::from_le_bytes)
}

/// Writes `value` over the two bytes at `offset`; nothing when they are not there.
pub(crate) fn set_u16(bytes: &mut [u8], offset: usize, value: u16) {
    if let Some(field) = offset.checked_add(2).and_then(|end| bytes.get_mut(offset..end)) {
        field.copy_from_slice(&value.to_le_bytes());
    }
}

/// Writes `value` over the four bytes at `offset`; nothing when they are not there.
pub(crate) fn set_u32(bytes: &mut [u8], offset: usize, value: u32) {
    if let Some(field) = offset.checked_add(4).and_then(|end| bytes.get_mut(offset..end)) {
        field.copy_from_slice(&value.to_le_bytes());
    }
}

/// Appends a field that begins with its length in 32 bits.
pub(crate) fn push_prefixed(out: &mut Vec<u8>, field: &[u8]) {
    out.extend_from_slice(&(field.len() as u32).to_le_bytes());
    out.extend_from_slice(field);
}
