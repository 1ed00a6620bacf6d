//! The task that a core runs, and its innermost call.

use wattle_timeline::{CpuTimeline, SchedSlice, ThreadId};
use wattle_units::BootNanos;

use crate::Unfinished;
use crate::attribution::call_paths::{CallTrees, Place, bounded};

/// Goes through the tasks of one core and the calls inside them.
pub(super) struct Running<'a> {
    cpu: &'a CpuTimeline,
    calls: &'a CallTrees,
    unfinished: Unfinished,
    next: usize,
    slice: Option<SchedSlice>,
    place: Option<Place<'a>>,
    /// By thread: its place when it last ran on this core.
    left_at: Vec<u32>,
}

impl<'a> Running<'a> {
    pub(super) fn new(
        cpu: &'a CpuTimeline,
        calls: &'a CallTrees,
        unfinished: Unfinished,
        threads: usize,
    ) -> Self {
        let left_at = vec![0; threads];
        Self { cpu, calls, unfinished, next: 0, slice: None, place: None, left_at }
    }

    pub(super) fn advance(&mut self, time: BootNanos) {
        if self.slice.is_some_and(|slice| slice.window.end <= time) {
            self.leave();
        }
        while self.slice.is_none()
            && let Some(slice) = self.cpu.sched.get(self.next)
            && slice.window.start <= time
        {
            self.next += 1;
            let slice = bounded(self.cpu, slice, self.unfinished);
            if slice.window.end > time {
                self.enter(slice, time);
            }
        }
        if let Some(place) = &mut self.place {
            while place.until() <= time {
                place.step();
            }
        }
    }

    fn enter(&mut self, slice: SchedSlice, time: BootNanos) {
        self.slice = Some(slice);
        if !slice.thread.is_idle() {
            let from = self.left_at.get(slice.thread.index()).copied().unwrap_or_default();
            self.place = Some(self.calls.seek(slice.thread, time, from as usize));
        }
    }

    fn leave(&mut self) {
        if let (Some(slice), Some(place)) = (self.slice, self.place)
            && let Some(left_at) = self.left_at.get_mut(slice.thread.index())
        {
            *left_at = place.position() as u32;
        }
        self.slice = None;
        self.place = None;
    }

    pub(super) fn until(&self) -> BootNanos {
        match (self.slice, self.place) {
            (Some(slice), Some(place)) => slice.window.end.min(place.until()),
            (Some(slice), None) => slice.window.end,
            (None, _) => {
                self.cpu.sched.get(self.next).map_or(BootNanos::MAX, |next| next.window.start)
            }
        }
    }

    /// The thread that runs, unless it is the idle task, and its place.
    pub(super) fn task(&self) -> Option<(ThreadId, Place<'_>)> {
        Some((self.slice?.thread, self.place?))
    }

    pub(super) fn is_idle_task(&self) -> bool {
        self.slice.is_some_and(|slice| slice.thread.is_idle())
    }
}
