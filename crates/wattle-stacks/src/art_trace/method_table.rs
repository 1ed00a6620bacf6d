//! The methods of a trace by their numbers, and what is said of them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::art_events::MethodLine;

/// Numbers below this are looked up in a table: the Android runtime counts methods, while Dalvik and its format 2 have addresses.
const DENSE: u64 = 1 << 22;
const NONE: u32 = u32::MAX;

/// A method's class and name.
type Name<'a> = (&'a [u8], &'a [u8]);

/// One method's line in [`MethodTable::lines`].
#[derive(Clone, Copy, Debug)]
struct Described {
    start: usize,
    length: u32,
    is_known: bool,
}

/// All methods, numbered from 0 in the order in which they turned up.
#[derive(Debug, Default)]
pub(super) struct MethodTable {
    dense: Vec<u32>,
    sparse: FxHashMap<u64, u32>,
    ids: Vec<u64>,
    described: Vec<Described>,
    /// Lines, one behind the other.
    lines: Vec<u8>,
}

impl MethodTable {
    /// The method with the number of the trace, the bits of the action being 0.
    #[inline]
    pub fn index(&mut self, id: u64) -> u32 {
        let slot = id / 4;
        if slot < DENSE
            && let Some(index) = self.dense.get(slot as usize)
            && *index != NONE
        {
            return *index;
        }
        self.look_up(id)
    }

    fn look_up(&mut self, id: u64) -> u32 {
        let slot = id / 4;
        if slot >= DENSE
            && let Some(index) = self.sparse.get(&id)
        {
            return *index;
        }
        self.add(id)
    }

    /// A new method under the number, which from now on means that.
    fn add(&mut self, id: u64) -> u32 {
        let index = self.ids.len() as u32;
        self.ids.push(id);
        self.described.push(Described { start: 0, length: 0, is_known: false });
        let slot = id / 4;
        if slot < DENSE {
            let slot = slot as usize;
            if self.dense.len() <= slot {
                self.dense.resize((slot + 1).next_power_of_two(), NONE);
            }
            self.dense[slot] = index;
        } else {
            self.sparse.insert(id, index);
        }
        index
    }

    /// Says what a method is. Where the number meant another one, that one was unloaded, and the number is used again.
    pub fn describe(&mut self, id: u64, line: &[u8]) {
        let mut index = self.index(id & !3);
        if self.line(index).is_some_and(|known| known != line) {
            index = self.add(id & !3);
        }
        let described =
            Described { start: self.lines.len(), length: line.len() as u32, is_known: true };
        if let Some(slot) = self.described.get_mut(index as usize)
            && !slot.is_known
        {
            *slot = described;
            self.lines.extend(line);
        }
    }

    /// Returns the number of methods.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The number of one in the trace.
    pub fn id(&self, index: u32) -> u64 {
        self.ids.get(index as usize).copied().unwrap_or_default()
    }

    /// Returns the description of one.
    pub fn line(&self, index: u32) -> Option<&[u8]> {
        let it = self.described.get(index as usize).filter(|it| it.is_known)?;
        self.lines.get(it.start..it.start + it.length as usize)
    }

    /// Takes over what another table says of methods.
    pub fn take_lines(&mut self, other: &Self) {
        for index in 0..other.len() as u32 {
            if let Some(line) = other.line(index) {
                self.describe(other.id(index), line);
            }
        }
    }

    /// Classes and names that several methods bear, so that only their descriptors tell them apart.
    pub fn overloaded(&self) -> FxHashSet<Name<'_>> {
        let mut one: FxHashMap<Name<'_>, Option<&[u8]>> = FxHashMap::default();
        let mut several = FxHashSet::default();
        for line in (0..self.len() as u32).filter_map(|index| self.line(index)) {
            let method = MethodLine::parse(line);
            let key = (method.class, method.name);
            let known = *one.entry(key).or_insert(method.descriptor);
            if known != method.descriptor {
                several.insert(key);
            }
        }
        several
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_both_kinds() {
        for id in [8, 0x7f00_1234_5678] {
            let mut table = MethodTable::default();
            let first = table.index(id);
            assert_eq!((table.index(id), table.line(first)), (first, None));
            table.describe(id | 1, b"a.B\tc\t()V\t");
            table.describe(id, b"a.B\tc\t()V\t");
            assert_eq!(table.index(id), first);
            // Unloaded, and the number given to another one.
            table.describe(id, b"a.B\tc\t(I)V\t");
            let second = table.index(id);
            assert_ne!(first, second);
            assert_eq!(table.line(first), Some(&b"a.B\tc\t()V\t"[..]));
            assert_eq!(table.line(second), Some(&b"a.B\tc\t(I)V\t"[..]));
            assert_eq!((table.id(second), table.len()), (id, 2));
            assert!(table.overloaded().contains(&(&b"a.B"[..], &b"c"[..])));
        }
    }
}
