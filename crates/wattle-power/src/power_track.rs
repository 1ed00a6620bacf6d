//! Power over time.

use wattle_timeline::Window;
use wattle_units::{BootNanos, Estimate, Joules, Watts};

use crate::power_coverage::WindowSet;
use crate::track_columns::{CounterView, OwnColumns, TrackColumns};
use crate::{Component, ErrorModel, Scope, SourceId, work};

/// A stretch of constant power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerSegment {
    /// The stretch of time.
    pub window: Window,
    /// The power.
    pub power: Watts,
    /// The number of the model whose error it carries.
    pub source: SourceId,
}

/// The power of one component in one scope: piecewise constant, without gaps, from its first segment's
/// start to [`PowerTrack::end`]. Columns.
#[derive(Clone, Debug)]
pub struct PowerTrack {
    /// The kind of hardware.
    pub component: Component,
    /// The part of it.
    pub scope: Scope,
    columns: TrackColumns,
    end: BootNanos,
}

/// Equal segments, wherever they are kept.
impl PartialEq for PowerTrack {
    fn eq(&self, other: &Self) -> bool {
        let facts = |track: &Self| (track.end, track.len());
        facts(self) == facts(other)
            && self.component == other.component
            && self.scope == other.scope
            && self.segments().eq(other.segments())
    }
}

impl PowerTrack {
    /// A track that begins at the instant and has no power yet.
    pub fn new(component: Component, scope: Scope, start: BootNanos) -> Self {
        let columns = TrackColumns::Own(OwnColumns::default());
        Self { component, scope, columns, end: start }
    }

    /// The track of a counter, which it shares.
    pub(crate) fn of_counter(component: Component, scope: Scope, view: CounterView) -> Self {
        let end = view.end();
        Self { component, scope, columns: TrackColumns::Counter(view), end }
    }

    /// Makes room for so many more segments.
    pub(crate) fn reserve(&mut self, segments: usize) {
        let columns = self.columns.own();
        columns.start.reserve_exact(segments);
        columns.power.reserve_exact(segments);
        columns.source.reserve_exact(segments);
    }

    /// Appends a segment that lasts from the end of the last one until the instant. One that would end
    /// before it begins is dropped; one of the same power and source prolongs the last.
    #[inline]
    pub fn push_until(&mut self, end: BootNanos, power: Watts, source: SourceId) {
        if end <= self.end {
            return;
        }
        let columns = self.columns.own();
        if columns.power.last() != Some(&power) || columns.source.last() != Some(&source) {
            columns.start.push(self.end);
            columns.power.push(power);
            columns.source.push(source);
        }
        self.end = end;
    }

    /// The same with the numbers of its sources raised; past the last possible source, that one stands for the rest, see
    /// [`crate::ErrorModel::add_source`].
    pub(crate) fn with_sources_shifted(mut self, shift: usize) -> Self {
        if shift > 0 {
            self.columns.change_sources(|source| {
                let raised = usize::from(source.0).saturating_add(shift);
                source.0 = u16::try_from(raised).unwrap_or(u16::MAX);
            });
        }
        self
    }

    /// The part inside the window.
    pub(crate) fn clipped(self, window: Window) -> Self {
        if self.window().intersect(window) == self.window() {
            return self;
        }
        let mut part = Self::new(self.component.clone(), self.scope.clone(), window.start);
        for segment in self.segments() {
            let inside = segment.window.intersect(window);
            if inside.is_empty() {
                continue;
            }
            if part.is_empty() {
                part.end = inside.start;
            }
            part.push_until(inside.end, segment.power, segment.source);
        }
        part
    }

