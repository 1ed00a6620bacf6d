//! A mapping of a file into a process or the kernel (`PERF_RECORD_MMAP`, `PERF_RECORD_MMAP2`).

use super::feature::text;
use super::kind;
use super::record::Record;
use crate::trace_dat::Order;

/// `PERF_RECORD_MISC_MMAP_BUILD_ID`.
const HAS_BUILD_ID: u16 = 1 << 14;
/// simpleperf's mark of mappings whose functions stand at their addresses in the process (`map_flags::PROT_JIT_SYMFILE_MAP`).
const PROT_JIT_SYMFILE: u32 = 0x4000;

/// A mapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mapping {
    pub start: u64,
    /// The first address behind it.
    pub end: u64,
    /// Where in the file it begins.
    pub offset: u64,
    /// Number of the file.
    pub file: u32,
    /// Functions stand at their addresses in the process.
    pub holds_jit_symbols: bool,
}

/// A record of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MappingRecord<'a> {
    pub pid: u32,
    pub mapping: Mapping,
    pub path: &'a [u8],
    pub build_id: Option<&'a [u8]>,
}

impl<'a> MappingRecord<'a> {
    pub fn parse(record: &Record<'a>, order: Order) -> Option<Self> {
        let mut cursor = record.cursor(order);
        let pid = cursor.u32()?;
        cursor.u32()?;
        let (start, length, offset) = (cursor.u64()?, cursor.u64()?, cursor.u64()?);
        let (mut build_id, mut protection) = (None, 0);
        if record.kind == kind::MMAP2 {
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
            file: 0,
            holds_jit_symbols: protection & PROT_JIT_SYMFILE != 0
                || holds(b"jit_app_cache")
                || holds(b"jit_zygote_cache"),
        };
        Some(Self { pid, mapping, path, build_id })
    }
}
