//! Lines of a text by offset.

/// The offsets at which the lines of a text begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLines {
    starts: Vec<u32>,
    length: u32,
}

impl TextLines {
    /// The lines of a text.
    pub fn new(text: &str) -> Self {
        let behind = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(behind.map(|(at, _)| at as u32 + 1)).collect();
        Self { starts, length: text.len() as u32 }
    }

    /// The line of an offset, from 0.
    pub fn line_at(&self, offset: usize) -> u32 {
        let next = self.starts.partition_point(|start| *start as usize <= offset);
        next.saturating_sub(1) as u32
    }

    /// The number of lines, at least one.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The bytes of a line, with its end; `None` behind the last one.
    pub fn range(&self, line: u32) -> Option<std::ops::Range<usize>> {
        let start = *self.starts.get(line as usize)?;
        let end = self.starts.get(line as usize + 1).copied().unwrap_or(self.length);
        Some(start as usize..end as usize)
    }
}
