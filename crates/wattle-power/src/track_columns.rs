//! The columns of a power track: its own, or a view of a counter's.

use wattle_timeline::{SharedColumn, Window};
use wattle_units::{BootNanos, Joules, Watts};

use crate::SourceId;

/// Segments by index. All but the end of the last one, which the track knows.
#[derive(Clone, Debug)]
pub(crate) enum TrackColumns {
    /// Columns of the track's own.
    Own(OwnColumns),
    /// A counter of energy: nothing is copied.
    Counter(CounterView),
}

/// Columns of a track that is made segment by segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnColumns {
    pub(crate) start: Vec<BootNanos>,
    pub(crate) power: Vec<Watts>,
    pub(crate) source: Vec<SourceId>,
}

/// Consecutive samples of a cumulative counter. A segment is the time between a sample and the next one, and its power what was counted
/// between them over that time; neighbours of equal power are one segment, as in every track. A rail of a long recording as a track takes
/// little memory beside the rail.
#[derive(Clone, Debug)]
pub(crate) struct CounterView {
    time: SharedColumn<BootNanos>,
    /// Microwatt-seconds since boot.
    energy: SharedColumn<u64>,
    segments: Segments,
    /// Sample at the end of the last segment.
    last: usize,
    source: SourceId,
}

/// Samples at which segments start.
#[derive(Clone, Debug)]
enum Segments {
    /// Each sample from this one on.
    Every(usize),
    /// These samples, ascending: some neighbours have the same power.
    At(Box<[u32]>),
}

impl Segments {
    #[inline]
    fn sample(&self, segment: usize) -> usize {
        match self {
            Self::Every(first) => first + segment,
            Self::At(samples) => samples[segment] as usize,
        }
    }
}

impl CounterView {
    /// The samples as segments; `None` where they are none: fewer than two, times that do not ascend, a counter that falls.
    pub(crate) fn new(
        time: &SharedColumn<BootNanos>,
        energy: &SharedColumn<u64>,
        samples: std::ops::Range<usize>,
        source: SourceId,
    ) -> Option<Self> {
        let (first, last) = (samples.start, samples.end.checked_sub(1)?);
        let (times, energies) = (time.get(samples.clone())?, energy.get(samples)?);
        let ascends = times.array_windows().all(|[before, after]| before < after)
            && energies.array_windows().all(|[before, after]| before <= after);
        if !ascends || last <= first {
            return None;
        }
        let segments = Segments::Every(first);
        let mut view = Self { time: time.clone(), energy: energy.clone(), segments, last, source };
        let begins = |sample: &usize| {
            *sample == first || view.power_from(*sample - 1) != view.power_from(*sample)
        };
        let count = (first..last).filter(begins).count();
        if count < last - first {
            u32::try_from(last).ok()?;
            let mut starts = Vec::with_capacity(count);
            starts.extend((first..last).filter(begins).map(|sample| sample as u32));
            view.segments = Segments::At(starts.into());
        }
        Some(view)
    }

    /// End of the last segment.
    pub(crate) fn end(&self) -> BootNanos {
        self.time[self.last]
    }

    /// Number of segments.
    fn len(&self) -> usize {
        match &self.segments {
            Segments::Every(first) => self.last - first,
            Segments::At(samples) => samples.len(),
        }
    }

    #[inline]
    fn start(&self, segment: usize) -> BootNanos {
        self.time[self.segments.sample(segment)]
    }

    #[inline]
    fn power(&self, segment: usize) -> Watts {
        self.power_from(self.segments.sample(segment))
    }

    /// Power between a sample and the next one.
    #[inline]
    fn power_from(&self, sample: usize) -> Watts {
        let counted = self.energy[sample + 1] - self.energy[sample];
        let window = Window { start: self.time[sample], end: self.time[sample + 1] };
        Joules::from_microjoules(counted as f64) / window.duration()
    }
}

