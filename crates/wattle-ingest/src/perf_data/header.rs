//! The head of a file (`struct perf_file_header`, `struct perf_pipe_file_header`).

use std::ops::Range;

use super::SIGNATURES;
use crate::trace_dat::{Cursor, Order};

/// The size that the head of a stream gives of itself.
const PIPE: usize = 16;

/// Bits for features.
const FEATURES: usize = 256;

/// A part of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    pub at: usize,
    pub size: usize,
}

impl Section {
    pub fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        Some(Self { at: cursor.size()?, size: cursor.size()? })
    }

    /// What of it is in the file.
    pub fn of<'a>(&self, file: &'a [u8]) -> &'a [u8] {
        let range = self.range(file.len());
        file.get(range).unwrap_or_default()
    }

    fn range(self, length: usize) -> Range<usize> {
        let start = self.at.min(length);
        start..self.at.saturating_add(self.size).min(length).max(start)
    }

    /// Where it ends in a file of this length.
    pub fn range_end(&self, length: usize) -> usize {
        self.range(length).end
    }

    /// Whether the file ends before it does.
    pub fn is_cut(&self, file: &[u8]) -> bool {
        self.at.saturating_add(self.size) > file.len()
    }
}

/// What the head says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub order: Order,
    /// It came through a pipe: there are only records.
    pub is_pipe: bool,
    /// Bytes of one event's attributes and the place of its numbers.
    pub attr_size: usize,
    pub attrs: Section,
    pub data: Section,
    /// Numbers of the features, which follow the data in this order.
    pub features: Vec<u32>,
}

impl Header {
    /// Reads it. `None` if it is not whole.
    pub fn read(file: &[u8]) -> Option<Self> {
        let place = SIGNATURES.iter().position(|signature| file.starts_with(signature))?;
        let order = Order { is_big: place == 1 };
        let mut cursor = Cursor::new(file, 8, order);
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

    /// Where each feature is.
    pub fn feature_sections(&self, file: &[u8]) -> Vec<(u32, Section)> {
        if self.is_unfinished() {
            return Vec::new();
        }
        let at = self.data.at.saturating_add(self.data.size);
        let mut cursor = Cursor::new(file, at, self.order);
        let sections =
            self.features.iter().map_while(|id| Some((*id, Section::read(&mut cursor)?)));
        sections.collect()
    }
}
