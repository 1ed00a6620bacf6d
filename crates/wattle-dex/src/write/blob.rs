//! The bytes of one section before it has a place.

use super::inventory::SectionItems;
use crate::chunk::{Chunk, Fixup, NEW};
use crate::{DexError, Result, Section};

/// The place of an item that is not written.
pub(crate) const DROPPED: u32 = u32::MAX;

/// A section: chunks of bytes and where each item is in them.
#[derive(Debug)]
pub(crate) struct Blob {
    pub(crate) section: Section,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) len: u32,
    /// Offsets of the source's items, from the section's start.
    pub(crate) old: Vec<u32>,
    /// Offsets of the new items.
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
