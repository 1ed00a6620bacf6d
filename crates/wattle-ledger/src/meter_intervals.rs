//! When meters were read: what an interval between two readings measured is known only as a whole.

use serde::{Deserialize, Serialize};
use wattle_power::{MeterId, PowerEstimate};
use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos};

/// The most intervals of all meters; neighbours are joined where there would be more.
pub(crate) const MOST_INTERVALS: usize = 100_000;

/// The intervals between the readings of one meter, in order of time, apart from each other.
///
/// In a part of an interval the meter's error does not hold: how much of the sum was spent in it is a guess
/// ([`wattle_power::EVEN_POWER_ERROR`] for a rail's own power, the model's errors for power that it scaled).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MeterIntervals {
    /// The meter, an index into `errors.meters`.
    pub meter: MeterId,
    /// The start of the first interval.
    pub start: BootNanos,
    /// By interval: its length, and the time from its end to the start of the next one.
    pub steps: Vec<(Nanos, Nanos)>,
}

impl MeterIntervals {
    /// The intervals of all meters of an estimate.
    pub(crate) fn all(estimate: &PowerEstimate) -> Vec<Self> {
        let mut windows: Vec<Vec<Window>> = vec![Vec::new(); estimate.errors.meters.len()];
        for rail in &estimate.rail_periods {
            if let Some(of) = windows.get_mut(usize::from(rail.meter.0)) {
                of.extend(rail.periods.iter().map(|period| period.window));
            }
        }
        let scaled: Vec<bool> = windows.iter().map(|of| !of.is_empty()).collect();
        for track in &estimate.tracks {
            for segment in track.segments() {
                let source = estimate.errors.sources.get(usize::from(segment.source.0));
                let Some(meter) = source.and_then(|source| source.meter) else { continue };
                let meter = usize::from(meter.0);
                if scaled.get(meter) == Some(&false)
                    && let Some(of) = windows.get_mut(meter)
                {
                    of.push(segment.window);
                }
            }
        }
        let all: usize = windows.iter().map(Vec::len).sum();
        let join = all.div_ceil(MOST_INTERVALS).max(1);
        (0..)
            .map(MeterId)
            .zip(windows)
            .filter_map(|(meter, windows)| Self::new(meter, windows, join))
            .collect()
    }

    fn new(meter: MeterId, mut windows: Vec<Window>, join: usize) -> Option<Self> {
        windows.sort_unstable_by_key(|window| (window.start, window.end));
        // Several tracks of one meter have the same intervals.
        windows.dedup_by(|later, earlier| later.start < earlier.end || later == earlier);
        let joined = windows.chunks(join).filter_map(|of| {
            let (first, last) = (of.first()?, of.last()?);
            Some(Window::new(first.start, last.end))
        });
        let windows: Vec<Window> = joined.collect();
        let start = windows.first()?.start;
        let next = windows.iter().skip(1).map(|window| Some(window.start)).chain([None]);
        let steps = windows
            .iter()
            .zip(next)
            .map(|(window, next)| (window.duration(), next.unwrap_or(window.end) - window.end))
            .collect();
        Some(Self { meter, start, steps })
    }

    /// The intervals.
    pub fn windows(&self) -> impl Iterator<Item = Window> + '_ {
        let mut start = self.start;
        self.steps.iter().map(move |(length, gap)| {
            let end = start + *length;
            let window = Window::new(start, end);
            start = end + *gap;
            window
        })
    }
}
