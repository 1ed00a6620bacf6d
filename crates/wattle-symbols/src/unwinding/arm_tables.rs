//! Exception tables of 32-bit Arm: `.ARM.exidx` and `.ARM.extab` (Arm IHI 0038, index table entries and exception-handling table
//! entries).

use super::mapped_table::Table;
use crate::number_bytes::u32_at;

/// The instructions that undo a function's frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ArmEntry {
    /// A thread's first function, or one that nobody returns from.
    CannotUnwind,
    /// The bytecode.
    Instructions(Vec<u8>),
}

/// The tables of a file.
#[derive(Clone, Debug)]
pub(super) struct ArmTables {
    index: Table,
    /// Entries that do not fit into the index.
    entries: Option<Table>,
}

/// A file's tables, and where the file is.
#[derive(Clone, Debug)]
pub(super) struct ArmModule {
    /// The address that the file's address 0 has in the process.
    pub(super) base: u64,
    pub(super) tables: ArmTables,
}

/// `EXIDX_CANTUNWIND`.
const CANNOT_UNWIND: u32 = 1;
/// The bit of entries in the compact model.
const COMPACT: u32 = 1 << 31;
/// Bytes of an entry of the index.
const ENTRY: usize = 8;

impl ArmTables {
    pub(super) fn new(index: Table, entries: Option<Table>) -> Self {
        Self { index, entries }
    }

    /// Number of functions in the index.
    pub(super) fn functions(&self) -> usize {
        self.index.bytes.len() / ENTRY
    }

    /// The first address of a function by its number.
    fn start(&self, number: usize) -> Option<u32> {
        relative(&self.index, number * ENTRY)
    }

    /// The entry of the function that an address of the file is in; `None` before the first function, and where the table is damaged.
    pub(super) fn entry_at(&self, address: u32) -> Option<ArmEntry> {
        let (mut low, mut high) = (0, self.functions());
        while low < high {
            let middle = low.midpoint(high);
            if self.start(middle)? <= address {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.entry(low.checked_sub(1)?)
    }

    /// The entry of a function by its number; `None` where it is damaged or reserved.
    pub(super) fn entry(&self, number: usize) -> Option<ArmEntry> {
        let at = number * ENTRY + 4;
        let word = u32_at(&self.index.bytes, at)?;
        if word == CANNOT_UNWIND {
            return Some(ArmEntry::CannotUnwind);
        }
        if word & COMPACT != 0 {
            return compact(&[word]);
        }
        let table = self.entries.as_ref()?;
        let from = u64::from(relative(&self.index, at)?).checked_sub(table.addresses.start)?;
        let words = table.bytes.get(usize::try_from(from).ok()?..)?;
        // An entry has at most a routine, the word that says how many follow, and these.
        let words: Vec<u32> = (0..2 + 255).map_while(|nth| u32_at(words, nth * 4)).collect();
        match words.first()? {
            first if first & COMPACT != 0 => compact(&words),
            // The address of a routine; GNU's and LLVM's take instructions as the compact model's second routine does, without its number.
            _ => counted(words.get(1..)?, 24),
        }
    }
}

/// An entry in the compact model: the number of the routine decides how many instructions there are.
fn compact(words: &[u32]) -> Option<ArmEntry> {
    let first = *words.first()?;
    match first >> 24 & 0x7f {
        0 => Some(ArmEntry::Instructions(first.to_be_bytes().get(1..)?.to_vec())),
        1 | 2 => counted(words, 16),
        _ => None,
    }
}

/// Instructions in the first word behind the byte at a bit, which is the number of words that follow.
fn counted(words: &[u32], bit: u32) -> Option<ArmEntry> {
    let first = *words.first()?;
    let more = (first >> bit & 0xff) as usize;
    let behind = (4 - bit / 8) as usize;
    let mut bytes = first.to_be_bytes().get(behind..)?.to_vec();
    for word in words.get(1..=more)? {
        bytes.extend(word.to_be_bytes());
    }
    Some(ArmEntry::Instructions(bytes))
}

/// The address that a word of a table points to, from its own place on (`R_ARM_PREL31`).
fn relative(table: &Table, at: usize) -> Option<u32> {
    let word = u32_at(&table.bytes, at)?;
    // 31 bits with a sign.
    let distance = (word << 1).cast_signed() >> 1;
    let place = u32::try_from(table.addresses.start).ok()?.wrapping_add(u32::try_from(at).ok()?);
    Some(place.wrapping_add_signed(distance))
}

#[cfg(test)]
mod tests {
    use super::super::mapped_table::SharedBytes;
    use super::*;

    fn table(start: u64, words: &[u32]) -> Table {
        let bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
        let end = start + bytes.len() as u64;
        Table { addresses: start..end, bytes: SharedBytes::from(bytes) }
    }

    /// The distance from the word at an address to another address.
    fn prel31(at: u32, to: u32) -> u32 {
        to.wrapping_sub(at) & 0x7fff_ffff
    }

    fn tables() -> ArmTables {
        let index = [
            prel31(0x2000, 0x1000),
            CANNOT_UNWIND,
            // Inline: pop r4 to r7 and the link.
            prel31(0x2008, 0x1010),
            0x80ab_b0b0,
            prel31(0x2010, 0x1020),
            prel31(0x2014, 0x3000),
            prel31(0x2018, 0x1030),
            prel31(0x201c, 0x3008),
            // A routine that is reserved.
            prel31(0x2020, 0x1040),
            0x8300_0000,
        ];
        let entries = [
            // Routine 1, one word more.
            0x8101_9741,
            0xd1ab_b0b0,
            // A routine of a language, then two words, the first with three bytes.
            prel31(0x3008, 0x500),
            0x0184_00b0,
            0xb0b0_b0b0,
        ];
        ArmTables::new(table(0x2000, &index), Some(table(0x3000, &entries)))
    }

    #[test]
    fn entries_in_all_forms() {
        let tables = tables();
        let bytes = |bytes: &[u8]| Some(ArmEntry::Instructions(bytes.to_vec()));
        assert_eq!(tables.entry_at(0xfff), None);
        assert_eq!(tables.entry_at(0x1000), Some(ArmEntry::CannotUnwind));
        assert_eq!(tables.entry_at(0x100f), Some(ArmEntry::CannotUnwind));
        assert_eq!(tables.entry_at(0x1010), bytes(&[0xab, 0xb0, 0xb0]));
        assert_eq!(tables.entry_at(0x102f), bytes(&[0x97, 0x41, 0xd1, 0xab, 0xb0, 0xb0]));
        assert_eq!(tables.entry_at(0x1030), bytes(&[0x84, 0x00, 0xb0, 0xb0, 0xb0, 0xb0, 0xb0]));
        assert_eq!(tables.entry_at(0x9000), None);
        assert_eq!(tables.functions(), 5);
    }

    #[test]
    fn damaged_tables_have_no_entries() {
        let mut tables = tables();
        tables.entries = Some(table(0x3000, &[0x81ff_0000]));
        assert_eq!(tables.entry(2), None, "more words than there are");
        assert_eq!(tables.entry(3), None, "outside of the table");
        tables.entries = None;
        assert_eq!(tables.entry(2), None);
        assert_eq!(tables.entry(usize::MAX / 16), None);
        assert_eq!(ArmTables::new(table(0, &[]), None).entry_at(5), None);
    }
}
