//! Periods of the clock, and requests for them, while a log is read.

use rustc_hash::FxHashSet;
use wattle_timeline::{REQUESTED_TIMER_PERIOD, RawScope, TIMER_PERIOD, TimelineBuilder};
use wattle_units::BootNanos;

use super::timer_event::TimerEvent;

/// Nanoseconds of a unit of the events.
const UNIT: f64 = 100.0;

/// Whose periods were told so far.
#[derive(Debug, Default)]
pub(super) struct Timers {
    told: FxHashSet<Option<u32>>,
}

impl Timers {
    /// A period from a time on. What a list says before any change of the same was so since the log began.
    pub fn event(
        &mut self,
        event: TimerEvent,
        (begun, at): (BootNanos, BootNanos),
        builder: &mut TimelineBuilder,
    ) {
        let is_first = self.told.insert(event.pid);
        let at = if event.is_rundown && is_first { begun } else { at };
        let (scope, name) = match event.pid {
            Some(pid) => (RawScope::Process(pid), REQUESTED_TIMER_PERIOD),
            None => (RawScope::Global, TIMER_PERIOD),
        };
        let name = builder.names.intern(name);
        let key = builder.system().counter_track(scope, name);
        builder.system().counter(key, at, f64::from(event.period) * UNIT);
    }
}
