//! Changes of many streams in order of time.

use wattle_units::BootNanos;

use crate::work;

/// Merges streams of instants, each in order. Yields `(instant, stream, index in the stream)`, at one instant in
/// order of the streams.
///
/// A tournament of losers. The streams are the leaves `leaves + i`; node `i` keeps who lost between its children `2i` and
/// `2i + 1`, with its instant, so that an advance compares one entry a level on its path to the root:
///
/// ```text
///                 winner: stream 2 at 1
///                        1: (5, 0)
///                    ╱              ╲
///             2: (MAX, 1)         3: (MAX, 3)
///              ╱      ╲            ╱      ╲
///        4: stream 0   5: 1   6: stream 2   7: 3
/// ```
pub(super) struct Merge<'a> {
    streams: Vec<(&'a [BootNanos], usize)>,
    /// By node; the first is unused.
    losers: Vec<Head>,
    winner: Head,
}

/// The next instant of a stream, the end of time where there is none, and the stream.
type Head = (BootNanos, u32);

impl<'a> Merge<'a> {
    /// The changes after the instant.
    pub(super) fn after(start: BootNanos, streams: Vec<&'a [BootNanos]>) -> Self {
        let leaves = streams.len().next_power_of_two().max(2);
        let mut winners: Vec<Head> = vec![(BootNanos::MAX, 0); leaves];
        winners.extend((0..leaves as u32).map(|stream| (BootNanos::MAX, stream)));
        let mut positioned = Vec::with_capacity(streams.len());
        for (times, head) in streams.into_iter().zip(&mut winners[leaves..]) {
            let first = times.partition_point(|time| *time <= start);
            head.0 = times.get(first).copied().unwrap_or(BootNanos::MAX);
            positioned.push((times, first));
        }
        let mut losers = vec![(BootNanos::MAX, 0); leaves];
        for node in (1..leaves).rev() {
            let (left, right) = (winners[2 * node], winners[2 * node + 1]);
            winners[node] = left.min(right);
            losers[node] = left.max(right);
        }
        Self { streams: positioned, losers, winner: winners[1] }
    }
}

impl Iterator for Merge<'_> {
    type Item = (BootNanos, usize, usize);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        work::count();
        let (time, number) = self.winner;
        let stream = number as usize;
        let (times, next) = self.streams.get_mut(stream)?;
        let index = *next;
        if index >= times.len() {
            return None;
        }
        *next += 1;
        let mut head = (times.get(index + 1).copied().unwrap_or(BootNanos::MAX), number);
        let mut node = usize::midpoint(self.losers.len(), stream);
        while node > 0 {
            let loser = &mut self.losers[node];
            if *loser < head {
                std::mem::swap(loser, &mut head);
            }
            node /= 2;
        }
        self.winner = head;
        Some((time, stream, index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_in_order_of_time_then_of_stream() {
        let nanos = |values: &[i64]| -> Vec<BootNanos> {
            values.iter().copied().map(BootNanos::new).collect()
        };
        let (a, b, c) = (nanos(&[0, 5, 9]), nanos(&[]), nanos(&[1, 5, 6]));
        let merged: Vec<_> = Merge::after(BootNanos::new(0), vec![&a, &b, &c])
            .map(|(time, stream, index)| (time.value(), stream, index))
            .collect();
        // An ended stream never comes again, not even at the end of time.
        assert_eq!(Merge::after(BootNanos::new(0), vec![]).next(), None);
        assert_eq!(merged, [(1, 2, 0), (5, 0, 1), (5, 2, 1), (6, 2, 2), (9, 0, 2)]);
    }
}
