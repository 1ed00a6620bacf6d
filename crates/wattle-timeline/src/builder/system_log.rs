//! States, totals and counters while a recording is read.

use std::collections::BTreeMap;

use wattle_units::BootNanos;

use super::counter_log::{CounterKey, CounterLog};
use super::extent::Extent;
use super::scope::{RawScope, ScopeResolver};
use crate::{CounterScope, NameId, StateKind, StateTrack, Steps, SystemRecords, Usage};

/// The kind of a state, its owner, and its name where there are several.
type StateKey = (StateKind, CounterScope, Option<NameId>);

#[derive(Debug, Default)]
pub(crate) struct SystemLog {
    states: BTreeMap<StateKey, Vec<(BootNanos, u32)>>,
    usage: Vec<Usage>,
    counters: CounterLog,
}

impl SystemLog {
    pub fn finish(mut self, scopes: &ScopeResolver<'_>) -> SystemRecords {
        let states = self.states.into_iter();
        let states = states
            .map(|((kind, scope, tag), changes)| {
                let level = Steps::from_changes(changes);
                StateTrack { kind, scope, tag, level }
            })
            .collect();
        self.usage.sort_by_key(|usage| (usage.window.start, usage.quantity, usage.uid, usage.tag));
        SystemRecords { states, usage: self.usage, counters: self.counters.finish(scopes) }
    }
}

/// Adds states, totals and counters: see [`super::TimelineBuilder::system`].
#[derive(Debug)]
pub struct SystemBuilder<'a> {
    pub(super) extent: &'a mut Extent,
    pub(super) log: &'a mut SystemLog,
}

impl SystemBuilder<'_> {
    /// The state has this level from now on, until it is set again.
    pub fn state(
        &mut self,
        kind: StateKind,
        scope: CounterScope,
        tag: Option<NameId>,
        time: BootNanos,
        level: u32,
    ) {
        self.extent.reach(time);
        self.log.states.entry((kind, scope, tag)).or_default().push((time, level));
    }

    /// A total of a stretch of time.
    pub fn usage(&mut self, usage: Usage) {
        self.extent.reach_stated(usage.window);
        self.log.usage.push(usage);
    }

    /// A total of a stretch that reaches past what was recorded: the window of the timeline stays as it is.
    pub fn usage_around(&mut self, usage: Usage) {
        self.log.usage.push(usage);
    }

    /// The counter with this owner and name.
    pub fn counter_track(&mut self, scope: RawScope, name: NameId) -> CounterKey {
        self.log.counters.track(scope, name)
    }

    /// A counter has this value from now on.
    #[inline]
    pub fn counter(&mut self, key: CounterKey, time: BootNanos, value: f64) {
        self.extent.reach(time);
        self.log.counters.push(key, time.value(), value);
    }
}
