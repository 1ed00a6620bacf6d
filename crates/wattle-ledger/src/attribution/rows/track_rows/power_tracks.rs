//! The power of components over time, from one change of any of its tracks to the next.

use std::collections::BTreeMap;

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
        components
            .into_iter()
            .map(|(component, tracks)| {
                let changes = tracks.into_iter().map(|track| self.changes(track)).collect();
                let track = TimeTrack::new(TrackKind::Power, component.name().to_owned());
                let track = track.with(&summed(InOrder::new(changes))).at_most(MOST_STRETCHES);
                TimeTrack { component: Some(component.clone()), ..track }
            })
            .collect()
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
struct InOrder<I: Iterator>(Vec<std::iter::Peekable<I>>);

impl<I: Iterator<Item = Change>> InOrder<I> {
    fn new(tracks: Vec<I>) -> Self {
        Self(tracks.into_iter().map(Iterator::peekable).collect())
    }
}

impl<I: Iterator<Item = Change>> Iterator for InOrder<I> {
    type Item = Change;

    fn next(&mut self) -> Option<Change> {
        let heads = self.0.iter_mut().enumerate();
        let times = heads.filter_map(|(at, track)| Some((track.peek()?.0, at)));
        let (_, at) = times.min()?;
        self.0.get_mut(at)?.next()
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
        let found: Vec<_> =
            summed(changes.into_iter()).iter().map(|it| (it.start, it.length, it.value)).collect();
        assert_eq!(found, [(0, 5, 1_000_000), (5, 15, 1_500_000), (30, 10, 2_000_000)]);
    }
}