    /// The track with nothing drawn inside the windows; `None` where that leaves nothing.
    pub(crate) fn without(self, windows: &[Window]) -> Option<Self> {
        let windows: WindowSet = windows.iter().copied().collect();
        let windows: Vec<Window> = windows.iter().collect();
        let mut ended = 0;
        let start = self.window().start;
        let mut rest = Self::new(self.component.clone(), self.scope.clone(), start);
        let mut drawn = false;
        for segment in self.segments() {
            let mut now = segment.window.start;
            // Windows that ended before this segment are of no interest to later ones either.
            ended += windows[ended..].partition_point(|window| window.end <= now);
            for window in windows[ended..].iter().take_while(|w| w.start < segment.window.end) {
                work::count();
                let taken = window.intersect(Window::new(now, segment.window.end));
                if taken.is_empty() {
                    continue;
                }
                drawn |= taken.start > now && segment.power != Watts::ZERO;
                rest.push_until(taken.start, segment.power, segment.source);
                rest.push_until(taken.end, Watts::ZERO, segment.source);
                now = taken.end;
            }
            drawn |= now < segment.window.end && segment.power != Watts::ZERO;
            rest.push_until(segment.window.end, segment.power, segment.source);
        }
        drawn.then_some(rest)
    }

    /// Number of segments.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The end of the last segment.
    pub fn end(&self) -> BootNanos {
        self.end
    }

    /// From the first segment's start to the end.
    pub fn window(&self) -> Window {
        Window::new(self.columns.start(0).unwrap_or(self.end), self.end)
    }

    /// One segment.
    pub fn get(&self, index: usize) -> Option<PowerSegment> {
        (index < self.len()).then(|| self.segment(index))
    }

    #[inline]
    fn segment(&self, index: usize) -> PowerSegment {
        work::count();
        let start = self.columns.start(index).unwrap_or(self.end);
        let end = self.columns.start(index + 1).unwrap_or(self.end);
        let (power, source) = self.columns.power(index);
        PowerSegment { window: Window { start, end }, power, source }
    }

    /// All segments in order of time.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = PowerSegment> + Clone + '_ {
        (0..self.len()).map(|index| self.segment(index))
    }

    /// Index of the segment that holds at the instant, or of the first one if it begins later.
    pub fn segment_at(&self, time: BootNanos) -> usize {
        self.columns.first_after(0..self.len(), time).saturating_sub(1)
    }

    /// `∫ power dt` over the window, segment by segment, with the source of each.
    pub fn energies(&self, window: Window) -> impl Iterator<Item = (SourceId, Joules)> + '_ {
        self.energies_from(self.segment_at(window.start), window)
    }

    /// The same over many windows, ascending and disjoint, window by window.
    ///
    /// One sweep: windows before and after the track are skipped, and the segment of each window is looked for from that
    /// of the window before.
    pub(crate) fn energies_in(
        &self,
        windows: &[Window],
    ) -> impl Iterator<Item = (SourceId, Joules)> {
        let Window { start, end } = self.window();
        let from = windows.partition_point(|window| window.end <= start);
        // The first one behind the end adds 0 J, as each of the others would.
        let until = windows.partition_point(|window| window.start < end) + 1;
        let touching = windows.get(from..until.min(windows.len())).unwrap_or_default();
        let mut first = 0;
        touching.iter().flat_map(move |window| {
            first = self.segment_from(first, window.start);
            self.energies_from(first, *window)
        })
    }

    fn energies_from(
        &self,
        first: usize,
        window: Window,
    ) -> impl Iterator<Item = (SourceId, Joules)> + '_ {
        let inside = (first..self.len()).map(|index| self.segment(index));
        let inside = inside.take_while(move |s| s.window.start < window.end);
        inside.map(move |s| (s.source, s.power * s.window.intersect(window).duration()))
    }

    /// [`Self::segment_at`], for an instant not before the start of a known segment. The step doubles until it is past
    /// the instant, so that near segments are found at once and far ones as by bisection.
    fn segment_from(&self, known: usize, time: BootNanos) -> usize {
        let mut reach = 1;
        while self.columns.start(known + reach).is_some_and(|start| start <= time) {
            work::count();
            reach *= 2;
        }
        self.columns.first_after(known..known + reach, time).saturating_sub(1).max(known)
    }

    /// `∫ power dt` over the window, compensated.
    pub fn energy(&self, window: Window) -> Joules {
        self.energies(window).map(|(_, joules)| joules).sum()
    }

    /// Bytes held by the track alone.
    pub fn heap_bytes(&self) -> usize {
        self.columns.heap_bytes()
    }
}

