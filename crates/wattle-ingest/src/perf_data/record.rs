//! Records one after the other (`struct perf_event_header`).

use super::kind;
use crate::trace_dat::{Cursor, Order};

/// Bytes of a record's head.
const HEAD: usize = 8;

/// A record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub kind: u32,
    pub misc: u16,
    pub body: &'a [u8],
    /// Where it begins.
    pub at: usize,
    /// What lies behind it, where its kind has something there.
    pub behind: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record at a place, and where the next one begins. `None` if there is no whole one.
    #[inline]
    pub fn at(bytes: &'a [u8], at: usize, order: Order) -> Option<(Self, usize)> {
        let head = bytes.get(at..at.checked_add(HEAD)?)?;
        let kind = order.word(head, 0)?;
        let half = |at: usize| {
            let bytes: [u8; 2] = head.get(at..at + 2)?.try_into().ok()?;
            Some(if order.is_big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
        };
        let (mut misc, low) = (half(4)?, half(6)?);
        let mut size = usize::from(low);
        if kind >= kind::SIMPLEPERF {
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
    fn size_behind(&self, order: Order) -> usize {
        let mut cursor = self.cursor(order);
        let size = match self.kind {
            kind::AUXTRACE => cursor.size(),
            kind::HEADER_TRACING_DATA => cursor.count().map(|size| size.next_multiple_of(8)),
            _ => return 0,
        };
        size.unwrap_or(0)
    }

    /// Its body, to be read.
    #[inline]
    pub fn cursor(&self, order: Order) -> Cursor<'a> {
        Cursor::new(self.body, 0, order)
    }
}

/// Records of a run of bytes.
#[derive(Debug)]
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    order: Order,
    /// Where something that is no record was stepped over, and how many bytes of it.
    pub damage: Option<(usize, usize)>,
    /// Where the bytes end inside a record.
    pub cut: Option<usize>,
}

impl<'a> Records<'a> {
    pub fn new(bytes: &'a [u8], at: usize, order: Order) -> Self {
        Self { bytes, at, order, damage: None, cut: None }
    }

    /// Steps over what is no record to the next place from which several follow each other.
    fn resume(&mut self) -> Option<(Record<'a>, usize)> {
        let from = self.at;
        let mut at = from;
        while at + HEAD <= self.bytes.len() {
            at += 8;
            if self.is_row(at) {
                let (first, lost) = self.damage.unwrap_or((from, 0));
                self.damage = Some((first, lost + (at - from)));
                return Record::at(self.bytes, at, self.order);
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
            match Record::at(self.bytes, at, self.order) {
                Some((record, next))
                    if kind::is_known(record.kind) && record.body.len() % 8 == 0 =>
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
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let (record, next) = match Record::at(self.bytes, self.at, self.order) {
            // Kernels to come may have further kinds.
            Some((record, next)) if kind::is_known(record.kind) || self.is_row(next) => {
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
        let high = if kind >= kind::SIMPLEPERF { (size >> 16) as u16 } else { misc };
        [&kind.to_le_bytes()[..], &high.to_le_bytes(), &(size as u16).to_le_bytes(), body].concat()
    }

    #[track_caller]
    fn check(bytes: &[u8], kinds: &[u32], damage: Option<(usize, usize)>, cut: Option<usize>) {
        let mut records = Records::new(bytes, 0, Order::default());
        let found: Vec<u32> = records.by_ref().map(|record| record.kind).collect();
        assert_eq!((found.as_slice(), records.damage, records.cut), (kinds, damage, cut));
    }

    #[test]
    fn damage_is_stepped_over_and_a_cut_is_told() {
        let sample = record(kind::SAMPLE, 2, &[1; 24]);
        let long = record(kind::KERNEL_SYMBOL, 0, &vec![7; 70_000]);
        let rows = [sample.clone(), long, sample.clone()].concat();
        check(&rows, &[kind::SAMPLE, kind::KERNEL_SYMBOL, kind::SAMPLE], None, None);
        let damaged = [sample.clone(), vec![0; 16], sample.repeat(4)].concat();
        check(&damaged, &[kind::SAMPLE; 5], Some((32, 16)), None);
        check(&rows[..40], &[kind::SAMPLE], None, Some(32));
        check(&[0; 7], &[], None, Some(0));
    }
}
