//! The head of a file (`struct perf_file_header`, `struct perf_pipe_file_header`).

use std::ops::Range;

use super::PerfFileError;
use wattle_wire::{ByteCursor, ByteOrder};

/// The first eight bytes of a file, in either order of bytes.
pub(super) const SIGNATURES: [&[u8]; 2] = [b"PERFILE2", b"2ELIFREP"];

/// The size that the head of a stream gives of itself.
const PIPE: usize = 16;

/// Bits for features.
const FEATURES: usize = 256;

/// A part of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Offset of its first byte.
    pub at: usize,
    /// Length in bytes, which may reach past the end of the file.
    pub size: usize,
}

impl Section {
    pub(super) fn read(cursor: &mut ByteCursor<'_>) -> Option<Self> {
        Some(Self { at: cursor.size()?, size: cursor.size()? })
    }

    /// Its bytes, as far as they are in the file.
    pub fn bytes<'a>(&self, file: &'a [u8]) -> &'a [u8] {
        let range = self.range(file.len());
        file.get(range).unwrap_or_default()
    }

    fn range(self, length: usize) -> Range<usize> {
        let start = self.at.min(length);
        start..self.at.saturating_add(self.size).min(length).max(start)
    }

    /// Offset of its end in a file of this length.
    pub fn range_end(&self, length: usize) -> usize {
        self.range(length).end
    }

    /// Whether the file ends before it does.
    pub fn is_cut(&self, file: &[u8]) -> bool {
        self.at.saturating_add(self.size) > file.len()
    }
}

/// The head of a file: the order of bytes, and the places of everything else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileHeader {
    /// Order of bytes of the machine that recorded.
    pub order: ByteOrder,
    /// Whether the file is a stream (`perf record -o -`), which has records only.
    pub is_pipe: bool,
    /// Length in bytes of one event's attributes and the section of its counters' numbers.
    pub attr_size: usize,
    /// Attributes of events.
    pub attrs: Section,
    /// Records.
    pub data: Section,
    /// Numbers of the features, which follow the data in this order.
    pub features: Vec<u32>,
}

impl FileHeader {
    /// Reads the head of a file.
    ///
    /// # Errors
    /// [`PerfFileError::NotPerfData`] for another signature, [`PerfFileError::HeaderCut`] if the file ends in its head.
    pub fn parse(file: &[u8]) -> Result<Self, PerfFileError> {
        let place = SIGNATURES.iter().position(|signature| file.starts_with(signature));
        let place = place.ok_or(PerfFileError::NotPerfData)?;
        Self::read(file, place).ok_or(PerfFileError::HeaderCut)
    }

    fn read(file: &[u8], place: usize) -> Option<Self> {
        let order = ByteOrder { is_big: place == 1 };
        let mut cursor = ByteCursor::new(file, 8, order);
        let size = cursor.size()?;
        if size == PIPE {
            let data = Section { at: PIPE, size: file.len().saturating_sub(PIPE) };
            return Some(Self { order, is_pipe: true, data, ..Self::default() });
        }
        let attr_size = cursor.size()?;
        let attrs = Section::read(&mut cursor)?;
        let data = Section::read(&mut cursor)?;
        // Names of event types, which is of no use since Linux 3.12.
        Section::read(&mut cursor)?;
        let mut features = Vec::new();
        for word in 0..FEATURES / 64 {
            let bits = cursor.u64()?;
            let set = (0..64).filter(|bit| bits >> bit & 1 == 1);
            features.extend(set.map(|bit| word as u32 * 64 + bit));
        }
        Some(Self { order, is_pipe: false, attr_size, attrs, data, features })
    }

    /// Whether the recorder had no time to write how much it recorded.
    pub fn is_unfinished(&self) -> bool {
        !self.is_pipe && self.data.size == 0
    }

    /// Offset behind everything that the head tells of; `None` where it cannot be told.
    pub fn end(&self, file: &[u8]) -> Option<usize> {
        if self.is_pipe || self.is_unfinished() {
            return None;
        }
        let of = |section: Section| section.at.saturating_add(section.size);
        // The places of features stand behind the records: two numbers of eight bytes each.
        let table = of(self.data).saturating_add(self.features.len() * 16);
        let features = self.feature_sections(file).into_iter().map(|(_, section)| of(section));
        features.chain([of(self.attrs), of(self.data), table]).max()
    }

    /// Number and section of each feature.
    pub fn feature_sections(&self, file: &[u8]) -> Vec<(u32, Section)> {
        if self.is_unfinished() {
            return Vec::new();
        }
        let at = self.data.at.saturating_add(self.data.size);
        let mut cursor = ByteCursor::new(file, at, self.order);
        let sections =
            self.features.iter().map_while(|id| Some((*id, Section::read(&mut cursor)?)));
        sections.collect()
    }
}
