//! The part of tracks in a range of time, so that neighbouring ranges have together what the tracks have.

use wattle_units::{Joules, Nanos};

use crate::{TimeTrack, TimeTracks, TrackKind, TrackStretch};

/// A range of time, in nanoseconds from the start of the window: its first instant, and the first after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackRange {
    /// The first instant.
    pub from: i64,
    /// The first instant after the range.
    pub to: i64,
}

/// Sums of a track over a range, of its stretches cut at the ends of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackAmount {
    /// The length of all stretches; those inside others count, too, and time of a CPU that was not recorded does not.
    pub time: Nanos,
    /// Values times lengths, in the unit of the track's values times nanoseconds.
    pub value_time: i128,
}

impl TrackAmount {
    /// The energy, of a track whose values are microwatts.
    pub fn microwatts(self) -> Joules {
        Joules::new(self.value_time as f64 * 1e-15)
    }
}

impl TrackRange {
    /// The length of the part of a stretch that is inside.
    fn length_of(self, stretch: TrackStretch) -> i64 {
        let (start, end) = (stretch.start.max(self.from), stretch.end().min(self.to));
        end.saturating_sub(start).max(0)
    }

    /// Whether a stretch has a part inside. One without length is in the range that begins with it.
    fn has(self, stretch: TrackStretch) -> bool {
        stretch.start < self.to && (stretch.end() > self.from || stretch.start >= self.from)
    }

    /// The part of a stretch that is inside.
    fn cut(self, stretch: TrackStretch) -> TrackStretch {
        let start = stretch.start.max(self.from);
        TrackStretch { start, length: stretch.end().min(self.to).saturating_sub(start), ..stretch }
    }
}

impl TrackKind {
    /// Whether a stretch is one thing that happened, a call, a frame or a wakelock, and not a part of a curve.
    pub const fn is_event(self) -> bool {
        matches!(self, Self::Slices | Self::Frames | Self::Wakelock)
    }
}

impl TimeTrack {
    /// The track in a range. Stretches of curves and of running threads are cut at its ends; calls, frames and wakelocks that have a part
    /// inside are whole. The number of those left out is not known of a range, and 0.
    #[must_use]
    pub fn between(&self, range: TrackRange) -> Self {
        let inside = self.stretches().filter(|stretch| range.has(*stretch));
        let is_whole = self.kind.is_event();
        let stretches: Vec<TrackStretch> =
            inside.map(|it| if is_whole { it } else { range.cut(it) }).collect();
        let part = Self {
            owner: self.owner,
            component: self.component.clone(),
            detail: self.detail,
            ..Self::new(self.kind, self.name.clone())
        };
        part.with(&stretches)
    }

    /// Its sums over a range: those of neighbouring ranges add up, whatever the track is cut into.
    pub fn amount(&self, range: TrackRange) -> TrackAmount {
        let mut sum = TrackAmount::default();
        let is_unrecorded = |value: i64| self.kind == TrackKind::CpuRuns && value < 0;
        for stretch in self.stretches().filter(|stretch| !is_unrecorded(stretch.value)) {
            let length = range.length_of(stretch);
            sum.time = Nanos::new(sum.time.value().saturating_add(length));
            let product = i128::from(stretch.value) * i128::from(length);
            sum.value_time = sum.value_time.saturating_add(product);
        }
        sum
    }
}

