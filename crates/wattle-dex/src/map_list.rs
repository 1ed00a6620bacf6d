//! The map: which section is where.

use crate::cursor::Cursor;
use crate::{Result, Section};

/// `map_item`: one section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapEntry {
    /// The kind of its items.
    pub section: Section,
    /// The number of items.
    pub count: u32,
    /// Offset of the first.
    pub offset: u32,
}

/// `map_list`: the sections in file order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapList {
    entries: Vec<MapEntry>,
}

impl MapList {
    /// Reads the map at an offset.
    pub fn parse(data: &[u8], at: u32) -> Result<Self> {
        let mut cursor = Cursor::new(data, at, Section::MAP_LIST);
        let count = cursor.u32()?;
        let mut body = {
            let mut probe = cursor;
            probe.bytes((count as usize).saturating_mul(12))?;
            cursor
        };
        let mut entries: Vec<MapEntry> = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let start = body.at();
            let section = Section(body.u16()?);
            body.u16()?;
            let entry = MapEntry { section, count: body.u32()?, offset: body.u32()? };
            if entries.last().is_some_and(|last| last.offset >= entry.offset) {
                return Err(body.malformed_at(
                    start,
                    "sections in ascending order of their offsets",
                    u64::from(entry.offset),
                ));
            }
            if entries.iter().any(|other| other.section == section) {
                return Err(body.malformed_at(
                    start,
                    "each kind of section once",
                    u64::from(section.0),
                ));
            }
            // Each pass over the entries above is linear, so their number is bounded: there are 21 kinds.
            if entries.len() > 256 {
                return Err(body.malformed_at(at, "at most 256 sections", u64::from(count)));
            }
            entries.push(entry);
        }
        Ok(Self { entries })
    }

    /// The sections in file order.
    pub fn entries(&self) -> &[MapEntry] {
        &self.entries
    }

    /// The entry of one kind.
    pub fn get(&self, section: Section) -> Option<MapEntry> {
        self.entries.iter().copied().find(|entry| entry.section == section)
    }

    /// Offset of the section that follows an offset.
    pub(crate) fn next_after(&self, offset: u32) -> Option<u32> {
        self.entries.iter().map(|entry| entry.offset).find(|&next| next > offset)
    }
}
