//! The bytes of an OAT file as they lie in memory.

use object::{Architecture, Object as _, ObjectSymbol as _};

use crate::elf::Segments;
use crate::number_bytes::u32_at;

/// An OAT file: offsets count from its symbol `oatdata`.
#[derive(Clone, Debug)]
pub(super) struct OatBytes<'a> {
    bytes: &'a [u8],
    segments: Segments,
    /// The address of `oatdata`.
    start: u64,
    /// Whether the lowest bit of offsets of code says that it is Thumb.
    pub(super) is_arm: bool,
}

impl<'a> OatBytes<'a> {
    /// The bytes of an OAT file; `None` where they are not an ELF file, or one without `oatdata`.
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let file = object::File::parse(bytes).ok().filter(|_| bytes.starts_with(b"\x7fELF"))?;
        let mut symbols = file.dynamic_symbols().take(8);
        let data = symbols.find(|it| it.name_bytes().is_ok_and(|name| name == b"oatdata"))?;
        let is_arm = file.architecture() == Architecture::Arm;
        Some(Self { bytes, segments: Segments::from_file(&file), start: data.address(), is_arm })
    }

    /// Bytes from an offset on, to the end of the segment or of the file.
    pub(super) fn rest(&self, offset: u64) -> Option<&'a [u8]> {
        let range = self.segments.file_range(self.address(offset)?)?;
        let start = usize::try_from(range.start).ok()?;
        let end = usize::try_from(range.end).ok()?.min(self.bytes.len());
        self.bytes.get(start..end)
    }

    /// The number at an offset.
    pub(super) fn u32(&self, offset: u64) -> Option<u32> {
        u32_at(self.rest(offset)?, 0)
    }

    /// The address of an offset.
    pub(super) fn address(&self, offset: u64) -> Option<u64> {
        self.start.checked_add(offset)
    }

    /// Whether an offset is in code that the file holds.
    pub(super) fn is_code(&self, offset: u64) -> bool {
        self.address(offset).is_some_and(|it| self.segments.code_end(it).is_some())
    }
}
