//! Pages of the kernel's ring buffer.
//!
//! A page begins with the time of its first event and how many bytes of events it holds. Each event begins with a word of 5 bits
//! that say what it is or how long, and 27 bits of time since the one before (`include/linux/ring_buffer.h`).

use crate::tracepoints::PageLayout;
use wattle_wire::ByteOrder;

/// Bits of the time in an event's first word.
const TIME_BITS: u32 = 27;
/// Nothing from here on, or something that was taken back.
const PADDING: u32 = 29;
/// More time than the bits hold.
const TIME_EXTEND: u32 = 30;
/// A whole time.
const TIME_STAMP: u32 = 31;

/// In the word that says how much a page holds.
const HELD: u64 = (1 << TIME_BITS) - 1;
const HAS_LOST: u64 = 1 << 31;
const HAS_COUNT: u64 = 1 << 30;

/// A page.
#[derive(Clone, Debug)]
pub(super) struct Page<'a> {
    events: &'a [u8],
    order: ByteOrder,
    at: usize,
    time: u64,
    /// Events that were lost before it; one, if the kernel did not know how many.
    pub lost: Option<u64>,
    /// It says that it holds more than its size allows.
    pub is_damaged: bool,
}

impl<'a> Page<'a> {
    /// Reads the head of a page.
    pub fn new(bytes: &'a [u8], layout: PageLayout, order: ByteOrder) -> Option<Self> {
        let time = order.long(bytes, 0)?;
        let commit = order.number(bytes.get(8..8 + layout.long)?)?;
        let all = bytes.get(layout.data..)?;
        let held = (commit & HELD) as usize;
        let count = || order.number(all.get(held..held.checked_add(layout.long)?)?);
        let lost = (commit & HAS_LOST != 0)
            .then(|| if commit & HAS_COUNT != 0 { count().unwrap_or(1) } else { 1 });
        let is_damaged = held > all.len();
        Some(Self { events: all.get(..held).unwrap_or(all), order, at: 0, time, lost, is_damaged })
    }

    /// The time up to which it was read; before its first event, that with which it begins.
    pub fn time(&self) -> u64 {
        self.time
    }

    fn split(&self, word: u32) -> (u32, u64) {
        if self.order.is_big {
            (word >> TIME_BITS, u64::from(word) & HELD)
        } else {
            (word & 31, u64::from(word >> 5))
        }
    }
}

impl<'a> Iterator for Page<'a> {
    /// Time and record.
    type Item = (u64, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while self.at < self.events.len() {
            let (kind, delta) = self.split(self.order.word(self.events, self.at)?);
            let next = self.order.word(self.events, self.at + 4);
            let (start, length) = match kind {
                PADDING if delta == 0 => {
                    self.at = self.events.len();
                    return None;
                }
                PADDING => {
                    self.time = self.time.wrapping_add(delta);
                    self.at = self.at.checked_add(4)?.checked_add(next? as usize)?;
                    continue;
                }
                TIME_EXTEND => {
                    self.time = self.time.wrapping_add(u64::from(next?) << TIME_BITS | delta);
                    self.at += 8;
                    continue;
                }
                TIME_STAMP => {
                    // The upper bits are not in it: those of the time before.
                    const BITS: u32 = 59;
                    let whole = u64::from(next?) << TIME_BITS | delta;
                    self.time = (self.time >> BITS << BITS) | (whole & ((1 << BITS) - 1));
                    self.at += 8;
                    continue;
                }
                0 => (self.at + 8, (next?.checked_sub(4)? as usize).checked_add(3)? & !3),
                words => (self.at + 4, words as usize * 4),
            };
            self.time = self.time.wrapping_add(delta);
            let end = start.checked_add(length)?;
            let Some(record) = self.events.get(start..end) else {
                self.is_damaged = true;
                self.at = self.events.len();
                return None;
            };
            self.at = end;
            return Some((self.time, record));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(words: &[u32], commit: u64, order: ByteOrder) -> Vec<u8> {
        let long =
            |value: u64| if order.is_big { value.to_be_bytes() } else { value.to_le_bytes() };
        let word =
            |value: &u32| if order.is_big { value.to_be_bytes() } else { value.to_le_bytes() };
        let mut bytes = [long(1000), long(commit)].concat();
        bytes.extend(words.iter().flat_map(word));
        bytes
    }

    #[track_caller]
    fn check(
        words: &[(u32, u32)],
        lost: u64,
        expected: &[(u64, usize)],
        expected_lost: Option<u64>,
    ) {
        for is_big in [false, true] {
            let order = ByteOrder { is_big };
            // What is a head has its kind above; the rest is plain.
            let words: Vec<u32> = words
                .iter()
                .map(|(kind, value)| match kind {
                    32 => *value,
                    kind if is_big => kind << 27 | value,
                    kind => kind | value << 5,
                })
                .collect();
            let held = if lost & HAS_COUNT == 0 { words.len() * 4 } else { words.len() * 4 - 8 };
            let bytes = page(&words, held as u64 | lost, order);
            let page = Page::new(&bytes, PageLayout::default(), order).expect("a page");
            assert_eq!(page.lost, expected_lost);
            let found: Vec<_> = page.map(|(time, record)| (time, record.len())).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn every_kind_of_event() {
        check(&[(1, 5), (32, 7), (2, 6), (32, 7), (32, 7)], 0, &[(1005, 4), (1011, 8)], None);
        // A length of its own word, rounded up.
        check(&[(0, 5), (32, 6), (32, 7)], 0, &[(1005, 4)], None);
        check(&[(30, 5), (32, 1), (1, 0), (32, 7)], HAS_LOST, &[(1005 + (1 << 27), 4)], Some(1));
        check(&[(31, 5), (32, 2), (1, 1), (32, 7)], 0, &[(6 + (2 << 27), 4)], None);
        // Something taken back, then nothing to the end.
        check(&[(29, 1), (32, 4), (1, 1), (32, 7), (29, 0), (1, 9)], 0, &[(1002, 4)], None);
        // Past the end.
        check(&[(5, 1), (32, 4)], 0, &[], None);
    }

    #[test]
    fn a_count_of_lost_events_stands_behind_them() {
        for (is_big, count) in [(false, [(32, 12), (32, 0)]), (true, [(32, 0), (32, 12)])] {
            let order = ByteOrder { is_big };
            let head = if is_big { 1 << 27 | 5 } else { 1 | 5 << 5 };
            let words = [head, 7, count[0].1, count[1].1];
            let bytes = page(&words, 8 | HAS_LOST | HAS_COUNT, order);
            let page = Page::new(&bytes, PageLayout::default(), order).expect("a page");
            assert_eq!((page.lost, page.count()), (Some(12), 1));
        }
    }
}
