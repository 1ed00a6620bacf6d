//! One input file as an importer gets it.

use std::fs::File;
use std::io::Read;

use crate::Progress;

/// An input file: its name, its bytes, and whom to notify of progress.
pub struct Artifact<'a> {
    /// The name that messages show.
    pub name: &'a str,
    /// Its size in bytes, if that is known. Of packed input it is not.
    pub total: Option<u64>,
    /// Its bytes, from the first on.
    pub source: Source<'a>,
    /// Notified of how far reading is.
    pub progress: &'a mut dyn Progress,
}

impl<'a> Artifact<'a> {
    /// An artifact in memory.
    pub fn memory(name: &'a str, bytes: &'a [u8], progress: &'a mut dyn Progress) -> Self {
        Self { name, total: Some(bytes.len() as u64), source: Source::Memory(bytes), progress }
    }
}

/// The bytes of an artifact. Any source can be read as a stream; an importer that needs less memory with random access looks which
/// one it is.
pub enum Source<'a> {
    /// All of them, in memory.
    Memory(&'a [u8]),
    /// A regular file, at its beginning.
    File(File),
    /// Anything else: a pipe, or what comes out of an unpacker.
    Stream(Box<dyn Read + Send + 'a>),
}

impl Read for Source<'_> {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Memory(bytes) => bytes.read(buffer),
            Self::File(file) => file.read(buffer),
            Self::Stream(stream) => stream.read(buffer),
        }
    }

    fn read_to_end(&mut self, into: &mut Vec<u8>) -> std::io::Result<usize> {
        match self {
            Self::Memory(bytes) => bytes.read_to_end(into),
            Self::File(file) => file.read_to_end(into),
            Self::Stream(stream) => stream.read_to_end(into),
        }
    }
}
