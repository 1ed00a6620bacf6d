//! Place and time of each record of a file.

use std::collections::BTreeMap;

use super::damage::Damage;
use super::file_header::FileHeader;
use super::metadata::Metadata;
use super::packed_records::unpack;
use super::raw_record::{RawRecord, Records};
use super::record_kind;
use crate::limits::MAX_PERF_DATA;
use wattle_import::limits::MAX_RATIO;
use wattle_wire::ByteOrder;

/// Bytes of pieces of one record that are put together.
const MAX_JOINED: usize = 1 << 30;

/// A record, where it is.
#[derive(Clone, Copy, Debug)]
struct Entry {
    time: u64,
    /// Twice its place, and one more if that is among the unpacked bytes.
    place: u64,
}

/// The records that describe what happened, in order of time.
#[derive(Debug, Default)]
pub(super) struct RecordIndex {
    entries: Vec<Entry>,
    unpacked: Vec<u8>,
}

impl RecordIndex {
    /// Records in order of time, with their times; 0 where a record is of before the recording.
    pub fn records<'a>(
        &'a self,
        file: &'a [u8],
        order: ByteOrder,
    ) -> impl Iterator<Item = (u64, RawRecord<'a>)> + 'a {
        self.entries.iter().filter_map(move |entry| {
            let bytes = if entry.place & 1 == 1 { self.unpacked.as_slice() } else { file };
            let (record, _) = RawRecord::at(bytes, (entry.place >> 1) as usize, order)?;
            Some((entry.time, record))
        })
    }

    /// The first time that is not 0.
    pub fn first_time(&self) -> u64 {
        let first = self.entries.partition_point(|entry| entry.time == 0);
        self.entries.get(first).map_or(0, |entry| entry.time)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

/// The first pass over a file: places and times of what happened, and everything that describes the recording.
#[derive(Debug, Default)]
pub(super) struct Indexing {
    pub metadata: Metadata,
    pub index: RecordIndex,
    pub damage: Vec<Damage>,
    /// Records of programs that describe nothing, by their kinds.
    pub unused: BTreeMap<u32, u64>,
    /// Time of the record before.
    last: u64,
}

impl Indexing {
    /// Goes through the file once.
    pub fn run(file: &[u8], header: &FileHeader) -> Self {
        let mut indexing = Self::default();
        indexing.metadata.head(file, header);
        let data = header.data;
        let end = if header.is_unfinished() { file.len() } else { data.range_end(file.len()) };
        let packed = indexing.walk(file.get(..end).unwrap_or(file), data.at, false);
        if data.is_cut(file) && !header.is_pipe {
            indexing.damage.push(Damage::FileCut { at: file.len() });
        }
        if let Some(section) = indexing.metadata.init_map {
            let end = section.range_end(file.len());
            indexing.last = 0;
            indexing.walk(file.get(..end).unwrap_or(file), section.at, false);
        }
        if !packed.is_empty() {
            indexing.unpack(&packed);
        }
        // Each CPU writes into a buffer of its own, so that records are in order of time only within one of them. The sort is
        // stable: of records with one time that stay first which the kernel wrote first.
        indexing.index.entries.sort_by_key(|entry| entry.time);
        indexing.metadata.code_files.sort();
        indexing
    }

    fn unpack(&mut self, packed: &[&[u8]]) {
        let size: usize = packed.iter().map(|piece| piece.len()).sum();
        let limit = (size as u64).saturating_mul(MAX_RATIO).min(MAX_PERF_DATA);
        let (unpacked, is_whole) = unpack(packed, limit as usize);
        if !is_whole {
            self.damage.push(Damage::Packed);
        }
        self.last = 0;
        self.walk(&unpacked, 0, true);
        self.index.unpacked = unpacked;
    }

    /// Goes through a run of records, and gives back the packed ones.
    fn walk<'a>(&mut self, bytes: &'a [u8], at: usize, is_unpacked: bool) -> Vec<&'a [u8]> {
        let order = self.metadata.order;
        let mut packed = Vec::new();
        let mut records = Records::new(bytes, at, order);
        let mut joined: Vec<u8> = Vec::new();
        for record in records.by_ref() {
            match record.kind {
                record_kind::COMPRESSED => packed.push(record.body),
                record_kind::COMPRESSED2 => {
                    let mut cursor = record.cursor(order);
                    let piece = cursor.size().and_then(|size| cursor.take(size));
                    packed.push(piece.unwrap_or_else(|| record.body.get(8..).unwrap_or_default()));
                }
                record_kind::SPLIT if joined.len() < MAX_JOINED => {
                    joined.extend_from_slice(record.body);
                }
                record_kind::SPLIT_END => {
                    if let Some((whole, _)) = RawRecord::at(&joined, 0, order) {
                        self.user_record(&whole);
                    }
                    joined.clear();
                }
                record_kind::UNWINDING_RESULT => self.push(&record, is_unpacked),
                kind if kind < record_kind::USER => self.push(&record, is_unpacked),
                _ => self.user_record(&record),
            }
        }
        if let Some((at, bytes)) = records.damage {
            self.damage.push(Damage::NotRecords { at, bytes });
        }
        if let Some(at) = records.cut {
            self.damage.push(Damage::RecordCut { at });
        }
        packed
    }

    #[inline]
    fn push(&mut self, record: &RawRecord<'_>, is_unpacked: bool) {
        let Metadata { events, order, .. } = &self.metadata;
        let event = events.index_of(record, *order).and_then(|event| events.get(event));
        let time = event.and_then(|event| event.layout.time(record, *order));
        // A record without a time is as late as the one before it.
        let time = time.unwrap_or(self.last);
        if time != 0 {
            self.last = time;
        }
        let place = (record.at as u64) << 1 | u64::from(is_unpacked);
        self.index.entries.push(Entry { time, place });
    }

    /// Takes in a record that a program made.
    fn user_record(&mut self, record: &RawRecord<'_>) {
        let is_mark =
            matches!(record.kind, record_kind::FINISHED_ROUND | record_kind::FINISHED_INIT);
        if !self.metadata.record(record) && !is_mark {
            *self.unused.entry(record.kind).or_default() += 1;
        }
    }
}
