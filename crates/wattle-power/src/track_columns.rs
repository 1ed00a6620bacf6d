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

/// Consecutive samples of a cumulative counter. Segment *i* is the time between samples *i* and *i* + 1, and its power what was counted
/// between them over that time: a rail of a long recording as a track takes no memory beside the rail.
#[derive(Clone, Debug)]
pub(crate) struct CounterView {
    time: SharedColumn<BootNanos>,
    /// Microwatt-seconds since boot.
    energy: SharedColumn<u64>,
    /// Sample at the start of the first segment.
    first: usize,
    /// Number of segments.
    len: usize,
    source: SourceId,
}

impl CounterView {
    /// The samples from one on, as so many segments; `None` where a track would not have exactly these: times that do not ascend, a
    /// counter that falls, neighbours of equal power, which a track joins.
    pub(crate) fn new(
        time: &SharedColumn<BootNanos>,
        energy: &SharedColumn<u64>,
        samples: std::ops::Range<usize>,
        source: SourceId,
    ) -> Option<Self> {
        let len = samples.len().checked_sub(1).filter(|len| *len > 0)?;
        let (times, energies) = (time.get(samples.clone())?, energy.get(samples.clone())?);
        let ascends = times.array_windows().all(|[before, after]| before < after)
            && energies.array_windows().all(|[before, after]| before <= after);
        if !ascends {
            return None;
        }
        let view =
            Self { time: time.clone(), energy: energy.clone(), first: samples.start, len, source };
        (1..len).all(|index| view.power(index - 1) != view.power(index)).then_some(view)
    }

    /// End of the last segment.
    pub(crate) fn end(&self) -> BootNanos {
        self.time[self.first + self.len]
    }

    fn starts(&self) -> &[BootNanos] {
        &self.time[self.first..self.first + self.len]
    }

    #[inline]
    fn power(&self, index: usize) -> Watts {
        let at = self.first + index;
        let counted = self.energy[at + 1] - self.energy[at];
        let window = Window { start: self.time[at], end: self.time[at + 1] };
        Joules::from_microjoules(counted as f64) / window.duration()
    }
}

impl TrackColumns {
    /// Number of segments.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Own(own) => own.start.len(),
            Self::Counter(view) => view.len,
        }
    }

    /// The start of each segment.
    #[inline]
    pub(crate) fn starts(&self) -> &[BootNanos] {
        match self {
            Self::Own(own) => &own.start,
            Self::Counter(view) => view.starts(),
        }
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
            let powers = (0..view.len).map(|index| view.power(index));
            *self = Self::Own(OwnColumns {
                start: view.starts().to_vec(),
                power: powers.collect(),
                source: vec![view.source; view.len],
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
            Self::Counter(_) => 0,
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
            columns.starts().iter().copied().zip(powers).collect()
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
    fn counters_that_are_no_track_have_no_view() {
        assert!(view(&[]).is_none());
        assert!(view(&[(0, 1)]).is_none());
        assert!(view(&[(0, 5), (1, 4)]).is_none());
        assert!(view(&[(0, 5), (0, 6)]).is_none());
        assert!(view(&[(0, 5), (1, 6), (2, 7)]).is_none());
    }
}
