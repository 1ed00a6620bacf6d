//! Fewer stretches of tracks within a budget: the shortest ones are merged or left out, and the track says up to which length.

use wattle_units::Nanos;

use crate::{TimeTrack, TimeTracks, TrackKind, TrackStretch};

/// The most stretches of all tracks of a ledger.
pub(crate) const MOST_STRETCHES: usize = 400_000;

/// The finest detail other than all of it, in nanoseconds; each coarser one is twice as long.
const FINEST: i64 = 1_000;

/// Doublings of the finest detail: the last is longer than any recording.
const DOUBLINGS: u32 = 48;

/// Kinds that share a part of a budget, and the part in hundredths.
const SHARES: [(&[TrackKind], usize); 6] = [
    (&[TrackKind::CpuRuns], 34),
    (&[TrackKind::Slices], 32),
    (&[TrackKind::Power], 10),
    (&[TrackKind::CpuClock], 10),
    (&[TrackKind::Rail], 8),
    (
        &[
            TrackKind::Frames,
            TrackKind::BatteryLevel,
            TrackKind::BatteryCharge,
            TrackKind::BatteryCurrent,
            TrackKind::Wakelock,
        ],
        6,
    ),
];

/// The way in which short stretches of a kind make room.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shortening {
    /// Neighbours become one with their mean value.
    Mean,
    /// Neighbours become one with the value that had most time, which is as long as they are together.
    Longest,
    /// They are left out.
    LeftOut,
}

impl TrackKind {
    const fn shortening(self) -> Shortening {
        match self {
            Self::CpuClock
            | Self::Power
            | Self::Rail
            | Self::BatteryLevel
            | Self::BatteryCharge
            | Self::BatteryCurrent => Shortening::Mean,
            Self::CpuRuns => Shortening::Longest,
            Self::Slices | Self::Frames | Self::Wakelock => Shortening::LeftOut,
        }
    }
}

impl TimeTrack {
    /// The same track with at most so many stretches.
    #[must_use]
    pub(crate) fn at_most(mut self, most: usize) -> Self {
        shorten(&mut [&mut self], most);
        self
    }
}

impl TimeTracks {
    /// Number of stretches of all tracks.
    pub fn stretches(&self) -> usize {
        self.tracks.iter().map(TimeTrack::len).sum()
    }

    /// The same tracks with at most so many stretches. What a kind does not need of its part is for the others.
    #[must_use]
    pub fn within(mut self, most: usize) -> Self {
        let sizes = SHARES.map(|(kinds, _)| {
            self.tracks.iter().filter(|it| kinds.contains(&it.kind)).map(TimeTrack::len).sum()
        });
        for ((kinds, _), budget) in SHARES.iter().zip(budgets(sizes, most)) {
            let mut tracks: Vec<&mut TimeTrack> =
                self.tracks.iter_mut().filter(|it| kinds.contains(&it.kind)).collect();
            shorten(&mut tracks, budget);
        }
        self
    }
}

/// The budget of each share.
fn budgets(sizes: [usize; SHARES.len()], most: usize) -> [usize; SHARES.len()] {
    let mut is_enough = [false; SHARES.len()];
    loop {
        let held: usize = (0..SHARES.len()).filter(|at| is_enough[*at]).map(|at| sizes[at]).sum();
        let parts: usize =
            (0..SHARES.len()).filter(|at| !is_enough[*at]).map(|at| SHARES[at].1).sum();
        let left = most.saturating_sub(held);
        let of = |at: usize| left.saturating_mul(SHARES[at].1) / parts.max(1);
        let fits = (0..SHARES.len()).find(|at| !is_enough[*at] && sizes[*at] <= of(*at));
        match fits {
            Some(at) => is_enough[at] = true,
            None => {
                return std::array::from_fn(|at| if is_enough[at] { sizes[at] } else { of(at) });
            }
        }
    }
}

/// Makes tracks coarser, all to the same detail, until they have no more stretches than that.
fn shorten(tracks: &mut [&mut TimeTrack], most: usize) {
    let all: usize = tracks.iter().map(|track| track.len()).sum();
    if all <= most {
        return;
    }
    let is_enough = |detail: i64| {
        let mut count = 0_usize;
        for track in tracks.iter() {
            coarser(track.stretches(), detail, track.kind.shortening(), &mut |_| count += 1);
        }
        count <= most
    };
    let (mut low, mut high) = (0, DOUBLINGS);
    while low < high {
        let middle = u32::midpoint(low, high);
        if is_enough(FINEST << middle) { high = middle } else { low = middle + 1 }
    }
    let detail = FINEST << low.min(DOUBLINGS);
    for track in tracks.iter_mut() {
        let by = track.kind.shortening();
        let mut stretches = Vec::new();
        coarser(track.stretches(), detail, by, &mut |group| stretches.extend(merged(group, by)));
        let merged = track.len().saturating_sub(stretches.len()) as u64;
        if merged == 0 {
            continue;
        }
        let taken = std::mem::replace(*track, TimeTrack::new(track.kind, String::new()));
        **track = taken.with(&stretches);
        track.left_out = track.left_out.saturating_add(merged);
        track.detail = track.detail.max(Nanos::new(detail));
    }
}

