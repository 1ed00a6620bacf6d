//! A stretch of time.

use serde::{Deserialize, Serialize};
use wattle_units::{BootNanos, Nanos};

/// A half-open stretch of time `[start, end)`. Never has its end before its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Window {
    /// First instant.
    pub start: BootNanos,
    /// First instant after it.
    pub end: BootNanos,
}

impl Window {
    /// From start to end; an end before the start gives an empty window at the start.
    pub fn new(start: BootNanos, end: BootNanos) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Its length.
    pub fn duration(self) -> Nanos {
        self.end - self.start
    }

    /// Whether it has no length.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// The part that both have in common; empty if they do not touch.
    #[must_use]
    pub fn intersect(self, other: Self) -> Self {
        Self::new(self.start.max(other.start), self.end.min(other.end))
    }

    /// Whether the instant lies inside.
    pub fn contains(self, time: BootNanos) -> bool {
        self.start <= time && time < self.end
    }
}
