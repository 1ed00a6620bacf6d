//! A reader of `perf.data`, the files of `perf record` and of simpleperf: their records one by one, and all that describes them.
//!
//! Sources: `tools/perf/Documentation/perf.data-file-format.txt`, `include/uapi/linux/perf_event.h` and
//! `tools/perf/util/{header,event,session}.c` of Linux; `simpleperf/{record,record_file_format}.h` and `record_file.proto` of AOSP's
//! `system/extras`.
//!
//! A file is read twice. [`PerfFile::parse`] goes through it once: it takes in events, features and functions, unpacks packed
//! records, and finds the time of each record. [`PerfFile::records`] then gives the records in order of time, as each CPU writes
//! its own run of them. The file is held in memory, because its parts point at each other.
//!
//! Nothing in a file can make the reader panic, or hold more than a multiple of the file's length. What is damaged or cut off
//! costs no more than itself ([`PerfFile::damage`]).
//!
//! ```
//! use wattle_stacks::perf_file::{PerfFile, PerfRecord};
//!
//! # let long = |value: u64| value.to_le_bytes();
//! # let word = |value: u32| value.to_le_bytes();
//! # // IP | TID | TIME, of the software event `cpu-clock`.
//! # let mut attr = [word(1), word(64)].concat();
//! # attr.extend([0, 1_000_000, 7, 0, 0, 0, 0].map(long).concat());
//! # let sample = [long(0x40_1000), [word(7), word(8)].concat().try_into().unwrap(), long(99)].concat();
//! # let record = [&word(9)[..], &[2, 0, 32, 0], &sample].concat();
//! # let (attrs, data) = (104, 104 + 80);
//! # let mut bytes = b"PERFILE2".to_vec();
//! # bytes.extend([104, 80, attrs, 80, data, record.len() as u64, 0, 0, 0, 0, 0, 0].map(long).concat());
//! # bytes.extend([attr, vec![0; 16], record].concat());
//! // `bytes` is a file of `perf record`.
//! let file = PerfFile::parse(&bytes)?;
//! assert_eq!(file.metadata().event_name(0), "cpu-clock");
//! assert!(file.damage().is_empty());
//!
//! let mut samples = Vec::new();
//! for timed in file.records() {
//!     if let Some(PerfRecord::Sample { sample, .. }) = file.fields(&timed.record) {
//!         samples.push((timed.time, sample.tid, sample.ip));
//!     }
//! }
//! assert_eq!(samples, [(99, Some((7, 8)), Some(0x40_1000))]);
//! # Ok::<(), wattle_stacks::perf_file::PerfFileError>(())
//! ```
//!
//! # Quirks
//!
//! - Records that are made up when recording begins (mappings, names of threads that were there already) have the time 0.
//! - simpleperf's own records use the header's `misc` for the upper half of their size.
//! - The packed records of a file are one frame of zstd that never ends.
//! - A recording that was killed has a data section of size 0: it goes on to the end of the file.
//! - Flags of the event's attributes are bit fields, which compilers for machines with the other order of bytes fill from the top.

mod code_file;
mod damage;
mod event_attr;
mod event_name;
mod feature;
mod file_header;
mod kallsyms;
mod mapping_record;
mod meta_info;
mod metadata;
mod packed_records;
mod perf_file_error;
mod perf_record;
mod raw_record;
mod record_index;
pub mod record_kind;
mod recorded_events;
mod sample_id;
mod sample_record;
mod simpleperf_files;
mod switch_record;
mod symbols;
mod task_records;

use std::collections::BTreeMap;

use wattle_import::UnpackBudget;
use wattle_wire::ByteOrder;

use record_index::{Indexing, RecordIndex};

pub use code_file::{CodeFile, CodeFileKind, CodeFiles};
pub use damage::Damage;
pub use event_attr::{EventAttr, TRACEPOINT, sampled};
pub use feature::{ClockReading, hexadecimal};
pub use file_header::{FileHeader, Section};
pub use mapping_record::{Mapping, MappingRecord};
pub use meta_info::MetaInfo;
pub use metadata::Metadata;
pub use perf_file_error::PerfFileError;
pub use perf_record::PerfRecord;
pub use raw_record::RawRecord;
pub use recorded_events::{Event, Events};
pub use sample_id::{SampleId, SampleIdLayout};
pub use sample_record::{CallChain, CounterValue, Sample};
pub use switch_record::SwitchRecord;
pub use symbols::Symbols;
pub use task_records::{TaskRecord, ThreadName};

/// Whether a file begins as `perf.data` does.
pub fn is_perf_data(head: &[u8]) -> bool {
    file_header::SIGNATURES.iter().any(|signature| head.starts_with(signature))
}

/// A record and its time.
#[derive(Clone, Copy, Debug)]
pub struct TimedRecord<'a> {
    /// Time by the clock of the recording, nanoseconds; 0 for what was there before it.
    pub time: u64,
    /// The record.
    pub record: RawRecord<'a>,
}

/// A file of `perf record` or simpleperf.
#[derive(Debug)]
pub struct PerfFile<'a> {
    bytes: &'a [u8],
    header: FileHeader,
    metadata: Metadata,
    index: RecordIndex,
    damage: Vec<Damage>,
    unused: BTreeMap<u32, u64>,
}

impl<'a> PerfFile<'a> {
    /// Takes in everything that describes the recording, and finds its records.
    ///
    /// # Errors
    /// If the bytes are no `perf.data`, or end in its head.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, PerfFileError> {
        let budget = UnpackBudget::default();
        budget.add_input(bytes.len() as u64);
        Self::parse_within(bytes, &budget)
    }

    /// The same within a budget for packed records. Past it, which the budget knows, the rest of them is not there.
    ///
    /// # Errors
    /// If the bytes are no `perf.data`, or end in its head.
    pub fn parse_within(bytes: &'a [u8], budget: &UnpackBudget) -> Result<Self, PerfFileError> {
        let header = FileHeader::parse(bytes)?;
        let Indexing { metadata, index, damage, unused, .. } =
            Indexing::run(bytes, &header, budget);
        Ok(Self { bytes, header, metadata, index, damage, unused })
    }

    /// The head of the file.
    pub fn header(&self) -> &FileHeader {
        &self.header
    }

    /// Offset of another file that lies behind this one, which is not read.
    pub fn other_file(&self) -> Option<usize> {
        let end = self.header.end(self.bytes)?;
        self.bytes.get(end..).is_some_and(is_perf_data).then_some(end)
    }

    /// Order of bytes of numbers in records, and in the data of tracepoints.
    pub fn order(&self) -> ByteOrder {
        self.header.order
    }

    /// Everything that describes the recording.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Defects, in the order in which they were met.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Numbers of records of programs that describe nothing the reader knows, by their kinds.
    pub fn unused(&self) -> &BTreeMap<u32, u64> {
        &self.unused
    }

    /// Number of [`Self::records`].
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.index.len() == 0
    }

    /// Time of the first record that has one; 0 if there is none.
    pub fn first_time(&self) -> u64 {
        self.index.first_time()
    }

    /// The kernel's records, and simpleperf's results of unwinding, in order of time.
    pub fn records(&self) -> impl Iterator<Item = TimedRecord<'_>> {
        let records = self.index.records(self.bytes, self.header.order);
        records.map(|(time, record)| TimedRecord { time, record })
    }

    /// The fields of a record; `None` if it ends before they do.
    #[inline]
    pub fn fields<'r>(&self, record: &RawRecord<'r>) -> Option<PerfRecord<'r>> {
        PerfRecord::parse(record, &self.metadata.events, self.header.order)
    }
}
