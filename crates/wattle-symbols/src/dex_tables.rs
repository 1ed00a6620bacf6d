//! Names and methods of a Dalvik executable, standard or compact.
//!
//! Compact executables (`cdex001`, Android 9 to 13) are in `.vdex` files. Their tables are those of standard ones; what these point to
//! (strings, members of classes, code) is in a section that several executables share, and counts from its start.

use wattle_dex::Mutf8;

use crate::dotted_name::java_class;
use crate::number_bytes::{u16_at, u32_at, uleb};

/// `DexFile::kDexMagic`.
const STANDARD: &[u8] = b"dex\n0";
/// `CompactDexFile::kDexMagic` and its only version.
const COMPACT: &[u8] = b"cdex001\0";
/// The version from which on offsets count from the start of a container of several executables.
const CONTAINERS: &[u8] = b"dex\n041\0";
/// Executables in files that hold others are aligned to this.
pub(crate) const ALIGNMENT: usize = 4;
/// `DEX_NO_INDEX`.
const NO_INDEX: u32 = u32::MAX;
/// No name is longer, in bytes.
const LONGEST: usize = 1 << 16;

/// An identifier table: its entries and its first byte.
#[derive(Clone, Copy, Debug)]
struct Table {
    count: u32,
    start: u32,
}

/// The tables of an executable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DexTables<'a> {
    /// From where the offsets of tables count, and where that is in the file.
    base: &'a [u8],
    start: usize,
    /// From where the offsets of data count, and where that is behind `base`.
    data: &'a [u8],
    data_start: usize,
    /// The place of the header behind `base`: not at 0 in a container of several executables.
    header: u32,
    /// Strings, types, methods, classes.
    tables: [Table; 4],
    /// Bytes of the file from its header on, without the data that compact ones share.
    size: usize,
    is_compact: bool,
}

/// A method of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClassMethod {
    /// Its number in the table of methods.
    pub(crate) method: u32,
    /// Offset of its code among the data; 0 for none.
    pub(crate) code: u32,
}

