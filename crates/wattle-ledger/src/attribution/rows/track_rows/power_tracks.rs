//! The power of components over time, from one change of any of its tracks to the next.

use std::collections::BTreeMap;

use wattle_power::{Component, PowerTrack};

use super::TrackRows;
use crate::{TimeTrack, TrackKind, TrackStretch};

/// A change of one track: when, by how many watts, and by how many tracks there are.
type Change = (i64, f64, i32);

impl TrackRows<'_> {
    /// The sum of the tracks of each component. Where none of them is, there is no data.
    pub(super) fn powers(&self, tracks: &[PowerTrack]) -> Vec<TimeTrack> {
        let mut changes: BTreeMap<&Component, Vec<Change>> = BTreeMap::new();
        for track in tracks {
            let of = changes.entry(&track.component).or_default();
            for segment in track.segments().skip(track.segment_at(self.window.start)) {
                if segment.window.start >= self.window.end {
                    break;
                }
                let inside = segment.window.intersect(self.window);
                let watts = segment.power.value();
                if !inside.is_empty() && watts.is_finite() {
                    of.push((self.since_start(inside.start), watts, 1));
                    of.push((self.since_start(inside.end), -watts, -1));
                }
            }
        }
        changes
            .into_iter()
            .map(|(component, mut changes)| {
                changes.sort_by_key(|(time, ..)| *time);
                let track = TimeTrack::new(TrackKind::Power, component.name().to_owned());
                let track = track.with(&summed(&changes));
                TimeTrack { component: Some(component.clone()), ..track }
            })
            .collect()
    }
}

/// Stretches of equal power out of changes in order of time.
fn summed(changes: &[Change]) -> Vec<TrackStretch> {
    let mut made: Vec<TrackStretch> = Vec::new();
    let (mut watts, mut open, mut now) = (0.0, 0, 0);
    for (time, by, count) in changes {
        if *time > now && open > 0 {
            let (start, length) = (now, time - now);
            let value = (watts * 1e6_f64).round() as i64;
            match made.last_mut() {
                Some(last) if last.end() == start && last.value == value => last.length += length,
                _ => made.push(TrackStretch { start, length, value, depth: 0 }),
            }
        }
        now = *time;
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
            summed(&changes).iter().map(|it| (it.start, it.length, it.value)).collect();
        assert_eq!(found, [(0, 5, 1_000_000), (5, 15, 1_500_000), (30, 10, 2_000_000)]);
    }
}
