//! Packed repeated numbers.

use crate::read_varint;

/// The numbers of a packed repeated varint field. Ends at the first number that cannot be read.
#[derive(Clone, Debug)]
pub struct PackedVarints<'a> {
    bytes: &'a [u8],
    position: usize,
    single: Option<u64>,
    broken: bool,
}

impl<'a> PackedVarints<'a> {
    /// Over the bytes of the field.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0, single: None, broken: false }
    }

    /// Over one number, for a repeated field that was written without packing.
    pub const fn single(value: u64) -> Self {
        Self { bytes: &[], position: 0, single: Some(value), broken: false }
    }

    /// Whether the numbers ended because one could not be read.
    pub const fn is_broken(&self) -> bool {
        self.broken
    }
}

impl Iterator for PackedVarints<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        if self.position >= self.bytes.len() {
            return self.single.take();
        }
        if let Ok(value) = read_varint(self.bytes, &mut self.position) {
            return Some(value);
        }
        self.broken = true;
        self.position = self.bytes.len();
        None
    }
}