impl TrackColumns {
    /// Number of segments.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Own(own) => own.start.len(),
            Self::Counter(view) => view.len(),
        }
    }

    /// Start of a segment; `None` behind the last one.
    #[inline]
    pub(crate) fn start(&self, index: usize) -> Option<BootNanos> {
        match self {
            Self::Own(own) => own.start.get(index).copied(),
            Self::Counter(view) => (index < view.len()).then(|| view.start(index)),
        }
    }

    /// The first of some segments that starts after an instant, or the end of the range. Segments are in order of time.
    pub(crate) fn first_after(&self, within: std::ops::Range<usize>, time: BootNanos) -> usize {
        let (mut low, mut high) = (within.start, within.end.min(self.len()));
        while low < high {
            let middle = low.midpoint(high);
            if self.start(middle).is_some_and(|start| start <= time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Power and source of a segment.
    #[inline]
    pub(crate) fn power(&self, index: usize) -> (Watts, SourceId) {
        match self {
            Self::Own(own) => (own.power[index], own.source[index]),
            Self::Counter(view) => (view.power(index), view.source),
        }
    }

    /// The columns for adding to: a view is copied first.
    #[inline]
    pub(crate) fn own(&mut self) -> &mut OwnColumns {
        if let Self::Counter(view) = self {
            let segments = 0..view.len();
            *self = Self::Own(OwnColumns {
                start: segments.clone().map(|index| view.start(index)).collect(),
                power: segments.map(|index| view.power(index)).collect(),
                source: vec![view.source; view.len()],
            });
        }
        match self {
            Self::Own(own) => own,
            Self::Counter(_) => unreachable!("a view was copied"),
        }
    }

    /// Applies a function to each source.
    pub(crate) fn change_sources(&mut self, change: impl Fn(&mut SourceId)) {
        match self {
            Self::Own(own) => own.source.iter_mut().for_each(change),
            Self::Counter(view) => change(&mut view.source),
        }
    }

    /// Bytes held by the track alone.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::Own(own) => {
                own.start.capacity() * 8 + own.power.capacity() * 8 + own.source.capacity() * 2
            }
            Self::Counter(CounterView { segments: Segments::Every(_), .. }) => 0,
            Self::Counter(CounterView { segments: Segments::At(samples), .. }) => samples.len() * 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(samples: &[(i64, u64)]) -> Option<TrackColumns> {
        let time = samples.iter().map(|(time, _)| BootNanos::new(*time)).collect();
        let energy = samples.iter().map(|(_, energy)| *energy).collect();
        CounterView::new(&time, &energy, 0..samples.len(), SourceId(7)).map(TrackColumns::Counter)
    }

    #[test]
    fn a_view_is_what_its_copy_is() {
        let mut columns = view(&[(1000, 5), (2000, 15), (4000, 20), (5000, 20)]).unwrap();
        let segments = |columns: &TrackColumns| -> Vec<_> {
            let powers = (0..columns.len()).map(|index| columns.power(index));
            (0..).map_while(|index| columns.start(index)).zip(powers).collect()
        };
        let seen = segments(&columns);
        // 10 µJ in 1 µs, 5 µJ in 2 µs, nothing.
        let watts: Vec<_> = seen.iter().map(|(_, (power, _))| power.value()).collect();
        assert_eq!(
            watts.iter().map(|watts| (watts * 1e6).round() / 1e6).collect::<Vec<_>>(),
            [10.0, 2.5, 0.0]
        );
        assert_eq!(columns.heap_bytes(), 0);
        columns.own();
        assert!(columns.heap_bytes() > 0);
        assert_eq!(segments(&columns), seen);
    }

    #[test]
    fn neighbours_of_equal_power_are_one_segment() {
        // 1 µJ in each µs until 3, nothing until 5, 1 µJ again.
        let samples = [(0, 0), (1000, 1), (2000, 2), (3000, 3), (4000, 3), (5000, 3), (6000, 4)];
        let mut columns = view(&samples).unwrap();
        let starts = |columns: &TrackColumns| -> Vec<i64> {
            (0..).map_while(|index| columns.start(index)).map(BootNanos::value).collect()
        };
        assert_eq!(starts(&columns), [0, 3000, 5000]);
        let after = |time| columns.first_after(0..3, BootNanos::new(time));
        assert_eq!([-1, 0, 2999, 3000, 9000].map(after), [0, 1, 1, 2, 3]);
        let powers = |columns: &TrackColumns| [0, 1, 2].map(|index| columns.power(index));
        let seen = powers(&columns);
        assert_eq!((seen[0], seen[1].0), (seen[2], Watts::ZERO));
        columns.own();
        assert_eq!((starts(&columns).len(), powers(&columns)), (3, seen));
    }

    #[test]
    fn counters_that_are_no_track_have_no_view() {
        assert!(view(&[]).is_none());
        assert!(view(&[(0, 1)]).is_none());
        assert!(view(&[(0, 5), (1, 4)]).is_none());
        assert!(view(&[(0, 5), (0, 6)]).is_none());
    }
}
