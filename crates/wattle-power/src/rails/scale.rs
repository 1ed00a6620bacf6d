//! The measurement scales, the model splits.

use wattle_timeline::Window;
use wattle_units::{BootNanos, Joules};

use super::rail_counter::Interval;
use crate::{PowerTrack, SourceId, work};

/// Outcome of scaling an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scaled {
    pub(super) window: Window,
    /// By how much the model is multiplied; `None` where the model has no energy to be multiplied.
    pub(super) factor: Option<f64>,
    /// Whether all of it is accounted for, so that its sum is what was measured.
    pub(super) whole: bool,
}

/// The first interval that the track reaches, and the track's energy in this and each later one that it reaches. Linear in
/// its segments and those intervals: of many short tracks each looks only at its own part of a long rail.
pub(super) fn energies(track: &PowerTrack, intervals: &[Interval]) -> (usize, Vec<Joules>) {
    let first = intervals.partition_point(|i| i.window.end <= track.window().start);
    let end = intervals.partition_point(|i| i.window.start < track.end()).max(first);
    let intervals = &intervals[first..end];
    let mut found = vec![Joules::ZERO; intervals.len()];
    let mut segments = track.segments().peekable();
    for (interval, energy) in intervals.iter().zip(&mut found) {
        let mut sum = wattle_units::CompensatedSum::default();
        while let Some(segment) = segments.peek() {
            let part = segment.window.intersect(interval.window);
            if !part.is_empty() {
                sum.add((segment.power * part.duration()).value());
            }
            if segment.window.end > interval.window.end {
                break;
            }
            segments.next();
        }
        *energy = Joules::new(sum.value());
    }
    (first, found)
}

/// The track with its powers multiplied in each interval, cut at the intervals' ends; outside of all
/// intervals, and where there is no factor, as it was. `metered` gives the source to use inside; in an interval
/// of which only a part is accounted for, how much of its sum that is remains the model's word.
pub(super) fn rescale(
    track: &PowerTrack,
    intervals: &[Scaled],
    mut metered: impl FnMut(SourceId) -> SourceId,
) -> PowerTrack {
    let start = track.window().start;
    let mut scaled = PowerTrack::new(track.component.clone(), track.scope.clone(), start);
    let first = intervals.partition_point(|interval| interval.window.end <= start);
    let end = intervals.partition_point(|interval| interval.window.start < track.end());
    scaled.reserve(track.len() + 2 * end.saturating_sub(first));
    let mut next = intervals[first..].iter().peekable();
    let mut now: BootNanos = start;
    for segment in track.segments() {
        while now < segment.window.end {
            work::count();
            while next.peek().is_some_and(|interval| interval.window.end <= now) {
                next.next();
            }
            let (until, inside) = match next.peek() {
                Some(interval) if interval.window.start <= now => {
                    (interval.window.end, Some(**interval))
                }
                Some(interval) => (interval.window.start, None),
                None => (segment.window.end, None),
            };
            let until = until.min(segment.window.end);
            // Without a factor there is nothing to multiply: the model says 0 here.
            let factor = inside.and_then(|interval| interval.factor).unwrap_or(1.0);
            let is_fixed = inside.is_some_and(|interval| interval.whole);
            let source = if is_fixed { metered(segment.source) } else { segment.source };
            let power = segment.power * factor;
            scaled.push_until(until, power, source);
            now = until;
        }
    }
    scaled
}