impl TimeTracks {
    /// All tracks in a range, in their order; without names of slices, which are those of the whole, and without times of call paths.
    #[must_use]
    pub fn between(&self, range: TrackRange) -> Self {
        let tracks = self.tracks.iter().map(|track| track.between(range)).collect();
        Self { tracks, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stretch(start: i64, length: i64, value: i64) -> TrackStretch {
        TrackStretch { start, length, value, depth: 0 }
    }

    fn track(kind: TrackKind, parts: &[(i64, i64, i64)]) -> TimeTrack {
        let mut now = 0;
        let stretches: Vec<_> = parts
            .iter()
            .map(|(gap, length, value)| {
                let start = now + gap;
                now = start + length;
                stretch(start, *length, *value)
            })
            .collect();
        TimeTrack::new(kind, "a".to_owned()).with(&stretches)
    }

    proptest! {
        /// Nothing is lost at the ends of ranges and nothing counted twice, in sums and in the stretches themselves.
        #[test]
        fn neighbouring_ranges_add_up(
            parts in prop::collection::vec((0_i64..50, 0_i64..200, -5_i64..4_000_000), 0..100),
            cuts in prop::collection::vec(0_i64..20_000, 0..8),
        ) {
            let mut cuts = cuts;
            cuts.extend([0, 30_000]);
            cuts.sort_unstable();
            for kind in [TrackKind::Power, TrackKind::CpuRuns, TrackKind::Slices] {
                let whole = track(kind, &parts);
                let expected = whole.amount(TrackRange { from: 0, to: 30_000 });
                let (mut sum, mut of_parts) = (TrackAmount::default(), TrackAmount::default());
                let mut starts = 0;
                for pair in cuts.windows(2) {
                    let range = TrackRange { from: pair[0], to: pair[1] };
                    let part = whole.between(range);
                    for (sum, of) in [(&mut sum, &whole), (&mut of_parts, &part)] {
                        let amount = of.amount(range);
                        sum.time += amount.time;
                        sum.value_time += amount.value_time;
                    }
                    starts += part.stretches().filter(|it| it.start >= range.from).count();
                    let is_inside = |it: TrackStretch| it.start >= range.from && it.end() <= range.to;
                    prop_assert!(kind.is_event() || part.stretches().all(is_inside));
                }
                prop_assert_eq!(sum, expected);
                prop_assert_eq!(of_parts, expected);
                prop_assert!(!kind.is_event() || starts == whole.len(), "{} of {}", starts, whole.len());
            }
        }

        /// Making a part coarser changes neither the time that threads ran nor, but for rounding, energy.
        #[test]
        fn coarser_parts_have_the_same_sums(
            parts in prop::collection::vec((0_i64..1, 1_i64..20_000, 0_i64..4_000_000), 8..200),
            [a, b] in prop::array::uniform2(0_i64..1_000_000),
        ) {
            let range = TrackRange { from: a.min(b), to: a.max(b) };
            for kind in [TrackKind::CpuRuns, TrackKind::Power] {
                let tracks = TimeTracks { tracks: vec![track(kind, &parts)], ..TimeTracks::default() };
                let part = tracks.between(range);
                let coarse = part.clone().within(6);
                let [fine, coarse] = [&part, &coarse].map(|of| of.tracks[0].amount(range));
                if kind == TrackKind::CpuRuns {
                    prop_assert_eq!(fine.time, coarse.time);
                } else {
                    let off = (fine.value_time - coarse.value_time).abs();
                    prop_assert!(off <= 10_000 * parts.len() as i128, "{} of {}", off, fine.value_time);
                }
            }
        }
    }

    #[test]
    fn events_are_whole_and_curves_are_cut() {
        let given = [stretch(0, 10, 1), stretch(10, 30, 2), stretch(40, 0, 3), stretch(50, 9, 4)];
        let range = TrackRange { from: 20, to: 40 };
        let of = |kind| {
            let track = TimeTrack::new(kind, String::new()).with(&given);
            track.between(range).stretches().collect::<Vec<_>>()
        };
        assert_eq!(of(TrackKind::Slices), [given[1]]);
        assert_eq!(of(TrackKind::Power), [stretch(20, 20, 2)]);
        let next = TrackRange { from: 40, to: 50 };
        let track = TimeTrack::new(TrackKind::Slices, String::new()).with(&given);
        assert_eq!(track.between(next).stretches().collect::<Vec<_>>(), [given[2]]);
    }
}
