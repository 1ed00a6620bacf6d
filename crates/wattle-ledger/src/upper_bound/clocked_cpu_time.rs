//! Time that threads ran, where somebody polled `/proc/<pid>/task/<tid>/time_in_state` beside the calls.

use std::collections::BTreeMap;

use wattle_timeline::{CounterScope, CounterTrack, Tid, Timeline, Window};
use wattle_units::{BootNanos, Nanos};

/// Counters of threads' CPU time, by the kernel's number.
#[derive(Debug, Default)]
pub(super) struct CpuTimes<'a> {
    of_threads: BTreeMap<Tid, Vec<&'a CounterTrack>>,
}

impl<'a> CpuTimes<'a> {
    pub fn new(timeline: &'a Timeline) -> Self {
        let mut of_threads: BTreeMap<Tid, Vec<&CounterTrack>> = BTreeMap::new();
        for track in &timeline.system.counters {
            let CounterScope::Thread(thread) = track.scope else { continue };
            let is_time = timeline.names.get(track.name).contains(".time_in_state.");
            if let Some(thread) = timeline.tasks.threads.get(thread.index()).filter(|_| is_time) {
                of_threads.entry(thread.tid).or_default().push(track);
            }
        }
        Self { of_threads }
    }

    /// On-CPU time of the thread inside the window; `None` where it was not polled before and after it.
    pub fn inside(&self, thread: Option<Tid>, window: Window) -> Option<Nanos> {
        let tracks = self.of_threads.get(&thread?)?;
        let mut seconds = 0.0;
        for track in tracks {
            seconds += at(track, window.end)? - at(track, window.start)?;
        }
        Some(Nanos::new((seconds.max(0.0) * 1e9) as i64))
    }
}

/// A counter's value at an instant, on a straight line between the polls before and after it.
fn at(track: &CounterTrack, time: BootNanos) -> Option<f64> {
    let after = track.time.partition_point(|polled| *polled < time);
    let high = (*track.time.get(after)?, *track.value.get(after)?);
    if high.0 == time {
        return Some(high.1);
    }
    let before = after.checked_sub(1)?;
    let low = (*track.time.get(before)?, *track.value.get(before)?);
    let part = (time - low.0).seconds() / (high.0 - low.0).seconds();
    Some(low.1 + (high.1 - low.1) * part)
}