impl<'a> DexTables<'a> {
    /// The executables in a file, in order. They are found by their magic.
    pub(crate) fn find(bytes: &'a [u8]) -> Vec<Self> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(at) = memchr::memmem::find(bytes.get(from..).unwrap_or_default(), b"dex") {
            let magic = from + at;
            from = magic + 3;
            // `dex`, or `cdex`.
            let starts = [Some(magic), magic.checked_sub(1)].into_iter().flatten();
            let mut aligned = starts.filter(|start| start.is_multiple_of(ALIGNMENT));
            let parsed = aligned.find_map(|start| Some((start, Self::parse(bytes, start)?)));
            if let Some((start, tables)) = parsed {
                from = from.max(start.saturating_add(tables.size));
                found.push(tables);
            }
        }
        found
    }

    /// The executable whose header is at a place.
    pub(crate) fn parse(bytes: &'a [u8], at: usize) -> Option<Self> {
        let file = bytes.get(at..)?;
        let is_compact = file.starts_with(COMPACT);
        if !is_compact && !file.starts_with(STANDARD) {
            return None;
        }
        let is_contained = !is_compact && file.get(..8)? >= CONTAINERS;
        let header = if is_contained { u32_at(file, 0x74)? } else { 0 };
        let start = at.checked_sub(header as usize)?;
        let base = bytes.get(start..)?;
        let size = u32_at(file, 0x20)? as usize;
        let table = |at: usize, entry: u64| {
            let table = Table { count: u32_at(file, at)?, start: u32_at(file, at + 4)? };
            let end = u64::from(table.start) + u64::from(table.count) * entry;
            (end <= base.len() as u64).then_some(table)
        };
        let tables = [table(0x38, 4)?, table(0x40, 4)?, table(0x58, 8)?, table(0x60, 32)?];
        let (data, data_start) = if is_compact {
            let (length, from) = (u32_at(file, 0x68)? as usize, u32_at(file, 0x6c)? as usize);
            (base.get(from..from.checked_add(length)?)?, from)
        } else {
            (base, 0)
        };
        Some(Self { base, start, data, data_start, header, tables, size, is_compact })
    }

    /// The bytes from which offsets count, where they begin in the file, and where the header is in them.
    pub(crate) fn bytes(&self) -> (&'a [u8], usize, u32) {
        (self.base, self.start, self.header)
    }

    pub(crate) fn is_compact(&self) -> bool {
        self.is_compact
    }

    /// Number of its classes.
    pub(crate) fn classes(&self) -> u32 {
        self.tables[3].count
    }

    fn entry(&self, table: usize, index: u32, size: usize) -> Option<&'a [u8]> {
        let Table { count, start } = *self.tables.get(table)?;
        let at = (index < count).then_some(start as usize)?.checked_add(index as usize * size)?;
        self.base.get(at..at.checked_add(size)?)
    }

    /// A string by its number.
    pub(crate) fn string(&self, index: u32) -> Option<String> {
        let mut at = u32_at(self.entry(0, index, 4)?, 0)? as usize;
        uleb(self.data, &mut at)?;
        let rest = self.data.get(at..)?;
        let rest = rest.get(..LONGEST).unwrap_or(rest);
        let end = memchr::memchr(0, rest)?;
        Some(Mutf8::new(rest.get(..end)?).to_str().into_owned())
    }

    /// A method as Java writes it, `java.lang.String.length`.
    pub(crate) fn method_name(&self, method: u32) -> Option<String> {
        let entry = self.entry(2, method, 8)?;
        let class = self.entry(1, u32::from(u16_at(entry, 0)?), 4)?;
        let class = java_class(&self.string(u32_at(class, 0)?)?);
        let name = self.string(u32_at(entry, 4)?)?;
        Some(format!("{class}.{name}"))
    }

    /// The name of a class's source file.
    pub(crate) fn source_file(&self, class: u32) -> Option<String> {
        let source = u32_at(self.entry(3, class, 32)?, 16)?;
        (source != NO_INDEX).then(|| self.string(source)).flatten()
    }

    /// The methods of a class in the order in which the runtime counts them, at most so many: direct ones, then virtual ones. What
    /// cannot be read ends them.
    pub(crate) fn class_methods(&self, class: u32, most: usize) -> Vec<ClassMethod> {
        let mut methods = Vec::new();
        let start = self.entry(3, class, 32).and_then(|it| u32_at(it, 24)).unwrap_or(0);
        if start > 0 {
            // The members so far are right where the rest is damaged.
            let _ = self.add_methods(start as usize, most, &mut methods);
        }
        methods
    }

    fn add_methods(&self, mut at: usize, most: usize, to: &mut Vec<ClassMethod>) -> Option<()> {
        let mut next = || uleb(self.data, &mut at);
        let fields = u64::from(next()?) + u64::from(next()?);
        let kinds = [next()?, next()?];
        for _ in 0..fields {
            next()?;
            next()?;
        }
        for count in kinds {
            let mut method = 0_u32;
            for _ in 0..count {
                if to.len() >= most {
                    return None;
                }
                method = method.checked_add(next()?)?;
                next()?;
                to.push(ClassMethod { method, code: next()? });
            }
        }
        Some(())
    }

    /// The instructions of a method of a compact executable, in bytes of the file.
    pub(crate) fn compact_code(&self, code: u32) -> Option<std::ops::Range<u64>> {
        /// `CompactDexFile::CodeItem::kFlagPreHeaderInsnsSize`: the number of instructions has more bits, before the item.
        const MORE_UNITS: u16 = 1 << 4;
        const HEADER: usize = 4;
        let at = code as usize;
        let packed = u16_at(self.data, at.checked_add(2)?)?;
        let mut units = u64::from(packed >> 5);
        if packed & MORE_UNITS != 0 {
            units += u64::from(u16_at(self.data, at.checked_sub(2)?)?);
            units += u64::from(u16_at(self.data, at.checked_sub(4)?)?) << 16;
        }
        let start = (self.start + self.data_start + at + HEADER) as u64;
        Some(start..start + 2 * units)
    }
}
