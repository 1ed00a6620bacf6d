//! Counters while they are being read.

use rustc_hash::FxHashMap;
use wattle_units::BootNanos;

use super::scope::{RawScope, ScopeResolver};
use crate::{CounterScope, CounterTrack, NameId};

/// A counter: see [`super::SystemBuilder::counter_track`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CounterKey(u32);

#[derive(Debug)]
struct Counter {
    scope: RawScope,
    name: NameId,
    time: Vec<BootNanos>,
    value: Vec<f64>,
}

#[derive(Debug, Default)]
pub(crate) struct CounterLog {
    counters: Vec<Counter>,
    index: FxHashMap<(RawScope, NameId), u32>,
}

impl CounterLog {
    pub fn track(&mut self, scope: RawScope, name: NameId) -> CounterKey {
        let next = self.counters.len() as u32;
        let key = *self.index.entry((scope, name)).or_insert(next);
        if key == next {
            self.counters.push(Counter { scope, name, time: Vec::new(), value: Vec::new() });
        }
        CounterKey(key)
    }

    #[inline]
    pub fn push(&mut self, key: CounterKey, time: i64, value: f64) {
        if let Some(counter) = self.counters.get_mut(key.0 as usize) {
            counter.time.push(BootNanos::new(time));
            counter.value.push(value);
        }
    }

    pub fn finish(self, scopes: &ScopeResolver<'_>) -> Vec<CounterTrack> {
        let mut tracks = Vec::with_capacity(self.counters.len());
        for mut counter in self.counters {
            if counter.time.is_empty() {
                continue;
            }
            counter.sort();
            counter.split(scopes, &mut tracks);
        }
        tracks
    }
}

impl Counter {
    fn sort(&mut self) {
        if self.time.is_sorted() {
            return;
        }
        let mut order: Vec<u32> = (0..self.time.len() as u32).collect();
        order.sort_by_key(|i| self.time[*i as usize]);
        self.time = order.iter().map(|i| self.time[*i as usize]).collect();
        self.value = order.iter().map(|i| self.value[*i as usize]).collect();
    }

    /// A counter of a number that was reused is one for each life.
    fn split(self, scopes: &ScopeResolver<'_>, tracks: &mut Vec<CounterTrack>) {
        let owner = |time: BootNanos| {
            let scope = scopes.counter(self.scope, time.value());
            scope.unwrap_or(CounterScope::Global)
        };
        let (Some(first), Some(last)) = (self.time.first(), self.time.last()) else { return };
        let (first, last) = (owner(*first), owner(*last));
        if first == last {
            let Self { name, time, value, .. } = self;
            tracks.push(CounterTrack { name, scope: first, time, value });
            return;
        }
        let from = tracks.len();
        for (time, value) in self.time.iter().zip(&self.value) {
            let scope = owner(*time);
            if tracks.len() == from || tracks.last().is_none_or(|track| track.scope != scope) {
                let (time, value) = (Vec::new(), Vec::new());
                tracks.push(CounterTrack { name: self.name, scope, time, value });
            }
            if let Some(track) = tracks.last_mut() {
                track.time.push(*time);
                track.value.push(*value);
            }
        }
    }
}
