//! Numbers at places in a binary file, little-endian.

/// Bytes that are read by place; nothing beyond the end is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    fn array<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    pub fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    pub fn u16(self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    pub fn u32(self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    pub fn i64(self, at: usize) -> Option<i64> {
        self.array(at).map(i64::from_le_bytes)
    }

    pub fn part(self, from: usize, to: usize) -> Option<&'a [u8]> {
        self.0.get(from..to)
    }
}
