//! Records one after the other (`struct perf_event_header`).

use super::record_kind;
use wattle_wire::{ByteCursor, ByteOrder};

/// Bytes of a record's head.
const HEAD: usize = 8;

/// A record: its head, and its body as it lies in the file.
#[derive(Clone, Copy, Debug)]
pub struct RawRecord<'a> {
    /// `PERF_RECORD_*`, or a kind of `perf` or simpleperf.
    pub kind: u32,
    /// Flags, by the kind.
    pub misc: u16,
    /// Everything behind the head.
    pub body: &'a [u8],
    /// Offset of the head in the file, or in what was unpacked.
    pub at: usize,
    /// Bytes behind the record, where its kind has some there.
    pub behind: &'a [u8],
}

impl<'a> RawRecord<'a> {
    /// The record at a place, and the place of the next one. `None` if there is no whole one.
    #[inline]
    pub(super) fn at(bytes: &'a [u8], at: usize, order: ByteOrder) -> Option<(Self, usize)> {
        let head = bytes.get(at..at.checked_add(HEAD)?)?;
        let kind = order.word(head, 0)?;
        let (mut misc, low) = (order.half(head, 4)?, order.half(head, 6)?);
        let mut size = usize::from(low);
        if kind >= record_kind::SIMPLEPERF {
            size |= usize::from(misc) << 16;
            misc = 0;
        }
        let end = at.checked_add(size).filter(|_| size >= HEAD)?;
        let body = bytes.get(at + HEAD..end)?;
        let mut record = Self { kind, misc, body, at, behind: &[] };
        let behind = record.size_behind(order);
        if behind == 0 {
            return Some((record, end));
        }
        // What lies behind may be cut off; the record itself is there.
        let until = end.saturating_add(behind).min(bytes.len());
        record.behind = bytes.get(end..until)?;
        Some((record, until))
    }

    #[inline]
    fn size_behind(&self, order: ByteOrder) -> usize {
        let mut cursor = self.cursor(order);
        let size = match self.kind {
            record_kind::AUXTRACE => cursor.size(),
            record_kind::HEADER_TRACING_DATA => cursor.count().map(|size| size.next_multiple_of(8)),
            _ => return 0,
        };
        size.unwrap_or(0)
    }

    /// A cursor over the body.
    #[inline]
    pub fn cursor(&self, order: ByteOrder) -> ByteCursor<'a> {
        ByteCursor::new(self.body, 0, order)
    }
}

/// Records of a run of bytes.
#[derive(Debug)]
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    order: ByteOrder,
    /// Offset and length of bytes that are no records and were stepped over.
    pub damage: Option<(usize, usize)>,
    /// Offset of a record that the bytes end inside of.
    pub cut: Option<usize>,
}

impl<'a> Records<'a> {
    pub fn new(bytes: &'a [u8], at: usize, order: ByteOrder) -> Self {
        Self { bytes, at, order, damage: None, cut: None }
    }

    /// Steps over what is no record to the next place from which several follow each other.
    fn resume(&mut self) -> Option<(RawRecord<'a>, usize)> {
        let from = self.at;
        let mut at = from;
        while at + HEAD <= self.bytes.len() {
            at += 8;
            if self.is_row(at) {
                let (first, lost) = self.damage.unwrap_or((from, 0));
                self.damage = Some((first, lost + (at - from)));
                return RawRecord::at(self.bytes, at, self.order);
            }
        }
        self.cut = Some(from);
        None
    }

    /// Whether records that can be follow each other from here, four or to the end.
    fn is_row(&self, mut at: usize) -> bool {
        for seen in 0..4 {
            if at == self.bytes.len() {
                return seen > 0;
            }
            match RawRecord::at(self.bytes, at, self.order) {
                Some((record, next))
                    if record_kind::is_known(record.kind) && record.body.len() % 8 == 0 =>
                {
                    at = next;
                }
                _ => return false,
            }
        }
        true
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = RawRecord<'a>;

    #[inline]
    fn next(&mut self) -> Option<RawRecord<'a>> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let (record, next) = match RawRecord::at(self.bytes, self.at, self.order) {
            // Kernels to come may have further kinds.
            Some((record, next)) if record_kind::is_known(record.kind) || self.is_row(next) => {
                (record, next)
            }
            _ => self.resume()?,
        };
        self.at = next;
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, misc: u16, body: &[u8]) -> Vec<u8> {
        let size = body.len() + 8;
        let high = if kind >= record_kind::SIMPLEPERF { (size >> 16) as u16 } else { misc };
        [&kind.to_le_bytes()[..], &high.to_le_bytes(), &(size as u16).to_le_bytes(), body].concat()
    }

    #[track_caller]
    fn check(bytes: &[u8], kinds: &[u32], damage: Option<(usize, usize)>, cut: Option<usize>) {
        let mut records = Records::new(bytes, 0, ByteOrder::default());
        let found: Vec<u32> = records.by_ref().map(|record| record.kind).collect();
        assert_eq!((found.as_slice(), records.damage, records.cut), (kinds, damage, cut));
    }

    #[test]
    fn damage_is_stepped_over_and_a_cut_is_told() {
        let sample = record(record_kind::SAMPLE, 2, &[1; 24]);
        let long = record(record_kind::KERNEL_SYMBOL, 0, &vec![7; 70_000]);
        let rows = [sample.clone(), long, sample.clone()].concat();
        check(
            &rows,
            &[record_kind::SAMPLE, record_kind::KERNEL_SYMBOL, record_kind::SAMPLE],
            None,
            None,
        );
        let damaged = [sample.clone(), vec![0; 16], sample.repeat(4)].concat();
        check(&damaged, &[record_kind::SAMPLE; 5], Some((32, 16)), None);
        check(&rows[..40], &[record_kind::SAMPLE], None, Some(32));
        check(&[0; 7], &[], None, Some(0));
    }
}
