//! Place and time of each record of a file.

use std::collections::BTreeMap;
use std::ops::Range;

use super::damage::Damage;
use super::file_header::FileHeader;
use super::metadata::Metadata;
use super::packed_records::unpack;
use super::raw_record::{RawRecord, Records};
use super::record_kind;
use wattle_import::UnpackBudget;
use wattle_wire::ByteOrder;

/// Nanoseconds of a day: times that lie further apart are questioned.
const DAY: u64 = 86_400 * 1_000_000_000;
/// So many records that lie far from all others are wrong, more are another stretch of the recording.
const FEW: usize = 3;

/// A recording of fewer records is too short to say which of its times lie apart.
const MANY: usize = 16;
/// Times apart by less than this share of the others' span change no total by much.
const LEAST_SHARE: u64 = 50;

/// Bytes that each packed record costs beyond its own: its place in the index, and what a timeline keeps of it.
const OF_RECORD: u64 = 64;

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

    /// Takes out records whose time lies more than [`DAY`] from those of all others, and gives their number. Where a device slept for
    /// days there are more than [`FEW`] on either side.
    fn set_far_apart(&mut self) -> usize {
        let entries = &self.entries;
        let timed = entries.partition_point(|entry| entry.time == 0);
        let mut groups: Vec<Range<usize>> = Vec::new();
        for (index, entry) in entries.iter().enumerate().skip(timed) {
            match groups.last_mut() {
                Some(group) if entry.time - entries[group.end - 1].time <= DAY => {
                    group.end = index + 1;
                }
                _ => groups.push(index..index + 1),
            }
        }
        let largest = groups.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        if groups.len() < 2 || largest <= FEW {
            return 0;
        }
        let mut far = groups.into_iter().filter(|group| group.len() <= FEW).peekable();
        let (mut index, mut records) = (0, 0);
        self.entries.retain(|_| {
            let at = index;
            index += 1;
            while far.peek().is_some_and(|group| group.end <= at) {
                far.next();
            }
            let is_far = far.peek().is_some_and(|group| group.contains(&at));
            records += usize::from(is_far);
            !is_far
        });
        records
    }

    /// The few records at either end of the recording that lie apart from the others: `(first, last)`, where they end and begin.
    fn apart(&self) -> Option<(usize, usize)> {
        let entries = &self.entries;
        let timed = entries.partition_point(|entry| entry.time == 0);
        let times = entries.get(timed..).filter(|times| times.len() >= MANY)?;
        let last = times.len() - 1;
        let time = |at: usize| times.get(at).map_or(0, |entry: &Entry| entry.time);
        let first_end = (1..=FEW).rev().find(|few| {
            let span = time(last).saturating_sub(time(*few));
            time(*few).saturating_sub(time(few - 1)) > span / LEAST_SHARE
        });
        let from = first_end.unwrap_or(0);
        let last_end = (1..=FEW).rev().find(|few| {
            let span = time(last - few).saturating_sub(time(from));
            time(last - few + 1).saturating_sub(time(last - few)) > span / LEAST_SHARE
        });
        (first_end.is_some() || last_end.is_some())
            .then(|| (timed + from, entries.len() - last_end.unwrap_or(0)))
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
    /// Bytes that packed records may unpack to.
    budget: UnpackBudget,
}

impl Indexing {
    /// Goes through the file once.
    pub fn run(file: &[u8], header: &FileHeader, budget: &UnpackBudget) -> Self {
        let mut indexing = Self { budget: budget.clone(), ..Self::default() };
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
        let records = indexing.index.set_far_apart();
        if records > 0 {
            indexing.damage.push(Damage::FarTimes { records });
        }
        let records = indexing.set_displaced(file);
        if records > 0 {
            indexing.damage.push(Damage::DisplacedTimes { records });
        }
        indexing.metadata.code_files.sort();
        indexing
    }

    /// Takes out samples at an end of the recording that lie apart from all others and cannot: of one thread on one CPU the kernel writes
    /// one sample after the other, so what stands later in the file is later. Gives their number.
    fn set_displaced(&mut self, file: &[u8]) -> usize {
        let Some((first, last)) = self.index.apart() else { return 0 };
        let Metadata { events, order, .. } = &self.metadata;
        let entries = &self.index.entries;
        let owner = |entry: &Entry| {
            let bytes = if entry.place & 1 == 1 { self.index.unpacked.as_slice() } else { file };
            let (record, _) = RawRecord::at(bytes, (entry.place >> 1) as usize, *order)?;
            // simpleperf puts word of what was lost before what came earlier.
            if record.kind != record_kind::SAMPLE {
                return None;
            }
            let event = events.index_of(&record, *order).and_then(|event| events.get(event))?;
            let owner = event.layout.owner(&record, *order);
            Some((owner.tid?.1, owner.cpu?))
        };
        let timed = entries.partition_point(|entry| entry.time == 0);
        let (before, rest, after) =
            (timed..first, entries.get(first..last).unwrap_or_default(), last..entries.len());
        let ends = before.map(|at| (at, true)).chain(after.map(|at| (at, false)));
        let is_displaced = |(at, is_before): &(usize, bool)| {
            let Some(entry) = entries.get(*at) else { return false };
            let Some(of) = owner(entry) else { return false };
            let is_against = |other: &&Entry| (other.place < entry.place) == *is_before;
            rest.iter().filter(is_against).any(|other| owner(other) == Some(of))
        };
        let displaced: Vec<usize> = ends.filter(is_displaced).map(|(at, _)| at).collect();
        let mut at = 0;
        self.index.entries.retain(|_| {
            at += 1;
            !displaced.contains(&(at - 1))
        });
        displaced.len()
    }

    fn unpack(&mut self, packed: &[&[u8]]) {
        let (unpacked, is_whole) = unpack(packed, &self.budget);
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
            if is_unpacked && !self.budget.try_take(OF_RECORD) {
                break;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Times in seconds before and after.
    #[track_caller]
    fn check(times: &[u64], kept: &[u64]) {
        let second = 1_000_000_000;
        let entry = |time: &u64| Entry { time: time * second, place: 0 };
        let mut index =
            RecordIndex { entries: times.iter().map(entry).collect(), unpacked: Vec::new() };
        let removed = index.set_far_apart();
        let found: Vec<u64> = index.entries.iter().map(|entry| entry.time / second).collect();
        assert_eq!(found, kept);
        assert_eq!(removed, times.len() - kept.len());
    }

    #[test]
    fn few_records_far_from_all_others_are_set_apart() {
        const DAYS: u64 = 40 * 86_400;
        check(&[], &[]);
        let near: Vec<u64> = (0..10).map(|index| 5 + index).collect();
        check(&near, &near);
        let of_before = |times: &[u64]| [&[0, 0], times].concat();
        let far = [near.as_slice(), &[DAYS, DAYS + 1, 9 * DAYS]].concat();
        check(&of_before(&far), &of_before(&near));
        // A device that slept.
        let later: Vec<u64> = near.iter().map(|time| time + DAYS).collect();
        let both = [near.as_slice(), later.as_slice()].concat();
        check(&both, &both);
        // Of two or three nobody knows which is right.
        check(&[5, DAYS], &[5, DAYS]);
        check(&[5, 6, DAYS], &[5, 6, DAYS]);
    }
}
