//! Numbers and texts by their places in a block of metadata.

use wattle_wire::ByteOrder;

/// Numbers and texts by their place in a block.
#[derive(Clone, Copy)]
pub(super) struct Block<'a>(pub &'a [u8]);

impl Block<'_> {
    pub fn u16(&self, at: usize) -> Option<u16> {
        ByteOrder::LITTLE.half(self.0, at)
    }

    pub fn u32(&self, at: usize) -> Option<u32> {
        ByteOrder::LITTLE.word(self.0, at)
    }

    /// The text in UTF-16 whose place stands here; `None` where there is none.
    pub fn text_at(&self, at: usize) -> Option<String> {
        let place = self.u32(at)? as usize;
        let bytes = self.0.get(place..).filter(|_| place > 0)?;
        let units = bytes.as_chunks::<2>().0.iter().map(|it| u16::from_le_bytes(*it));
        let units = units.take_while(|unit| *unit != 0).take(4096);
        Some(
            char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect(),
        )
    }
}
