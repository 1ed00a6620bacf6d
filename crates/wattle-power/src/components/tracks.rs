//! Power tracks while they are being made.

use wattle_units::BootNanos;

use super::draw::Rate;
use crate::voltage::Voltage;
use crate::{Component, PowerTrack, Scope, SourceId};

/// The tracks of one component and source, one for each scope.
pub(super) struct Tracks<'a> {
    component: Component,
    source: SourceId,
    voltage: &'a Voltage,
    by_scope: rustc_hash::FxHashMap<Scope, PowerTrack>,
}

impl<'a> Tracks<'a> {
    pub(super) fn new(component: Component, source: SourceId, voltage: &'a Voltage) -> Self {
        Self { component, source, voltage, by_scope: rustc_hash::FxHashMap::default() }
    }

    /// Draws the rate for the stretch, at the battery's voltage of each instant. Stretches of one scope come in
    /// order of time; between them nothing is drawn.
    pub(super) fn draw(&mut self, scope: &Scope, from: BootNanos, until: BootNanos, rate: Rate) {
        if until <= from || rate.is_zero() {
            return;
        }
        let source = self.source;
        let track = match self.by_scope.get_mut(scope) {
            Some(track) => track,
            None => self
                .by_scope
                .entry(scope.clone())
                .or_insert_with(|| PowerTrack::new(self.component.clone(), scope.clone(), from)),
        };
        track.push_until(from, wattle_units::Watts::ZERO, source);
        let mut now = from.max(track.end());
        while now < until {
            let cut = self.voltage.next_change(now).min(until);
            track.push_until(cut, rate.at(self.voltage.at(now)), source);
            now = cut;
        }
    }

    pub(super) fn finish(self) -> Vec<PowerTrack> {
        let mut tracks: Vec<_> = self.by_scope.into_values().filter(|t| !t.is_empty()).collect();
        tracks.sort_by_key(|track| (format!("{:?}", track.scope), track.window().start));
        tracks
    }
}
