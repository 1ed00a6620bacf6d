//! The tables of an OAT file.

use std::collections::BTreeMap;

use super::OatError;
use super::oat_bytes::OatBytes;
use super::oat_layout::{CodeSize, OatLayout};
use crate::JavaMethod;
use crate::dex_tables::DexTables;
use crate::number_bytes::u32_at;

/// `OatHeader::kOatMagic`.
const MAGIC: &[u8] = b"oat\n";
/// Of an executable.
const DEX_MAGIC: &[u8] = b"dex\n0";
/// More executables are in no file.
const MOST_FILES: u32 = 1 << 12;
/// No location is longer, in bytes.
const LONGEST: usize = 1 << 12;
/// An executable cannot refer to more than 65536 methods; damaged classes may all have the same ones.
const MOST_METHODS: usize = 1 << 22;

/// An OAT file.
#[derive(Clone, Debug)]
pub(crate) struct OatFile<'a> {
    bytes: OatBytes<'a>,
    layout: OatLayout,
    dex_files: Vec<OatDexFile>,
}

/// An executable whose methods an OAT file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OatDexFile {
    /// Path of the package or of the executable; for further ones of a package `base.apk!classes2.dex`.
    pub(crate) location: String,
    /// The checksum of its entry in the package, which `.vdex` files have, too.
    pub(crate) checksum: u32,
    /// Offset of the list of offsets of its classes.
    classes: u32,
}

impl<'a> OatFile<'a> {
    /// Of an ELF file; `None` where it is no OAT file.
    pub(crate) fn parse(elf: &'a [u8]) -> Option<Result<Self, OatError>> {
        let bytes = OatBytes::new(elf)?;
        let header = bytes.rest(0).filter(|it| it.starts_with(MAGIC))?;
        let version = *header.get(4..)?.first_chunk()?;
        Some(OatLayout::new(version).and_then(|layout| {
            let mut file = Self { bytes, layout, dex_files: Vec::new() };
            let damaged = OatError::Truncated { part: "the list of executables" };
            file.read_dex_files(header).ok_or(damaged)?;
            Ok(file)
        }))
    }

    fn read_dex_files(&mut self, header: &[u8]) -> Option<()> {
        let (count, mut at) = (u32_at(header, 20)?, u64::from(u32_at(header, 24)?));
        let count = count.min(MOST_FILES);
        for nth in 1..=count {
            let record = self.bytes.rest(at)?;
            let length = u32_at(record, 0)? as usize;
            let location = record.get(4..4 + length).filter(|_| length <= LONGEST)?;
            // Since 2023 the executable's magic and SHA-1 are there, too. Numbers of versions do not say it: releases and the main
            // branch have given the same ones to both.
            let has_magic = record.get(4 + length..)?.starts_with(DEX_MAGIC);
            let (magic, sha1) = if has_magic { (8, 20) } else { (0, 0) };
            let checksum = 4 + length + magic;
            let classes = checksum + 4 + sha1 + 4;
            self.dex_files.push(OatDexFile {
                location: String::from_utf8_lossy(location).into_owned(),
                checksum: u32_at(record, checksum)?,
                classes: u32_at(record, classes)?,
            });
            let mut end = classes + 4 * self.layout.last_numbers;
            let is_checked = self.layout.may_have_more && nth < count;
            if is_checked && !self.begins_record(record.get(end..)?) {
                end += 4;
            }
            at += end as u64;
        }
        Some(())
    }

    /// Whether a further record may begin here: those of one package have the location of the first, with `!` behind it, and all have paths.
    fn begins_record(&self, bytes: &[u8]) -> bool {
        let Some(length) = u32_at(bytes, 0) else { return false };
        let Some(location) = bytes.get(4..4 + length as usize) else { return false };
        let base = self.dex_files.first().map_or("", |it| &it.location);
        location.starts_with(b"/") || (!base.is_empty() && location.starts_with(base.as_bytes()))
    }

    /// The executables in order.
    pub(crate) fn dex_files(&self) -> &[OatDexFile] {
        &self.dex_files
    }

