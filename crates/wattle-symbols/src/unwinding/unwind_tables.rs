//! The parts of an ELF file that callers are found by.

use std::ops::Range;

use framehop::{ExplicitModuleSectionInfo, Module};
use object::{Object as _, ObjectSection as _};
use wattle_timeline::MappedRange;
use wattle_unpack::UnpackBudget;

use super::arm_tables::{ArmModule, ArmTables};
use super::mapped_table::{SharedBytes, Table};
use super::signed_returns::RowTable;
use crate::elf::{Segments, section_content};

/// Unwind tables of a file, and where it is mapped.
#[derive(Clone, Debug)]
pub(crate) struct UnwindTables {
    segments: Segments,
    eh_frame: Option<Table>,
    eh_frame_hdr: Option<Table>,
    debug_frame: Option<Table>,
    text: Option<Table>,
    got: Option<Range<u64>>,
    /// Calls into other files: they have no rows, no frame, and leave the return address where it is.
    stubs: Option<Range<u64>>,
    /// Of 32-bit Arm.
    arm: Option<ArmTables>,
}

impl UnwindTables {
    /// From the contents of a file and its debug data; `None` where none of them has any table, or the place of the code is not known.
    pub(crate) fn from_files(contents: &[Vec<u8>], unpacking: &UnpackBudget) -> Option<Self> {
        let files: Vec<object::File<'_>> =
            contents.iter().filter_map(|bytes| object::File::parse(&**bytes).ok()).collect();
        let segments = files.iter().map(Segments::from_file).find(Segments::has_code)?;
        let table = |name: &str| files.iter().find_map(|file| table_in(file, unpacking, name));
        // The index says where rows are in the table beside it: both are of one file.
        let with_frames =
            files.iter().find(|file| table_in(file, unpacking, ".eh_frame").is_some());
        let tables = Self {
            segments,
            eh_frame: with_frames.and_then(|file| table_in(file, unpacking, ".eh_frame")),
            eh_frame_hdr: with_frames.and_then(|file| table_in(file, unpacking, ".eh_frame_hdr")),
            debug_frame: table(".debug_frame"),
            text: table(".text"),
            got: table(".got").map(|table| table.addresses),
            stubs: table(".plt").map(|table| table.addresses),
            arm: files.iter().find_map(|file| {
                let index = table_in(file, unpacking, ".ARM.exidx")?;
                Some(ArmTables::new(index, table_in(file, unpacking, ".ARM.extab")))
            }),
        };
        let has_tables = tables.eh_frame.is_some() || tables.debug_frame.is_some();
        (has_tables || tables.arm.is_some()).then_some(tables)
    }

    /// The address that the file's address 0 has in a process; `None` where no code of the file is there.
    fn base(&self, range: &MappedRange) -> Option<u64> {
        let size = range.end.checked_sub(range.start)?;
        let distance = self.segments.distance(range.offset..range.offset.checked_add(size)?)?;
        Some(range.start.wrapping_sub(range.offset.wrapping_add(distance)))
    }

    /// Addresses of the stubs for one place that the file is mapped to.
    pub(super) fn stubs(&self, range: &MappedRange) -> Option<Range<u64>> {
        let (base, stubs) = (self.base(range)?, self.stubs.as_ref()?);
        Some(base.wrapping_add(stubs.start)..base.wrapping_add(stubs.end))
    }

    /// The tables of 32-bit Arm for one place that the file is mapped to.
    pub(super) fn arm_module(&self, range: &MappedRange) -> Option<ArmModule> {
        Some(ArmModule { base: self.base(range)?, tables: self.arm.clone()? })
    }

    /// The tables for one place that the file is mapped to; `None` where no code of the file is there.
    pub(crate) fn module(&self, range: &MappedRange) -> Option<Module<SharedBytes>> {
        let base = self.base(range)?;
        let bytes = |table: &Option<Table>| table.as_ref().map(|it| it.bytes.clone());
        let addresses = |table: &Option<Table>| table.as_ref().map(|it| it.addresses.clone());
        let sections = ExplicitModuleSectionInfo {
            base_svma: 0,
            text_svma: addresses(&self.text),
            text: bytes(&self.text),
            got_svma: self.got.clone(),
            eh_frame_svma: addresses(&self.eh_frame),
            eh_frame: bytes(&self.eh_frame),
            eh_frame_hdr_svma: addresses(&self.eh_frame_hdr),
            eh_frame_hdr: bytes(&self.eh_frame_hdr),
            debug_frame: bytes(&self.debug_frame),
            ..ExplicitModuleSectionInfo::default()
        };
        Some(Module::new(String::new(), range.start..range.end, base, sections))
    }
}

fn table_in(file: &object::File<'_>, unpacking: &UnpackBudget, name: &str) -> Option<Table> {
    let section = file.section_by_name(name)?;
    let start = section.address();
    let mut content = section_content(file, name, unpacking).into_owned();
    let end = start.checked_add(content.len() as u64)?;
    if file.architecture() == object::Architecture::Aarch64 {
        match name {
            ".eh_frame" => RowTable::EhFrame.without_marks(&mut content),
            ".debug_frame" => RowTable::DebugFrame.without_marks(&mut content),
            _ => {}
        }
    }
    let bytes = SharedBytes::from(content);
    (!bytes.is_empty()).then_some(Table { addresses: start..end, bytes })
}

#[cfg(test)]
mod tests {
    use wattle_apk::{Apk, ReadLimit};
    use wattle_testdata::requires;

    use super::super::arm_frame::{FrameError, undo_frame};
    use super::super::arm_tables::ArmEntry;
    use super::*;

    /// Every entry of a real library can be read, and its instructions run on a stack that is as deep as they like.
    #[requires(data)]
    #[test]
    fn every_entry_of_a_real_library() {
        let package = wattle_testdata::bytes("apk/fdroid-org.dyndns.fules.ck_20.apk");
        let package = Apk::open(&package).unwrap();
        for name in ["lib/armeabi-v7a/libsymlink.so", "lib/armeabi/libsymlink.so"] {
            let library = package.entry(name).unwrap().read(ReadLimit(1 << 24)).unwrap();
            let tables = UnwindTables::from_files(&[library], &UnpackBudget::default()).unwrap();
            let arm = tables.arm.unwrap();
            assert!(arm.functions() > 20, "{name}: {} functions", arm.functions());
            let mut unwound = 0;
            for number in 0..arm.functions() {
                let entry = arm.entry(number).unwrap_or_else(|| panic!("{name}: entry {number}"));
                let ArmEntry::Instructions(instructions) = entry else { continue };
                let found = undo_frame(&instructions, &[0x1000; 16], &mut |_| Some(0x2000));
                assert!(matches!(found, Ok(_) | Err(FrameError::Refused)), "{instructions:x?}");
                unwound += usize::from(found.is_ok());
            }
            assert!(unwound > 10, "{name}: {unwound}");
        }
    }
}
