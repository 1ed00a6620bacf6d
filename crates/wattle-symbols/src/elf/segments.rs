//! From offsets in a file to addresses in it.

use object::{Object as _, ObjectSegment as _, SegmentFlags};

/// One `PT_LOAD` program header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Loaded {
    /// `p_offset`.
    offset: u64,
    /// `p_filesz`.
    size: u64,
    /// `p_vaddr`.
    address: u64,
    /// `p_memsz`.
    memory: u64,
    /// `PF_X`.
    is_code: bool,
}

/// The mapping of a file's parts to addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Segments(Vec<Loaded>);

impl Segments {
    pub(crate) fn from_file(file: &object::File<'_>) -> Self {
        let of = |segment: object::Segment<'_, '_>| {
            let (offset, size) = segment.file_range();
            let is_code = match segment.flags() {
                SegmentFlags::Elf { p_flags, .. } => p_flags.0 & object::elf::PF_X.0 != 0,
                _ => false,
            };
            Loaded { offset, size, address: segment.address(), memory: segment.size(), is_code }
        };
        Self(file.segments().map(of).collect())
    }

    /// Whether the file holds the code itself: files with nothing but debug data keep the headers and drop what they are of, with
    /// offsets that mean nothing.
    pub(crate) fn has_code(&self) -> bool {
        self.0.iter().any(|it| it.is_code && it.size > 0)
    }

    /// The address that an offset in the file is mapped to. Code goes first: segments may share a page of the file.
    pub(crate) fn address(&self, offset: u64) -> Option<u64> {
        let within =
            |it: &&Loaded| offset.checked_sub(it.offset).is_some_and(|distance| distance < it.size);
        let code = self.0.iter().filter(|it| it.is_code).find(within);
        let found = code.or_else(|| self.0.iter().find(within))?;
        found.address.checked_add(offset - found.offset)
    }

    /// The place of an address in the file, and of the end of its segment there.
    pub(crate) fn file_range(&self, address: u64) -> Option<std::ops::Range<u64>> {
        self.0.iter().find_map(|it| {
            let distance = address.checked_sub(it.address).filter(|at| *at < it.size)?;
            Some(it.offset.checked_add(distance)?..it.offset.checked_add(it.size)?)
        })
    }

    /// The distance from offsets to addresses in the code that a part of the file holds; wraps.
    pub(crate) fn distance(&self, offsets: std::ops::Range<u64>) -> Option<u64> {
        let overlaps = |it: &&Loaded| {
            it.is_code
                && it.offset < offsets.end
                && it.offset.saturating_add(it.size) > offsets.start
        };
        let found = self.0.iter().find(overlaps)?;
        Some(found.address.wrapping_sub(found.offset))
    }

    /// End of the code that an address is in.
    pub(crate) fn code_end(&self, address: u64) -> Option<u64> {
        let within = |it: &&Loaded| {
            it.is_code && address.checked_sub(it.address).is_some_and(|at| at < it.memory)
        };
        self.0.iter().find(within).map(|it| it.address.saturating_add(it.memory))
    }
}
