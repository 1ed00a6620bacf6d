//! The mappings of one process, or of the kernel.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::perf_file::Mapping;

/// A mapping and the number of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MappedFile {
    pub mapping: Mapping,
    pub file: u32,
}

/// Mappings of one process, and frames that were found in it.
#[derive(Clone, Debug, Default)]
pub(super) struct AddressSpace {
    maps: Rc<BTreeMap<u64, MappedFile>>,
    /// Frames by address, as long as the mappings stay as they are.
    pub frames: FxHashMap<u64, u32>,
    /// The number by which the timeline knows the mappings as they are now.
    pub number: Option<u32>,
}

impl AddressSpace {
    /// Maps something over whatever was there.
    pub fn map(&mut self, mapped: MappedFile) {
        let Mapping { start, end, .. } = mapped.mapping;
        if end <= start {
            return;
        }
        self.frames.clear();
        self.number = None;
        let maps = Rc::make_mut(&mut self.maps);
        // One that begins before may reach into it, or past it.
        if let Some((_, before)) = maps.range_mut(..start).next_back()
            && before.mapping.end > start
        {
            let whole = *before;
            before.mapping.end = start;
            if whole.mapping.end > end {
                maps.insert(end, rest(whole, end));
            }
        }
        while let Some((&from, &covered)) = maps.range(start..end).next() {
            maps.remove(&from);
            if covered.mapping.end > end {
                maps.insert(end, rest(covered, end));
            }
        }
        maps.insert(start, mapped);
    }

    /// The mapping at an address.
    pub fn find(&self, address: u64) -> Option<&MappedFile> {
        let (_, mapped) = self.maps.range(..=address).next_back()?;
        (address < mapped.mapping.end).then_some(mapped)
    }

    /// All mappings, in order of addresses.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &MappedFile> {
        self.maps.values()
    }

    /// The same mappings for a process that begins with those of another one.
    pub fn fork(&self) -> Self {
        Self { maps: Rc::clone(&self.maps), frames: FxHashMap::default(), number: self.number }
    }

    /// Number of mappings that a change would copy.
    pub fn shared(&self) -> usize {
        if Rc::strong_count(&self.maps) > 1 { self.maps.len() } else { 0 }
    }
}

/// The rest of a mapping from an address on.
fn rest(mapped: MappedFile, from: u64) -> MappedFile {
    let offset = mapped.mapping.offset.wrapping_add(from - mapped.mapping.start);
    MappedFile { mapping: Mapping { start: from, offset, ..mapped.mapping }, ..mapped }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(start: u64, end: u64, file: u32) -> MappedFile {
        let offset = 1000 * u64::from(file);
        MappedFile { mapping: Mapping { start, end, offset, holds_jit_symbols: false }, file }
    }

    #[track_caller]
    fn check(mappings: &[(u64, u64, u32)], expected: &[(u64, Option<(u32, u64)>)]) {
        let mut space = AddressSpace::default();
        for (start, end, file) in mappings {
            space.map(mapping(*start, *end, *file));
        }
        for (address, file) in expected {
            let found = space.find(*address);
            let found = found.map(|it| (it.file, address - it.mapping.start + it.mapping.offset));
            assert_eq!(found, *file, "{address}");
        }
    }

    #[test]
    fn a_later_mapping_covers_earlier_ones() {
        let whole = [(0, None), (10, Some((1, 1000))), (19, Some((1, 1009))), (20, None)];
        check(&[(10, 20, 1)], &whole);
        let inside =
            [(11, Some((1, 1001))), (12, Some((2, 2000))), (15, Some((1, 1005))), (20, None)];
        check(&[(10, 20, 1), (12, 15, 2)], &inside);
        let across = [
            (10, Some((1, 1000))),
            (14, Some((3, 3000))),
            (29, Some((3, 3015))),
            (35, Some((2, 2010))),
        ];
        check(&[(10, 20, 1), (25, 40, 2), (14, 30, 3)], &across);
        check(
            &[(10, 20, 1), (5, 5, 2), (0, 100, 3)],
            &[(5, Some((3, 3005))), (15, Some((3, 3015)))],
        );
    }

    #[test]
    fn a_child_has_its_own_changes() {
        let mut parent = AddressSpace::default();
        parent.map(mapping(10, 20, 1));
        let mut child = parent.fork();
        child.map(mapping(10, 20, 2));
        assert_eq!(parent.find(12).map(|it| it.file), Some(1));
        assert_eq!(child.find(12).map(|it| it.file), Some(2));
    }
}
