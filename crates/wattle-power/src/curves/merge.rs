//! Changes of many streams in order of time.

use wattle_units::BootNanos;

/// Merges streams of instants, each in order. Yields `(instant, stream, index in the stream)`, at one instant in
/// order of the streams.
///
/// A tournament: `winners[1]` is the stream that comes next, the children of `i` are `2i` and `2i + 1`, and the
/// streams are the leaves. An advance replays one path from a leaf to the root.
pub(super) struct Merge<'a> {
    streams: Vec<(&'a [BootNanos], usize)>,
    /// The next instant of each leaf; the end of time where there is none.
    heads: Vec<BootNanos>,
    winners: Vec<u32>,
}

impl<'a> Merge<'a> {
    /// The changes after the instant.
    pub(super) fn after(start: BootNanos, streams: Vec<&'a [BootNanos]>) -> Self {
        let leaves = streams.len().next_power_of_two().max(2);
        let mut heads = vec![BootNanos::MAX; leaves];
        let mut positioned = Vec::with_capacity(streams.len());
        for (times, head) in streams.into_iter().zip(&mut heads) {
            let first = times.partition_point(|time| *time <= start);
            *head = times.get(first).copied().unwrap_or(BootNanos::MAX);
            positioned.push((times, first));
        }
        let mut winners = vec![0; leaves];
        winners.extend(0..leaves as u32);
        let mut merge = Self { streams: positioned, heads, winners };
        for node in (1..leaves).rev() {
            merge.play(node);
        }
        merge
    }

    fn play(&mut self, node: usize) {
        let (left, right) = (self.winners[2 * node], self.winners[2 * node + 1]);
        let right_wins = self.heads[right as usize] < self.heads[left as usize];
        self.winners[node] = if right_wins { right } else { left };
    }
}

impl Iterator for Merge<'_> {
    type Item = (BootNanos, usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let stream = self.winners[1] as usize;
        let time = self.heads[stream];
        let (times, next) = self.streams.get_mut(stream)?;
        let index = *next;
        if index >= times.len() {
            return None;
        }
        *next += 1;
        self.heads[stream] = times.get(index + 1).copied().unwrap_or(BootNanos::MAX);
        let mut node = self.heads.len() / 2 + stream / 2;
        while node > 0 {
            self.play(node);
            node /= 2;
        }
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
