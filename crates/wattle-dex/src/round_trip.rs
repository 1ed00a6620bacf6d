//! Whether a file comes back unchanged from being read and written.

use crate::write::Inventory;
use crate::{Dex, DexFile, Result, Section};

/// The effect of reading and writing on a file that nobody edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoundTrip {
    /// Nothing.
    Identical,
    /// The bytes differ.
    Differs {
        /// The section of the first differing byte past the header, in the source's map.
        section: Section,
        /// Its offset.
        offset: u32,
        /// Length of the source.
        length: usize,
        /// Length of what was written.
        written: usize,
        /// Why, as far as it can be told.
        reason: &'static str,
    },
}

impl RoundTrip {
    /// Reads and writes a file and compares.
    pub fn from_dex(dex: &Dex<'_>) -> Result<Self> {
        let written = DexFile::edit(dex).write()?;
        let source = dex.file_bytes();
        if written == source {
            return Ok(Self::Identical);
        }
        // Checksum, signature, sizes and offsets of the header follow from the rest.
        let start = dex.header().header_size as usize;
        let common = source.iter().zip(&written).skip(start).take_while(|(a, b)| a == b).count();
        let mut offset = start + common;
        if offset >= source.len().min(written.len()) && source.len() == written.len() {
            offset = source.iter().zip(&written).take_while(|(a, b)| a == b).count();
        }
        let absolute = dex.header().header_offset + offset as u32;
        let section = dex.map().entries().iter().rev().find(|entry| entry.offset <= absolute);
        let section = section.map_or(Section::HEADER, |entry| entry.section);
        Ok(Self::Differs {
            section,
            offset: absolute,
            length: source.len(),
            written: written.len(),
            reason: reason(dex, section, offset)?,
        })
    }
}

fn reason(dex: &Dex<'_>, section: Section, offset: usize) -> Result<&'static str> {
    if dex.header().version >= 41 && dex.header().header_offset != 0 {
        return Ok("a later file of a container, which is written as a file of its own");
    }
    if offset < dex.header().header_size as usize {
        return Ok(
            "the header does not follow from the sections: wrong checksum, signature or data size",
        );
    }
    let inventory = Inventory::from_dex(dex)?;
    let Some(items) = inventory.get(section) else {
        return Ok("offsets in the table, because the sections behind it move");
    };
    let next = dex.map().next_after(items.items.first().copied().unwrap_or(0));
    let limit = next.unwrap_or(dex.header().file_size);
    if offset as u32 >= items.end {
        return Ok("bytes behind the section's items that belong to nothing");
    }
    if items.end.next_multiple_of(4) < limit {
        return Ok("the section is longer than the items that its map entry counts");
    }
    Ok(
        "an item in a longer encoding than necessary, or one that a section in front of it has moved",
    )
}
