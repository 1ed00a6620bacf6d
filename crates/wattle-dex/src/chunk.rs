//! Bytes that name items whose offsets are not known yet.

use crate::Section;
use crate::cursor::Put;

/// Marks the key of an item that the source file does not have; the rest is its number.
pub(crate) const NEW: u32 = 0x8000_0000;

/// Four bytes that hold the offset of an item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    /// Offsets in the chunk.
    pub(crate) at: u32,
    /// The section of the item.
    pub(crate) section: Section,
    /// Its offset in the source file, or `NEW` and its number.
    pub(crate) key: u32,
}

/// Bytes with offsets to be filled in.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) bytes: Vec<u8>,
    pub(crate) fixups: Vec<Fixup>,
    /// New line programs of the bodies inside; their keys count from the chunk's first.
    pub(crate) debug: Programs,
}

/// Line programs, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    bytes: Vec<u8>,
    /// End of each.
    ends: Vec<u32>,
}

impl Programs {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    fn push(&mut self, program: &[u8]) {
        self.bytes.extend_from_slice(program);
        self.ends.push(self.bytes.len() as u32);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let bounds = starts.zip(&self.ends);
        bounds.map(|(&from, &to)| self.bytes.get(from as usize..to as usize).unwrap_or_default())
    }
}

impl Chunk {
    pub(crate) fn put_offset(&mut self, section: Section, key: u32) {
        if key != 0 {
            self.fixups.push(Fixup { at: self.bytes.len() as u32, section, key });
        }
        self.bytes.put_u32(0);
    }

    /// Takes a new line program along and returns its key.
    pub(crate) fn put_debug(&mut self, bytes: &[u8]) -> u32 {
        self.debug.push(bytes);
        NEW | (self.debug.len() as u32 - 1)
    }
}
