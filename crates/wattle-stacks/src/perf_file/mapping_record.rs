//! A mapping of a file into a process or the kernel (`PERF_RECORD_MMAP`, `PERF_RECORD_MMAP2`).

use super::feature::text;
use super::raw_record::RawRecord;
use super::record_kind;
use wattle_wire::ByteOrder;

/// `PERF_RECORD_MISC_MMAP_BUILD_ID`.
const HAS_BUILD_ID: u16 = 1 << 14;
/// simpleperf's mark of mappings whose functions stand at their addresses in the process (`map_flags::PROT_JIT_SYMFILE_MAP`).
const PROT_JIT_SYMFILE: u32 = 0x4000;

/// A range of addresses that a file, or part of one, is mapped at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// The first address behind it.
    pub end: u64,
    /// Offset in the file of the first address.
    pub offset: u64,
    /// Whether functions of the file have their addresses in the process (simpleperf's files of compiled methods).
    pub holds_jit_symbols: bool,
}

/// A mapping of a file into a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MappingRecord<'a> {
    /// The process; `u32::MAX` for the kernel.
    pub pid: u32,
    /// Addresses.
    pub mapping: Mapping,
    /// The file's path.
    pub path: &'a [u8],
    /// Build id of the file, where the kernel recorded it.
    pub build_id: Option<&'a [u8]>,
    /// Flags of the record, which say whether it is the kernel's.
    pub misc: u16,
}

impl<'a> MappingRecord<'a> {
    pub(super) fn parse(record: &RawRecord<'a>, order: ByteOrder) -> Option<Self> {
        let mut cursor = record.cursor(order);
        let pid = cursor.u32()?;
        cursor.u32()?;
        let (start, length, offset) = (cursor.u64()?, cursor.u64()?, cursor.u64()?);
        let (mut build_id, mut protection) = (None, 0);
        if record.kind == record_kind::MMAP2 {
            let inode = cursor.take(24)?;
            if record.misc & HAS_BUILD_ID != 0 {
                let size = usize::from(*inode.first()?).min(20);
                build_id = inode.get(4..4 + size).filter(|id| !id.is_empty());
            }
            protection = cursor.u32()?;
            cursor.u32()?;
        }
        let path = text(record.body.get(cursor.at..)?);
        let holds = |part: &[u8]| memchr::memmem::find(path, part).is_some();
        let mapping = Mapping {
            start,
            end: start.saturating_add(length),
            offset,
            holds_jit_symbols: protection & PROT_JIT_SYMFILE != 0
                || holds(b"jit_app_cache")
                || holds(b"jit_zygote_cache"),
        };
        Some(Self { pid, mapping, path, build_id, misc: record.misc })
    }
}
