//! The bytes of a PDB file, read by page.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use pdb2::{Source, SourceSlice, SourceView};

/// A file, or bytes out of an archive. Of a file only the streams that are asked for are read: those of a browser have gigabytes.
#[derive(Debug)]
pub(crate) enum PdbBytes {
    File { file: File, size: u64 },
    Memory(Vec<u8>),
}

impl PdbBytes {
    /// A regular file.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let facts = file.metadata()?;
        if !facts.is_file() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(Self::File { file, size: facts.len() })
    }

    fn size(&self) -> u64 {
        match self {
            Self::File { size, .. } => *size,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }
}

/// Bytes of a stream.
#[derive(Debug)]
struct Stream(Vec<u8>);

impl SourceView<'_> for Stream {
    fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

impl<'s> Source<'s> for PdbBytes {
    /// A stream is no larger than the file that it is in, whatever the file's directory says.
    fn view(
        &mut self,
        slices: &[SourceSlice],
    ) -> Result<Box<dyn SourceView<'s> + Send + Sync>, io::Error> {
        let size = self.size();
        let mut left = size;
        for slice in slices {
            let is_inside =
                slice.offset.checked_add(slice.size as u64).is_some_and(|it| it <= size);
            left = left
                .checked_sub(slice.size as u64)
                .filter(|_| is_inside)
                .ok_or(io::ErrorKind::UnexpectedEof)?;
        }
        let mut stream = Vec::with_capacity((size - left) as usize);
        for slice in slices {
            match self {
                Self::File { file, .. } => {
                    file.seek(SeekFrom::Start(slice.offset))?;
                    let read = file.take(slice.size as u64).read_to_end(&mut stream)?;
                    if read < slice.size {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Self::Memory(bytes) => {
                    let from = slice.offset as usize;
                    let part = bytes.get(from..from + slice.size);
                    stream.extend(part.ok_or(io::ErrorKind::UnexpectedEof)?);
                }
            }
        }
        Ok(Box::new(Stream(stream)))
    }
}