    /// The compiled methods of executables, by address: each with its tables.
    pub(crate) fn methods(&self, files: &[(&OatDexFile, DexTables<'_>)]) -> Vec<JavaMethod> {
        // By offset of the code: the first method with it, and the number of all.
        let mut found: BTreeMap<u32, (usize, u32, u64)> = BTreeMap::new();
        let mut left = MOST_METHODS;
        for (nth, (file, tables)) in files.iter().enumerate() {
            for class in 0..tables.classes() {
                let methods = tables.class_methods(class, left);
                left -= methods.len();
                let codes = self.codes(file, class, methods.len());
                for (method, code) in methods.iter().zip(codes) {
                    let Some(code) = code.filter(|it| self.bytes.is_code(u64::from(*it))) else {
                        continue;
                    };
                    found.entry(code).or_insert((nth, method.method, 0)).2 += 1;
                }
            }
        }
        let starts: Vec<u32> = found.keys().copied().collect();
        let named = found.into_iter().zip(1..).filter_map(|((code, (file, method, all)), next)| {
            let name = files.get(file)?.1.method_name(method)?;
            let next = starts.get(next).map(|next| u64::from(next - code));
            Some(JavaMethod {
                start: self.bytes.address(u64::from(code))?,
                size: self.code_size(u64::from(code), next),
                name: match all {
                    1 => name,
                    all => format!("{name} +{} with the same code", all - 1),
                },
            })
        });
        named.collect()
    }

    /// The offsets of the code of a class's methods, in the order of the executable.
    fn codes(&self, file: &OatDexFile, class: u32, methods: usize) -> Vec<Option<u32>> {
        self.class_codes(file, class, methods).unwrap_or_default()
    }

    fn class_codes(
        &self,
        file: &OatDexFile,
        class: u32,
        methods: usize,
    ) -> Option<Vec<Option<u32>>> {
        const ALL_COMPILED: u32 = 0;
        const SOME_COMPILED: u32 = 1;
        let offset = u64::from(file.classes) + 4 * u64::from(class);
        let record = self.bytes.rest(u64::from(self.bytes.u32(offset)?))?;
        // The class's state is in the lower half.
        let kind = u32_at(record, 0)? >> 16;
        let mut at = 4;
        let mut count = methods;
        if self.layout.has_method_count && kind <= SOME_COMPILED {
            count = methods.min(u32_at(record, at)? as usize);
            at += 4;
        }
        let bits = match kind {
            ALL_COMPILED => None,
            SOME_COMPILED if self.layout.has_method_count => {
                let length = (u32_at(record, 4)? as usize).div_ceil(32) * 4;
                let bits = record.get(at..at.checked_add(length)?)?;
                at += length;
                Some(bits)
            }
            SOME_COMPILED => {
                let length = u32_at(record, at)? as usize;
                let bits = record.get(at + 4..(at + 4).checked_add(length)?)?;
                at += 4 + length;
                Some(bits)
            }
            _ => return None,
        };
        let has = |method: usize| {
            bits.is_none_or(|bits| {
                bits.get(method / 8).is_some_and(|it| it >> (method % 8) & 1 == 1)
            })
        };
        let mut codes = Vec::new();
        for method in 0..count {
            let mut code = 0;
            if has(method) {
                code = u32_at(record, at)?;
                at += 4;
            }
            let code = if self.bytes.is_arm { code & !1 } else { code };
            codes.push((code > 0).then_some(code));
        }
        Some(codes)
    }

    /// The size of a method's code. Where the file does not say it, or not in a way that is known, the code goes on to the next
    /// method's; 0 for the last one.
    fn code_size(&self, code: u64, next: Option<u64>) -> u64 {
        // The highest bit since version 238; before that the second, while the highest says something else of methods.
        const IS_INFO: u32 = 0b11 << 30;
        let before = code.checked_sub(4).and_then(|at| self.bytes.u32(at)).unwrap_or(0);
        let info = |distance: u32| {
            let info = self.bytes.rest(code.checked_sub(u64::from(distance))?)?;
            Some(size_in_code_info(info))
        };
        let size = match self.layout.code_size {
            CodeSize::Before => Some(u64::from(before & !(1 << 31))),
            CodeSize::BeforeOrInfo if before & IS_INFO == 0 => Some(u64::from(before)),
            CodeSize::BeforeOrInfo => info(before & !IS_INFO),
            CodeSize::Info => info(before),
        };
        let is_sound = |size: &u64| *size > 0 && next.is_none_or(|next| *size <= next);
        size.filter(is_sound).or(next).unwrap_or(0)
    }
}

/// The second of the seven numbers that begin a `CodeInfo`: the size of the code. Each has four bits first; more than 11 of these say in how
/// many bytes the number follows (`BitMemoryReader::ReadInterleavedVarints`).
fn size_in_code_info(bytes: &[u8]) -> u64 {
    const NUMBERS: u32 = 7;
    const LARGEST: u128 = 11;
    let mut start = [0; 16];
    for (to, from) in start.iter_mut().zip(bytes) {
        *to = *from;
    }
    let bits = u128::from_le_bytes(start);
    let (flags, size) = (bits & 15, bits >> 4 & 15);
    if size <= LARGEST {
        return size as u64;
    }
    let skipped = flags.saturating_sub(LARGEST) * 8;
    let rest = bits >> (NUMBERS * 4) >> skipped;
    let length = (size - LARGEST) * 8;
    (rest & ((1 << length) - 1)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_code_are_packed() {
        // 72 bytes of code behind flags of four bits: the size has one byte (12), at bit 28.
        let bits: u128 = 0x1 | 0xc << 4 | 0x48 << 28;
        assert_eq!(size_in_code_info(&bits.to_le_bytes()), 72);
        // Behind flags of a byte, 300 in two bytes.
        let bits: u128 = 0xc | 0xd << 4 | 0xff << 28 | 0x12c << 36;
        assert_eq!(size_in_code_info(&bits.to_le_bytes()), 300);
        assert_eq!(size_in_code_info(&[0x80]), 8);
        assert_eq!(size_in_code_info(&[]), 0);
    }
}
