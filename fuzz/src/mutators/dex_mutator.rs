//! Dalvik executables item by item: file size, checksum and digest fit again.

use super::{Mutator, put, u32_at};

/// Tables that the header names: offset of the count in the header, bytes of an item.
const TABLES: [(usize, usize); 6] =
    [(0x38, 4), (0x40, 4), (0x48, 12), (0x50, 8), (0x58, 8), (0x60, 32)];
/// Bytes of the header.
const HEADER: usize = 0x70;
/// Count and offset of the data behind the tables.
const DATA: usize = 0x68;
/// Offset of the map's offset in the header.
const MAP: usize = 0x34;

pub fn mutated(mutator: &mut Mutator<'_>, bytes: &[u8]) -> Option<Vec<u8>> {
    if !bytes.starts_with(b"dex\n") || bytes.len() < HEADER {
        return None;
    }
    let mut all = bytes.to_vec();
    for _ in 0..=mutator.below(3) {
        match mutator.below(8) {
            0 => {
                // A count or an offset of the header.
                mutator.word(&mut all[0x2c..HEADER]);
            }
            1..=3 => item(mutator, &mut all)?,
            4 => {
                // The list of all sections.
                let map = u32_at(&all, MAP)?.min(all.len());
                mutator.word(&mut all[map..]);
            }
            5 => {
                // Something behind that the data does not yet contain.
                let part = all.len().min(64);
                let at = mutator.below(all.len() - part + 1);
                let copy = all[at..at + part].to_vec();
                all.extend(copy);
            }
            _ => {
                let data = u32_at(&all, DATA + 4)?.min(all.len());
                mutator.word(&mut all[data..]);
            }
        }
    }
    let size = (all.len() as u32).to_le_bytes();
    put(&mut all, 0x20, &size);
    wattle_dex::seal(&mut all);
    Some(all)
}

/// Changes an index or an offset of an item, or puts another item in its place.
fn item(mutator: &mut Mutator<'_>, all: &mut [u8]) -> Option<()> {
    let (count_at, size) = TABLES[mutator.below(TABLES.len())];
    let (count, offset) = (u32_at(all, count_at)?, u32_at(all, count_at + 4)?);
    let end = offset.checked_add(count.checked_mul(size)?)?;
    if count == 0 || end > all.len() {
        return Some(());
    }
    let (one, other) = (mutator.below(count), mutator.below(count));
    let (one, other) = (offset + one * size, offset + other * size);
    match mutator.below(3) {
        0 => all.copy_within(other..other + size, one),
        1 => mutator.word(&mut all[one..one + size]),
        _ => {
            // An index that is there in some table.
            let (count_at, _) = TABLES[mutator.below(TABLES.len())];
            let index = mutator.below(u32_at(all, count_at)?) as u32;
            let at = one + mutator.below(size / 2) * 2;
            let width = if mutator.one_in(2) && at + 4 <= one + size { 4 } else { 2 };
            put(all, at, &index.to_le_bytes()[..width]);
        }
    }
    Some(())
}
