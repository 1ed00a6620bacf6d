//! Changes of many streams in order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use wattle_units::BootNanos;

/// Merges streams of instants, each in order. Yields `(instant, stream, index in the stream)`.
pub(super) struct Merge<'a> {
    streams: Vec<(&'a [BootNanos], usize)>,
    heap: BinaryHeap<Reverse<(BootNanos, u32)>>,
}

impl<'a> Merge<'a> {
    /// The changes after the instant.
    pub(super) fn after(start: BootNanos, streams: Vec<&'a [BootNanos]>) -> Self {
        let mut heap = BinaryHeap::with_capacity(streams.len());
        let mut positioned = Vec::with_capacity(streams.len());
        for (stream, times) in streams.into_iter().enumerate() {
            let first = times.partition_point(|time| *time <= start);
            if let Some(time) = times.get(first) {
                heap.push(Reverse((*time, stream as u32)));
            }
            positioned.push((times, first));
        }
        Self { streams: positioned, heap }
    }
}

impl Iterator for Merge<'_> {
    type Item = (BootNanos, usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let mut top = self.heap.peek_mut()?;
        let Reverse((time, stream)) = *top;
        let stream = stream as usize;
        let (times, next) = &mut self.streams[stream];
        let index = *next;
        *next += 1;
        match times.get(*next) {
            Some(following) => top.0.0 = *following,
            None => {
                PeekMut::pop(top);
            }
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
        assert_eq!(merged, [(1, 2, 0), (5, 0, 1), (5, 2, 1), (6, 2, 2), (9, 0, 2)]);
    }
}
