//! The bytes of one section before it has a place.

use super::inventory::SectionItems;
use crate::cursor::Put;
use crate::{DexError, Result, Section};

/// Marks the key of an item that the source file does not have; the rest is its number.
pub(crate) const NEW: u32 = 0x8000_0000;
/// The place of an item that is not written.
pub(crate) const DROPPED: u32 = u32::MAX;

/// Four bytes that hold the offset of an item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    /// Where they are in the chunk.
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
    /// Where each ends.
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

/// A section: chunks of bytes and where each item is in them.
#[derive(Debug)]
pub(crate) struct Blob {
    pub(crate) section: Section,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) len: u32,
    /// Where the items of the source are, from the section's start.
    pub(crate) old: Vec<u32>,
    /// Where the new items are.
    pub(crate) new: Vec<u32>,
    /// Number of items.
    pub(crate) count: u32,
    /// Offset of the section in the file.
    pub(crate) base: u32,
}

impl Blob {
    pub(crate) fn new(section: Section) -> Self {
        Self {
            section,
            chunks: Vec::new(),
            len: 0,
            old: Vec::new(),
            new: Vec::new(),
            count: 0,
            base: 0,
        }
    }

    /// Appends a chunk at the section's alignment and says where it begins.
    pub(crate) fn push(&mut self, chunk: Chunk) -> Result<u32> {
        let alignment = self.section.alignment();
        let start = self.len.next_multiple_of(alignment);
        if let Some(last) = self.chunks.last_mut() {
            let padding = (start - self.len) as usize;
            last.bytes.resize(last.bytes.len() + padding, 0);
        }
        let end = u64::from(start) + chunk.bytes.len() as u64;
        self.len =
            u32::try_from(end).ok().filter(|&end| end < NEW).ok_or(too_large(self.section, end))?;
        if !chunk.bytes.is_empty() {
            self.chunks.push(chunk);
        }
        Ok(start)
    }

    /// Appends one new item and returns its key.
    pub(crate) fn push_new(&mut self, item: &Chunk) -> Result<u32> {
        let fixups = item.fixups.iter().copied();
        self.push_parts(&[&item.bytes], fixups)
    }

    /// Appends one new item, whose bytes come in parts, and returns its key.
    pub(crate) fn push_parts(
        &mut self,
        parts: &[&[u8]],
        fixups: impl Iterator<Item = Fixup>,
    ) -> Result<u32> {
        // Many small items would be many small chunks.
        if self.chunks.last().is_none_or(|last| last.bytes.len() >= 1 << 16) {
            self.chunks.push(Chunk::default());
        }
        let start = self.len.next_multiple_of(self.section.alignment());
        let end = parts.iter().map(|part| part.len() as u64).sum::<u64>() + u64::from(start);
        let padding = (start - self.len) as usize;
        self.len =
            u32::try_from(end).ok().filter(|&end| end < NEW).ok_or(too_large(self.section, end))?;
        if let Some(last) = self.chunks.last_mut() {
            last.bytes.resize(last.bytes.len() + padding, 0);
            let base = last.bytes.len() as u32;
            for part in parts {
                last.bytes.extend_from_slice(part);
            }
            last.fixups.extend(fixups.map(|fixup| Fixup { at: fixup.at + base, ..fixup }));
        }
        self.count += 1;
        self.new.push(start);
        Ok(NEW | (self.new.len() as u32 - 1))
    }

    /// The place of an item from the section's start.
    pub(crate) fn place(&self, items: Option<&SectionItems>, key: u32) -> Option<u32> {
        let found = if key & NEW != 0 {
            self.new.get((key & !NEW) as usize)
        } else {
            self.old.get(items?.position(key)?)
        };
        found.copied().filter(|&place| place != DROPPED)
    }
}

pub(crate) fn too_large(section: Section, found: u64) -> DexError {
    DexError::TooMany { pool: section, found, limit: u64::from(NEW) }
}
