//! Where each record is and when it was, over the whole file.

use super::header::Header;
use super::kind;
use super::record::{Record, Records};
use super::told::Told;
use super::unpack::unpack;
use crate::kernel::Tally;
use crate::limits::{MAX_PERF_DATA, MAX_RATIO};
use crate::trace_dat::Order;
use wattle_timeline::Severity;

/// Bytes of pieces of one record that are put together.
const MAX_JOINED: usize = 1 << 30;

/// A record, where it is.
#[derive(Clone, Copy, Debug)]
struct Entry {
    time: u64,
    /// Twice its place, and one more if that is among the unpacked bytes.
    place: u64,
}

/// All records that something follows from, in order of time.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: Vec<Entry>,
    unpacked: Vec<u8>,
    order: Order,
    last: u64,
}

impl Index {
    /// Goes through the file once.
    pub fn new(file: &[u8], header: &Header, told: &mut Told, tally: &mut Tally) -> Self {
        let mut index = Self { order: header.order, ..Self::default() };
        let data = header.data;
        let end = if header.is_unfinished() { file.len() } else { data.range_end(file.len()) };
        let bytes = file.get(..end).unwrap_or(file);
        let mut packed = Vec::new();
        index.walk(bytes, data.at, false, told, tally, &mut packed);
        if data.is_cut(file) && !header.is_pipe {
            tally.note(Severity::Error, "truncated", Some(file.len() as u64), || {
                "the file ends before its records do: what is there was read, names of functions and other things that \
                 stand at its end are missing"
                    .to_owned()
            });
        }
        if let Some(section) = told.init_map {
            let end = section.range_end(file.len());
            index.last = 0;
            index.walk(
                file.get(..end).unwrap_or(file),
                section.at,
                false,
                told,
                tally,
                &mut Vec::new(),
            );
        }
        if !packed.is_empty() {
            index.unpack(&packed, told, tally);
        }
        index.entries.sort_by_key(|entry| entry.time);
        index
    }

    fn unpack(&mut self, packed: &[&[u8]], told: &mut Told, tally: &mut Tally) {
        let size: usize = packed.iter().map(|piece| piece.len()).sum();
        let limit = (size as u64).saturating_mul(MAX_RATIO).min(MAX_PERF_DATA);
        let (unpacked, is_whole) = unpack(packed, limit as usize);
        if !is_whole {
            tally.note(Severity::Error, "damaged-packed", None, || {
                "the packed records cannot be unpacked from some place on: what came before was read".to_owned()
            });
        }
        self.last = 0;
        self.walk(&unpacked, 0, true, told, tally, &mut Vec::new());
        self.unpacked = unpacked;
    }

    fn walk<'a>(
        &mut self,
        bytes: &'a [u8],
        at: usize,
        is_unpacked: bool,
        told: &mut Told,
        tally: &mut Tally,
        packed: &mut Vec<&'a [u8]>,
    ) {
        let mut records = Records::new(bytes, at, self.order);
        let mut joined: Vec<u8> = Vec::new();
        for record in records.by_ref() {
            match record.kind {
                kind::COMPRESSED => packed.push(record.body),
                kind::COMPRESSED2 => {
                    let mut cursor = record.cursor(self.order);
                    let piece = cursor.size().and_then(|size| cursor.take(size));
                    packed.push(piece.unwrap_or_else(|| record.body.get(8..).unwrap_or_default()));
                }
                kind::SPLIT if joined.len() < MAX_JOINED => joined.extend_from_slice(record.body),
                kind::SPLIT_END => {
                    if let Some((whole, _)) = Record::at(&joined, 0, self.order) {
                        user_record(&whole, told, tally);
                    }
                    joined.clear();
                }
                kind::UNWINDING_RESULT => self.push(&record, is_unpacked, told),
                kind if kind < kind::USER => self.push(&record, is_unpacked, told),
                _ => user_record(&record, told, tally),
            }
        }
        if let Some((at, lost)) = records.damage {
            tally.note(Severity::Error, "damaged", Some(at as u64), || {
                format!("{lost} bytes that are no records were stepped over")
            });
        }
        if let Some(at) = records.cut {
            tally.note(Severity::Error, "truncated", Some(at as u64), || {
                "the records end inside one, or in something that is none: what came before was read".to_owned()
            });
        }
    }

    #[inline]
    fn push(&mut self, record: &Record<'_>, is_unpacked: bool, told: &Told) {
        let event = told.events.of(record, self.order).and_then(|event| told.events.get(event));
        let time = event.and_then(|event| event.layout.time(record, self.order));
        // What has no time is as late as what stands before it.
        let time = time.unwrap_or(self.last);
        if time != 0 {
            self.last = time;
        }
        self.entries.push(Entry { time, place: (record.at as u64) << 1 | u64::from(is_unpacked) });
    }

    /// Records in order of time, with their times; 0 where a record is of before the recording.
    pub fn records<'a>(&'a self, file: &'a [u8]) -> impl Iterator<Item = (u64, Record<'a>)> + 'a {
        self.entries.iter().filter_map(move |entry| {
            let bytes = if entry.place & 1 == 1 { self.unpacked.as_slice() } else { file };
            let (record, _) = Record::at(bytes, (entry.place >> 1) as usize, self.order)?;
            Some((entry.time, record))
        })
    }

    /// The first time that is one.
    pub fn first_time(&self) -> u64 {
        let first = self.entries.partition_point(|entry| entry.time == 0);
        self.entries.get(first).map_or(0, |entry| entry.time)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

/// Takes in a record that a program made.
fn user_record(record: &Record<'_>, told: &mut Told, tally: &mut Tally) {
    let is_mark = matches!(record.kind, kind::FINISHED_ROUND | kind::FINISHED_INIT);
    if !told.record(record) && !is_mark {
        tally.unread(kind::name(record.kind));
    }
}