/// Gives the groups of neighbours that become one stretch each, in order.
fn coarser(
    given: impl Iterator<Item = TrackStretch>,
    detail: i64,
    by: Shortening,
    give: &mut impl FnMut(&[TrackStretch]),
) {
    if by == Shortening::LeftOut {
        given.filter(|stretch| stretch.length >= detail).for_each(|stretch| give(&[stretch]));
        return;
    }
    let mut group: Vec<TrackStretch> = Vec::new();
    for stretch in given {
        let joins = group.first().is_some_and(|first| {
            let last = group.last().map_or(first.start, |last| last.end());
            let gap = stretch.start.saturating_sub(last);
            let is_near = match by {
                Shortening::Mean => gap == 0,
                _ => gap < detail,
            };
            // One that is long enough stands alone; others are joined up to that length.
            is_near
                && stretch.length < detail
                && last.saturating_sub(first.start) < detail
                && first.length < detail
        });
        if !joins && !group.is_empty() {
            give(&group);
            group.clear();
        }
        group.push(stretch);
    }
    if !group.is_empty() {
        give(&group);
    }
}

/// A group of neighbours as one stretch.
fn merged(group: &[TrackStretch], by: Shortening) -> Option<TrackStretch> {
    let (first, last) = (group.first()?, group.last()?);
    let time: i64 = group.iter().map(|it| it.length).sum();
    if group.len() == 1 {
        return Some(*first);
    }
    let value = match by {
        Shortening::Mean => {
            let sum: f64 = group.iter().map(|it| it.value as f64 * it.length as f64).sum();
            (sum / time.max(1) as f64).round() as i64
        }
        _ => longest(group),
    };
    let length = if by == Shortening::Mean { last.end().saturating_sub(first.start) } else { time };
    Some(TrackStretch { length, value, ..*first })
}

/// The value that has most of the time of a group; of several, the one that came first.
fn longest(group: &[TrackStretch]) -> i64 {
    let mut times: Vec<(i64, i64)> = Vec::new();
    for stretch in group {
        match times.iter_mut().find(|(value, _)| *value == stretch.value) {
            Some((_, time)) => *time += stretch.length,
            None => times.push((stretch.value, stretch.length)),
        }
    }
    let mut best = (0, i64::MIN);
    for (value, time) in times {
        if time > best.1 {
            best = (value, time);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tracks(kind: TrackKind, parts: &[(i64, i64, i64)]) -> TimeTracks {
        let mut now = 0;
        let stretches: Vec<_> = parts
            .iter()
            .map(|(gap, length, value)| {
                let start = now + gap;
                now = start + length;
                TrackStretch { start, length: *length, value: *value, depth: 0 }
            })
            .collect();
        let track = TimeTrack::new(kind, String::new()).with(&stretches);
        TimeTracks { tracks: vec![track], ..TimeTracks::default() }
    }

    proptest! {
        /// Merged threads have the time that they ran; stretches stay in order and apart; what is left out is counted.
        #[test]
        fn running_time_is_kept_within_any_budget(
            parts in prop::collection::vec((0_i64..5_000, 1_i64..20_000, 0_i64..4), 1..200),
            most in 1_usize..100,
        ) {
            let given = tracks(TrackKind::CpuRuns, &parts);
            let made = given.clone().within(most);
            let time = |of: &TimeTracks| of.tracks[0].lengths.iter().sum::<i64>();
            prop_assert_eq!(time(&made), time(&given));
            prop_assert!(made.stretches() <= most || most < 4);
            prop_assert_eq!(made.tracks[0].left_out as usize, parts.len() - made.stretches());
            let mut end = 0;
            for stretch in made.tracks[0].stretches() {
                prop_assert!(stretch.start >= end);
                end = stretch.end();
            }
        }

        /// The mean of a rail does not change.
        #[test]
        fn energy_of_rails_is_kept(
            parts in prop::collection::vec((0_i64..1, 1_i64..20_000, 0_i64..4_000_000), 8..200),
        ) {
            let given = tracks(TrackKind::Rail, &parts);
            let made = given.clone().within(parts.len() / 2);
            let energy = |of: &TimeTracks| {
                of.tracks[0].stretches().map(|it| it.length as f64 * it.value as f64).sum::<f64>()
            };
            prop_assert!((energy(&made) - energy(&given)).abs() <= 0.5 * 20_000.0 * parts.len() as f64);
        }
    }

    #[test]
    fn a_kind_that_needs_little_leaves_its_part_to_others() {
        assert_eq!(budgets([10, 0, 0, 0, 0, 0], 100), [10, 0, 0, 0, 0, 0]);
        assert_eq!(budgets([1000, 10, 0, 0, 0, 0], 100)[0], 90);
        assert_eq!(budgets([1000; 6], 100), [34, 32, 10, 10, 8, 6]);
    }
}
