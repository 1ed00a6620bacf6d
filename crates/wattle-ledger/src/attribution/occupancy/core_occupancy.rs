//! One core over time.

use wattle_timeline::Window;
use wattle_units::{BootNanos, Nanos};

use super::occupant::{Activity, Occupant};
use crate::attribution::consumer::Consumer;

/// One core over time.
#[derive(Debug, Default)]
pub(crate) struct CoreOccupancy {
    start: Vec<BootNanos>,
    occupant: Vec<Occupant>,
    end: BootNanos,
    /// Its activity over all of the timeline, not only the window: which core was first awake is decided before a window begins.
    pub(crate) activity: Vec<(BootNanos, Activity)>,
    /// Nanoseconds inside the window in which it ran a task or a handler.
    pub(crate) busy: i64,
    /// Nanoseconds inside the window for which nothing was recorded.
    pub(crate) unknown: i64,
    /// Time on this core inside the window, by path.
    pub(crate) self_cpu: Vec<Nanos>,
    /// The part of it that probes took, by path; empty without probes.
    pub(crate) probe_cpu: Vec<Nanos>,
    /// Every stretch of a task on the CPU inside the window, if requested.
    pub(crate) runs: Option<Vec<(Window, Consumer)>>,
}

impl CoreOccupancy {
    /// Without pieces yet, from the instant on, with on-CPU times for so many paths and probed paths.
    pub(super) fn new(start: BootNanos, (paths, probed): (usize, usize), slices: usize) -> Self {
        Self {
            // Room for the calls inside slices; what is not used costs only addresses.
            start: Vec::with_capacity(slices * 3),
            occupant: Vec::with_capacity(slices * 3),
            activity: Vec::with_capacity(slices * 2),
            end: start,
            self_cpu: vec![Nanos::ZERO; paths],
            probe_cpu: vec![Nanos::ZERO; probed],
            ..Self::default()
        }
    }

    /// Number of pieces.
    pub(super) fn len(&self) -> usize {
        self.occupant.len()
    }

    /// Gives a piece another occupant.
    pub(super) fn set(&mut self, piece: usize, occupant: Occupant) {
        if let Some(slot) = self.occupant.get_mut(piece) {
            *slot = occupant;
        }
    }

    /// From the instant on the core does this, for so long inside the window.
    #[inline]
    pub(super) fn does(&mut self, from: BootNanos, activity: Activity, inside: Nanos) {
        match activity {
            Activity::Busy => self.busy = self.busy.saturating_add(inside.value()),
            Activity::Unknown => self.unknown = self.unknown.saturating_add(inside.value()),
            Activity::Idle => {}
        }
        if self.activity.last().is_none_or(|(_, last)| *last != activity) {
            self.activity.push((from, activity));
        }
    }

    /// Its pieces in order of time, from one on.
    pub(crate) fn pieces_from(
        &self,
        first: usize,
    ) -> impl Iterator<Item = (Window, (usize, Occupant))> + '_ {
        (first..self.occupant.len()).map(|i| {
            let end = self.start.get(i + 1).copied().unwrap_or(self.end);
            (Window { start: self.start[i], end }, (i, self.occupant[i]))
        })
    }

    /// A task was on the CPU for the window, which is inside the period that is accounted for.
    #[inline]
    pub(super) fn ran(&mut self, task: Occupant, window: Window) {
        let time = window.duration();
        if let Some(runs) = self.runs.as_mut().filter(|_| !window.is_empty()) {
            match runs.last_mut() {
                Some((last, who)) if last.end == window.start && *who == task.consumer() => {
                    last.end = window.end;
                }
                _ => runs.push((window, task.consumer())),
            }
        }
        let (times, path) = match task.consumer() {
            Consumer::Path(path) | Consumer::Recorder(path) => (&mut self.self_cpu, path),
            Consumer::Probes(path) => (&mut self.probe_cpu, path),
            _ => return,
        };
        if let Some(total) = times.get_mut(path as usize) {
            *total += time;
        }
    }

    pub(super) fn push(&mut self, window: Window, occupant: Occupant, merge: bool) {
        if window.is_empty() {
            return;
        }
        if !merge || self.occupant.last() != Some(&occupant) {
            self.start.push(window.start);
            self.occupant.push(occupant);
        }
        self.end = window.end;
    }
}
