//! A track that is being made.

use wattle_units::{BootNanos, Watts};

use crate::{Component, PowerTrack, Scope, SourceId};

/// One output: its track up to the last change, and what has held since.
pub(super) struct Live {
    pub(super) track: PowerTrack,
    power: Watts,
    source: SourceId,
}

impl Live {
    pub(super) fn new(scope: Scope, start: BootNanos, source: SourceId) -> Self {
        Self { track: PowerTrack::new(Component::Cpu, scope, start), power: Watts::ZERO, source }
    }

    pub(super) fn set(&mut self, now: BootNanos, power: Watts, source: SourceId) {
        if power != self.power || source != self.source {
            self.track.push_until(now, self.power, self.source);
            self.power = power;
            self.source = source;
        }
    }

    pub(super) fn finish(mut self, end: BootNanos) -> PowerTrack {
        self.track.push_until(end, self.power, self.source);
        self.track
    }
}
