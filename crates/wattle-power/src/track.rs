//! Power over time.

use wattle_timeline::Window;
use wattle_units::{BootNanos, Joules, Watts};

use crate::{Component, Scope, SourceId};

/// A stretch of constant power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerSegment {
    /// When.
    pub window: Window,
    /// How much.
    pub power: Watts,
    /// Whose error it carries.
    pub source: SourceId,
}

/// The power of one component in one scope: piecewise constant, without gaps, from its first segment's
/// start to [`PowerTrack::end`]. Columns.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerTrack {
    /// Which kind of hardware.
    pub component: Component,
    /// Which part of it.
    pub scope: Scope,
    start: Vec<BootNanos>,
    power: Vec<Watts>,
    source: Vec<SourceId>,
    end: BootNanos,
}

impl PowerTrack {
    /// A track that begins at the instant and has no power yet.
    pub fn new(component: Component, scope: Scope, start: BootNanos) -> Self {
        Self {
            component,
            scope,
            start: Vec::new(),
            power: Vec::new(),
            source: Vec::new(),
            end: start,
        }
    }

    /// Makes room for so many more segments.
    pub(crate) fn reserve(&mut self, segments: usize) {
        self.start.reserve_exact(segments);
        self.power.reserve_exact(segments);
        self.source.reserve_exact(segments);
    }

    /// Appends a segment that lasts from the end of the last one until the instant. One that would end
    /// before it begins is dropped; one of the same power and source prolongs the last.
    #[inline]
    pub fn push_until(&mut self, end: BootNanos, power: Watts, source: SourceId) {
        if end <= self.end {
            return;
        }
        if self.power.last() != Some(&power) || self.source.last() != Some(&source) {
            self.start.push(self.end);
            self.power.push(power);
            self.source.push(source);
        }
        self.end = end;
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
        let mut windows: Vec<Window> = windows.to_vec();
        windows.sort_by_key(|window| window.start);
        let start = self.window().start;
        let mut rest = Self::new(self.component.clone(), self.scope.clone(), start);
        let mut drawn = false;
        for segment in self.segments() {
            let mut now = segment.window.start;
            for window in &windows {
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
        self.start.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Where it ends.
    pub fn end(&self) -> BootNanos {
        self.end
    }

    /// From the first segment's start to the end.
    pub fn window(&self) -> Window {
        Window::new(self.start.first().copied().unwrap_or(self.end), self.end)
    }

    /// One segment.
    pub fn get(&self, index: usize) -> Option<PowerSegment> {
        let start = *self.start.get(index)?;
        let end = self.start.get(index + 1).copied().unwrap_or(self.end);
        Some(PowerSegment {
            window: Window { start, end },
            power: self.power[index],
            source: self.source[index],
        })
    }

    /// All segments in order of time.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = PowerSegment> + Clone + '_ {
        (0..self.len()).map(|i| PowerSegment {
            window: Window {
                start: self.start[i],
                end: self.start.get(i + 1).copied().unwrap_or(self.end),
            },
            power: self.power[i],
            source: self.source[i],
        })
    }

    /// Index of the segment that holds at the instant, or of the first one if it begins later.
    pub fn segment_at(&self, time: BootNanos) -> usize {
        self.start.partition_point(|start| *start <= time).saturating_sub(1)
    }

    /// `∫ power dt` over the window, segment by segment, with the source of each.
    pub fn energies(&self, window: Window) -> impl Iterator<Item = (SourceId, Joules)> + '_ {
        let first = self.segment_at(window.start);
        let inside = self.segments().skip(first).take_while(move |s| s.window.start < window.end);
        inside.map(move |s| (s.source, s.power * s.window.intersect(window).duration()))
    }

    /// `∫ power dt` over the window, compensated.
    pub fn energy(&self, window: Window) -> Joules {
        self.energies(window).map(|(_, joules)| joules).sum()
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> usize {
        self.start.capacity() * 8 + self.power.capacity() * 8 + self.source.capacity() * 2
    }
}