/// The energy of one component's tracks in the window.
pub(crate) fn component_energy(
    tracks: &[PowerTrack],
    component: &Component,
    errors: &ErrorModel,
    window: Window,
) -> Estimate {
    let of = tracks.iter().filter(|track| track.component == *component);
    errors.whole(of.flat_map(|track| track.energies(window)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(from: i64, until: i64) -> Window {
        Window::new(BootNanos::new(from), BootNanos::new(until))
    }

    /// Segments of 10 ns from 0 on, each of another power.
    fn track(segments: u32) -> PowerTrack {
        let mut track = PowerTrack::new(Component::Cpu, Scope::Device, BootNanos::new(0));
        for index in 0..segments {
            let end = BootNanos::new(10 * (i64::from(index) + 1));
            track.push_until(end, Watts::new(f64::from(index + 1)), SourceId(0));
        }
        track
    }

    #[test]
    fn energies_of_ascending_windows_are_those_of_each() {
        let track = track(100);
        let windows =
            [window(-5, 3), window(3, 3), window(4, 35), window(35, 40), window(990, 2000)];
        let one_by_one: Vec<_> =
            windows.iter().flat_map(|window| track.energies(*window)).collect();
        let at_once: Vec<_> = track.energies_in(&windows).collect();
        assert_eq!(at_once, one_by_one);
        let around = [window(-9, -5), window(-5, 0), window(1000, 1002), window(1005, 1009)];
        let nothing: Vec<_> = track.energies_in(&around).collect();
        assert_eq!(nothing, [(SourceId(0), Joules::ZERO)]);
        let nanojoules = |window| track.energy(window).value() * 1e9;
        assert!((nanojoules(window(5, 25)) - (5.0 + 20.0 + 15.0)).abs() < 1e-9);
        assert!((nanojoules(window(-5, 3)) - 3.0).abs() < 1e-9);
        assert!((nanojoules(window(995, 2000)) - 500.0).abs() < 1e-9);
    }

    #[test]
    fn what_windows_take_is_zero() {
        let windows = [window(25, 45), window(-3, 5), window(40, 60), window(95, 99)];
        let rest = track(10).without(&windows).unwrap();
        let kept = |at: i64| rest.segments().find(|s| s.window.contains(BootNanos::new(at)));
        for at in 0..100 {
            let taken = windows.iter().any(|window| window.contains(BootNanos::new(at)));
            let power = if taken { 0.0 } else { (at / 10 + 1) as f64 };
            assert_eq!(kept(at).unwrap().power, Watts::new(power), "{at}");
        }
        assert_eq!(track(10).without(&[window(0, 100)]), None);
    }

    /// Twice the segments and twice the windows: twice the work.
    #[test]
    fn many_windows_of_a_long_track_take_linear_work() {
        let work = |size: u32| {
            let track = track(size);
            let windows: Vec<Window> =
                (0..i64::from(size)).map(|index| window(10 * index, 10 * index + 7)).collect();
            let summed = work::during(|| track.energies_in(&windows).count());
            let apart =
                work::during(|| windows.iter().map(|w| track.energies(*w).count()).sum::<usize>());
            (summed, apart, work::during(|| track.without(&windows)))
        };
        let (once, twice) = (work(2000), work(4000));
        let is_linear = |once: u64, twice: u64| once > 0 && twice as f64 <= 2.2 * once as f64;
        assert!(is_linear(once.0, twice.0), "{once:?} {twice:?}");
        assert!(is_linear(once.1, twice.1), "{once:?} {twice:?}");
        assert!(is_linear(once.2, twice.2), "{once:?} {twice:?}");
    }
}
