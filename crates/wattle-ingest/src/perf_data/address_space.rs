//! What is mapped where in one process, or in the kernel.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::mapping::Mapping;

/// Mappings of one process, and frames that were found in it.
#[derive(Clone, Debug, Default)]
pub(super) struct AddressSpace {
    maps: Rc<BTreeMap<u64, Mapping>>,
    /// Frames by address, as long as the mappings stay as they are.
    pub frames: FxHashMap<u64, u32>,
}

impl AddressSpace {
    /// Maps something over whatever was there.
    pub fn map(&mut self, mapping: Mapping) {
        if mapping.end <= mapping.start {
            return;
        }
        self.frames.clear();
        let maps = Rc::make_mut(&mut self.maps);
        // One that begins before may reach into it, or past it.
        if let Some((_, before)) = maps.range_mut(..mapping.start).next_back()
            && before.end > mapping.start
        {
            let whole = *before;
            before.end = mapping.start;
            if whole.end > mapping.end {
                maps.insert(mapping.end, rest(whole, mapping.end));
            }
        }
        while let Some((&start, &covered)) = maps.range(mapping.start..mapping.end).next() {
            maps.remove(&start);
            if covered.end > mapping.end {
                maps.insert(mapping.end, rest(covered, mapping.end));
            }
        }
        maps.insert(mapping.start, mapping);
    }

    /// The mapping at an address.
    pub fn find(&self, address: u64) -> Option<&Mapping> {
        let (_, mapping) = self.maps.range(..=address).next_back()?;
        (address < mapping.end).then_some(mapping)
    }

    /// The same mappings for a process that begins with those of another one.
    pub fn fork(&self) -> Self {
        Self { maps: Rc::clone(&self.maps), frames: FxHashMap::default() }
    }

    /// How many mappings a change would copy.
    pub fn shared(&self) -> usize {
        if Rc::strong_count(&self.maps) > 1 { self.maps.len() } else { 0 }
    }
}

/// What is left of a mapping from an address on.
fn rest(mapping: Mapping, from: u64) -> Mapping {
    let offset = mapping.offset.wrapping_add(from - mapping.start);
    Mapping { start: from, offset, ..mapping }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(start: u64, end: u64, file: u32) -> Mapping {
        Mapping { start, end, offset: 1000 * u64::from(file), file, holds_jit_symbols: false }
    }

    #[track_caller]
    fn check(mappings: &[(u64, u64, u32)], expected: &[(u64, Option<(u32, u64)>)]) {
        let mut space = AddressSpace::default();
        for (start, end, file) in mappings {
            space.map(mapping(*start, *end, *file));
        }
        for (address, file) in expected {
            let found = space.find(*address).map(|it| (it.file, address - it.start + it.offset));
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
