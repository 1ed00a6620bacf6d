//! The power of components over time, from one change of any of its tracks to the next.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeMap, BinaryHeap};

use wattle_power::{Component, PowerTrack};

use super::TrackRows;
use crate::track_detail::MOST_STRETCHES;
use crate::{TimeTrack, TrackKind, TrackStretch};

/// A change of one track: when, by how many watts, and by how many tracks there are.
type Change = (i64, f64, i32);

impl TrackRows<'_> {
    /// The sum of the tracks of each component. Where none of them is, there is no data.
    pub(super) fn powers(&self, tracks: &[PowerTrack]) -> Vec<TimeTrack> {
        let mut components: BTreeMap<&Component, Vec<&PowerTrack>> = BTreeMap::new();
        for track in tracks {
            components.entry(&track.component).or_default().push(track);
        }
        let components: Vec<_> = components.into_iter().collect();
        wattle_workers::ordered(self.workers, &components, |(component, tracks)| {
            let changes = tracks.iter().map(|track| self.changes(track)).collect();
            let track = TimeTrack::new(TrackKind::Power, component.name().to_owned());
            let track = track.with(&summed(InOrder::new(changes))).at_most(MOST_STRETCHES);
            TimeTrack { component: Some((*component).clone()), ..track }
        })
    }

    /// The changes of a track in order of time.
    fn changes(&self, track: &PowerTrack) -> impl Iterator<Item = Change> {
        let segments = track.segments().skip(track.segment_at(self.window.start));
        segments.take_while(|segment| segment.window.start < self.window.end).flat_map(|segment| {
            let inside = segment.window.intersect(self.window);
            let watts = segment.power.value();
            let is_known = !inside.is_empty() && watts.is_finite();
            let (start, end) = (self.since_start(inside.start), self.since_start(inside.end));
            is_known.then_some([(start, watts, 1), (end, -watts, -1)]).into_iter().flatten()
        })
    }
}

/// The changes of several tracks in order of time; of one time, in order of the tracks.
struct InOrder<I> {
    /// By track: its next change, and those after it.
    tracks: Vec<(Change, I)>,
    /// The times of the next changes, and whose they are.
    next: BinaryHeap<Reverse<(i64, usize)>>,
}

impl<I: Iterator<Item = Change>> InOrder<I> {
    fn new(tracks: Vec<I>) -> Self {
        let with_first = |mut track: I| track.next().map(|first| (first, track));
        let tracks: Vec<(Change, I)> = tracks.into_iter().filter_map(with_first).collect();
        let next =
            tracks.iter().enumerate().map(|(at, (first, _))| Reverse((first.0, at))).collect();
        Self { tracks, next }
    }
}

impl<I: Iterator<Item = Change>> Iterator for InOrder<I> {
    type Item = Change;

    fn next(&mut self) -> Option<Change> {
        let mut earliest = self.next.peek_mut()?;
        let (head, rest) = self.tracks.get_mut(earliest.0.1)?;
        let change = *head;
        match rest.next() {
            Some(after) => {
                *head = after;
                earliest.0.0 = after.0;
            }
            None => {
                PeekMut::pop(earliest);
            }
        }
        Some(change)
    }
}

/// Stretches of equal power out of changes in order of time.
fn summed(changes: impl Iterator<Item = Change>) -> Vec<TrackStretch> {
    let mut made: Vec<TrackStretch> = Vec::new();
    let (mut watts, mut open, mut now) = (0.0, 0, 0);
    for (time, by, count) in changes {
        if time > now && open > 0 {
            let (start, length) = (now, time - now);
            let value = (watts * 1e6_f64).round() as i64;
            match made.last_mut() {
                Some(last) if last.end() == start && last.value == value => last.length += length,
                _ => made.push(TrackStretch { start, length, value, depth: 0 }),
            }
        }
        now = time;
        open += count;
        // Without a track nothing is left of rounding.
        watts = if open == 0 { 0.0 } else { watts + by };
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_add_up_and_gaps_stay() {
        let changes = [
            (0, 1.0, 1),
            (5, 0.5, 1),
            (10, -1.0, -1),
            (10, 1.0, 1),
            (20, -0.5, -1),
            (20, -1.0, -1),
            (30, 2.0, 1),
            (40, -2.0, -1),
        ];
        let expected = [(0, 5, 1_000_000), (5, 15, 1_500_000), (30, 10, 2_000_000)];
        let check = |found: Vec<TrackStretch>| {
            let found: Vec<_> = found.iter().map(|it| (it.start, it.length, it.value)).collect();
            assert_eq!(found, expected);
        };
        check(summed(changes.into_iter()));
        // The same changes as those of tracks: two with a part each, and one without any.
        let of = |wanted: &[usize]| {
            let wanted = wanted.to_vec();
            wanted.into_iter().filter_map(|at| changes.get(at)).copied().collect::<Vec<_>>()
        };
        let tracks = [of(&[0, 2, 3, 5, 6, 7]), of(&[]), of(&[1, 4])];
        check(summed(InOrder::new(tracks.into_iter().map(Vec::into_iter).collect())));
    }
}
