//! The place of bytes within others.

/// A place within bytes that are kept elsewhere. A packet is shorter than 4 GiB, so 32 bits are enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    start: u32,
    length: u32,
}

impl Place {
    /// The place of a part within the whole that it was borrowed from.
    #[inline]
    pub(super) fn of(part: &[u8], whole: &[u8]) -> Self {
        let start = part.as_ptr().addr().saturating_sub(whole.as_ptr().addr());
        Self { start: start as u32, length: part.len() as u32 }
    }

    /// The bytes at the place.
    #[inline]
    pub(super) fn within(self, whole: &[u8]) -> &[u8] {
        let start = self.start as usize;
        whole.get(start..start + self.length as usize).unwrap_or_default()
    }
}
