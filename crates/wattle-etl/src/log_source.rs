//! Source of a log's bytes: a file, of which a buffer at a time is held, or memory.

use std::io::{Read, Seek, SeekFrom};

/// A log's bytes.
#[derive(Debug)]
pub(crate) enum Source<'a> {
    /// All of them.
    Memory(&'a [u8]),
    /// A file.
    File(std::fs::File),
}

impl Source<'_> {
    /// Returns the number of bytes.
    pub fn size(&mut self) -> std::io::Result<u64> {
        match self {
            Self::Memory(bytes) => Ok(bytes.len() as u64),
            Self::File(file) => file.seek(SeekFrom::End(0)),
        }
    }

    /// Puts the bytes at a place into `to`; fewer at the end.
    pub fn read(&mut self, at: u64, length: usize, to: &mut Vec<u8>) -> std::io::Result<()> {
        to.clear();
        match self {
            Self::Memory(bytes) => {
                let start = usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
                let end = start.saturating_add(length).min(bytes.len());
                to.extend_from_slice(bytes.get(start..end).unwrap_or_default());
            }
            Self::File(file) => {
                file.seek(SeekFrom::Start(at))?;
                file.take(length as u64).read_to_end(to)?;
            }
        }
        Ok(())
    }
}
