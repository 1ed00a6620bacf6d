//! States, totals and meters while they are being read.

use std::collections::BTreeMap;

use wattle_units::BootNanos;

use super::TimelineBuilder;
use crate::{
    CounterScope, DeviceWake, MeterTrack, NameId, StateKind, StateTrack, Steps, SyncMark, Timeline,
    Usage,
};

/// Which state: of what, whose, and which of several.
type StateKey = (StateKind, CounterScope, Option<NameId>);

#[derive(Debug, Default)]
pub(crate) struct States {
    changes: BTreeMap<StateKey, Vec<(BootNanos, u32)>>,
    usage: Vec<Usage>,
    meters: Vec<MeterTrack>,
    sync_marks: Vec<SyncMark>,
    wakes: Vec<DeviceWake>,
}

impl TimelineBuilder {
    /// From this instant on, until another word, that is the level of a state.
    pub fn state(
        &mut self,
        kind: StateKind,
        scope: CounterScope,
        tag: Option<NameId>,
        time: BootNanos,
        level: u32,
    ) {
        self.extend_to(time);
        self.states.changes.entry((kind, scope, tag)).or_default().push((time, level));
    }

    /// The device was woken.
    pub fn device_wake(&mut self, wake: DeviceWake) {
        self.extend_to(wake.time);
        self.states.wakes.push(wake);
    }

    /// A number of a stretch of time as a whole.
    pub fn usage(&mut self, usage: Usage) {
        self.extend_to(usage.window.start);
        self.extend_to(usage.window.end);
        self.states.usage.push(usage);
    }

    /// The same of a stretch that reaches past what was recorded: the window of the timeline stays as it is.
    pub fn usage_around(&mut self, usage: Usage) {
        self.states.usage.push(usage);
    }

    /// What a meter measured. Its samples are in order.
    pub fn meter(&mut self, track: MeterTrack) {
        if let (Some(first), Some(last)) = (track.time.first(), track.time.last()) {
            self.extend_to(*first);
            self.extend_to(*last);
        }
        self.states.meters.push(track);
    }

    /// Something was written into the recording for a meter to be aligned by.
    pub fn sync_mark(&mut self, time: BootNanos, text: NameId) {
        self.extend_to(time);
        self.states.sync_marks.push(SyncMark { time, text });
    }
}

impl States {
    pub(crate) fn finish(self, timeline: &mut Timeline) {
        timeline.states = self
            .changes
            .into_iter()
            .map(|((kind, scope, tag), changes)| {
                let level = Steps::from_changes(changes);
                StateTrack { kind, scope, tag, level }
            })
            .collect();
        timeline.usage = self.usage;
        timeline
            .usage
            .sort_by_key(|usage| (usage.window.start, usage.quantity, usage.uid, usage.tag));
        timeline.device_wakes = self.wakes;
        timeline.device_wakes.sort_by_key(|wake| wake.time);
        timeline.meters = self.meters;
        timeline.sync_marks = self.sync_marks;
        timeline.sync_marks.sort_by_key(|mark| mark.time);
    }
}
