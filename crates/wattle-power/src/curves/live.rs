//! An output of the sweep that is being made.

use wattle_units::{BootNanos, Watts};

use crate::{PowerTrack, Scope, SourceId};

/// Output for the power of one scope.
pub(super) trait Output {
    /// The power from the end of the last stretch until the instant.
    fn push_until(&mut self, end: BootNanos, power: Watts, source: SourceId);
    /// There will be at most about so many stretches.
    fn reserve(&mut self, stretches: usize);
    /// Whether it says anything: nobody asks for scopes that never drew power, unless they are cores.
    fn counts(&self) -> bool;
}

impl Output for PowerTrack {
    #[inline]
    fn push_until(&mut self, end: BootNanos, power: Watts, source: SourceId) {
        self.push_until(end, power, source);
    }

    fn reserve(&mut self, stretches: usize) {
        self.reserve(stretches);
    }

    fn counts(&self) -> bool {
        matches!(self.scope, Scope::Core(_))
            || self.segments().any(|segment| segment.power != Watts::ZERO)
    }
}

/// One output: what it made of the power up to the last change, and what has held since.
pub(super) struct Live<O> {
    output: O,
    power: Watts,
    source: SourceId,
}

impl<O: Output> Live<O> {
    pub(super) fn new(output: O, source: SourceId) -> Self {
        Self { output, power: Watts::ZERO, source }
    }

    /// Makes room; what is not used costs only addresses.
    pub(super) fn reserve(&mut self, stretches: usize) {
        self.output.reserve(stretches);
    }

    #[inline]
    pub(super) fn set(&mut self, now: BootNanos, power: Watts, source: SourceId) {
        if power != self.power || source != self.source {
            self.output.push_until(now, self.power, self.source);
            self.power = power;
            self.source = source;
        }
    }

    pub(super) fn finish(mut self, end: BootNanos) -> O {
        self.output.push_until(end, self.power, self.source);
        self.output
    }
}
