//! The stretch of time that the events of a recording cover.

use wattle_units::BootNanos;

use crate::Window;

/// The first and last event so far, in nanoseconds, and from when on all streams are complete.
#[derive(Debug)]
pub(crate) struct Extent {
    first: i64,
    last: i64,
    complete_from: i64,
}

impl Default for Extent {
    fn default() -> Self {
        Self { first: i64::MAX, last: i64::MIN, complete_from: i64::MIN }
    }
}

impl Extent {
    /// Something happened at this time.
    #[inline]
    pub fn reach(&mut self, time: BootNanos) {
        self.first = self.first.min(time.value());
        self.last = self.last.max(time.value());
    }

    /// A stream is complete only from this time on.
    pub fn complete_from(&mut self, time: BootNanos) {
        self.complete_from = self.complete_from.max(time.value());
    }

    /// From when on all streams are complete.
    pub fn first_complete(&self) -> BootNanos {
        BootNanos::new(self.complete_from)
    }

    /// From the first to the last event; `None` before the first.
    pub fn span(&self) -> Option<(BootNanos, BootNanos)> {
        (self.first <= self.last).then(|| (BootNanos::new(self.first), BootNanos::new(self.last)))
    }

    /// The window of the timeline.
    pub fn window(&self) -> Window {
        self.span().map_or_else(Window::default, |(first, last)| {
            Window::new(first.max(self.first_complete()).min(last), last)
        })
    }
}
