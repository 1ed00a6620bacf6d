//! Who occupied a core at each instant.
//!
//! ```text
//! idle state   ──0──┐-1────────────────────────────┌──1──
//! interrupt         │   ┌irq┐                      │
//! scheduler    ─swapper─┴───┴──┐──task A──┐─swapper┴─────
//! occupant     idle │w:A│irq│wA│     A    │   idle
//! ```
//! What the core spends between leaving idle and the first task (`w`) is that task's: only when the
//! task begins is it known who that is, so the pieces are kept in mind until then.

use std::sync::atomic::{AtomicI64, Ordering};

use wattle_timeline::{CpuTimeline, IdleState, SchedSlice, Steps, ThreadId, Timeline, Window};
use wattle_units::BootNanos;

use crate::call_tree::{CallTrees, Place};
use crate::interrupts::{Handlers, InterruptCursor};
use crate::payer::Payer;

/// What a core does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// Nothing.
    Idle,
    /// Runs a task or a handler.
    Busy,
    /// Nothing was recorded.
    Unknown,
}

/// Who occupies a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occupant {
    /// Who pays for its own power.
    pub(crate) payer: Payer,
    /// Whether it is being woken for the payer, who does not run yet.
    pub(crate) is_waking: bool,
}

impl Occupant {
    const IDLE: Self = Self { payer: Payer::IdleFloor, is_waking: false };
    const UNKNOWN: Self = Self { payer: Payer::Unattributed, is_waking: false };

    fn waking(payer: Payer) -> Self {
        Self { payer, is_waking: true }
    }

    /// What the core does while this holds.
    pub(crate) fn activity(self) -> Activity {
        match self.payer {
            _ if self.is_waking => Activity::Idle,
            Payer::IdleFloor => Activity::Idle,
            Payer::Unattributed => Activity::Unknown,
            _ => Activity::Busy,
        }
    }
}

/// One core over time.
#[derive(Debug, Default)]
pub(crate) struct Occupancy {
    start: Vec<BootNanos>,
    occupant: Vec<Occupant>,
    end: BootNanos,
    /// What the core does, over all of the timeline: who was first awake is decided before a window begins.
    pub(crate) activity: Vec<(BootNanos, Activity)>,
    /// Nanoseconds inside the window in which it ran a task or a handler.
    pub(crate) busy: i64,
    /// Nanoseconds inside the window for which nothing was recorded.
    pub(crate) unknown: i64,
}

impl Occupancy {
    /// Its pieces in order of time.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Window, Occupant)> + '_ {
        self.occupant.iter().enumerate().map(|(i, occupant)| {
            let end = self.start.get(i + 1).copied().unwrap_or(self.end);
            (Window { start: self.start[i], end }, *occupant)
        })
    }

    fn push(&mut self, window: Window, occupant: Occupant, merge: bool) {
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

/// What the pieces of all cores are made from.
pub(crate) struct Cores<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) calls: &'a CallTrees,
    pub(crate) handlers: &'a Handlers,
    /// By thread: whether it is the recorder's.
    pub(crate) records: &'a [bool],
    /// What is accounted for.
    pub(crate) window: Window,
    /// On-CPU nanoseconds inside the window, by path. Whole numbers, so that the order in which
    /// workers add to them does not matter.
    pub(crate) self_cpu: &'a [AtomicI64],
}

/// A wake whose task is not known yet.
#[derive(Default)]
struct Wake {
    /// Its pieces in [`Occupancy`].
    pieces: Vec<usize>,
    /// The first handler that ran.
    handler: Option<u32>,
}

impl Wake {
    fn settle(self, occupancy: &mut Occupancy, occupant: Occupant) {
        for piece in self.pieces {
            occupancy.occupant[piece] = occupant;
        }
    }
}

impl Cores<'_> {
    /// One core over time.
    pub(crate) fn occupancy(&self, cpu: &CpuTimeline) -> Occupancy {
        let timeline = self.timeline;
        let range = Window::new(
            timeline.window.start.min(self.window.start),
            timeline.window.end.max(self.window.end),
        );
        let mut idle = StepCursor::new(&cpu.idle);
        let mut online = StepCursor::new(&cpu.online);
        let mut suspended = StepCursor::new(&timeline.suspended);
        let mut interrupts = InterruptCursor::new(&cpu.interrupts);
        let mut running = Running::new(cpu, self.calls, timeline.threads.len());
        let mut found = Occupancy { end: range.start, ..Occupancy::default() };
        let mut wake: Option<Wake> = None;
        let mut was_idle = false;
        let mut now = range.start;
        while now < range.end {
            idle.advance(now);
            online.advance(now);
            suspended.advance(now);
            interrupts.advance(now);
            running.advance(now);
            let until = [
                idle.until(),
                online.until(),
                suspended.until(),
                interrupts.until(),
                running.until(),
                range.end,
            ]
            .into_iter()
            .min()
            .unwrap_or(range.end);
            let piece = Window { start: now, end: until };
            let inside = piece.intersect(self.window);
            now = until;

            let is_suspended = suspended.value() == Some(true);
            let is_idle = idle.value().is_some_and(|state: IdleState| !state.is_active());
            let handler = interrupts.running().map(|name| self.handlers.number(name));
            let task = running.task();
            if was_idle && !is_idle {
                wake = Some(Wake::default());
            }
            was_idle = is_idle;
            // On-CPU time is the scheduler's word, whatever the idle state says.
            if let Some((_, path)) = task
                && handler.is_none()
                && !is_suspended
                && let Some(time) = self.self_cpu.get(path as usize)
            {
                time.fetch_add(inside.duration().value(), Ordering::Relaxed);
            }

            let occupant = if is_suspended || is_idle {
                Occupant::IDLE
            } else if let Some(handler) = handler {
                Occupant { payer: Payer::Interrupts(handler), is_waking: false }
            } else if let Some((thread, path)) = task {
                Occupant { payer: self.payer(thread, path), is_waking: false }
            } else if running.is_idle_task() || online.value() == Some(false) {
                Occupant::IDLE
            } else {
                Occupant::UNKNOWN
            };
            match (&mut wake, occupant.activity()) {
                (Some(_), _) if is_suspended || is_idle => {
                    if let Some(over) = wake.take() {
                        let handler = over.handler.unwrap_or(self.handlers.without_task());
                        over.settle(&mut found, Occupant::waking(Payer::Interrupts(handler)));
                    }
                }
                (Some(over), Activity::Busy) => match handler {
                    Some(handler) => over.handler = over.handler.or(Some(handler)),
                    None => {
                        if let Some(over) = wake.take() {
                            over.settle(&mut found, Occupant::waking(occupant.payer));
                        }
                    }
                },
                (Some(over), Activity::Idle) => {
                    if !inside.is_empty() {
                        over.pieces.push(found.occupant.len());
                    }
                }
                (Some(_), Activity::Unknown) => {
                    if let Some(over) = wake.take() {
                        over.settle(&mut found, Occupant::UNKNOWN);
                    }
                }
                (None, _) => {}
            }
            found.push(inside, occupant, wake.is_none());
            let activity = occupant.activity();
            match activity {
                Activity::Busy => found.busy += inside.duration().value(),
                Activity::Unknown => found.unknown += inside.duration().value(),
                Activity::Idle => {}
            }
            if found.activity.last().is_none_or(|(_, last)| *last != activity) {
                found.activity.push((piece.start, activity));
            }
        }
        // The recording ends before the wake does.
        if let Some(over) = wake {
            over.settle(&mut found, Occupant::UNKNOWN);
        }
        found
    }

    fn payer(&self, thread: ThreadId, path: u32) -> Payer {
        match self.records.get(thread.index()) {
            Some(true) => Payer::ProfilingOverhead,
            _ => Payer::Path(path),
        }
    }
}

/// Goes through a value over time.
struct StepCursor<'a, T> {
    times: &'a [BootNanos],
    values: &'a [T],
    next: usize,
}

impl<'a, T: Copy + PartialEq> StepCursor<'a, T> {
    fn new(steps: &'a Steps<T>) -> Self {
        Self { times: steps.times(), values: steps.values(), next: 0 }
    }

    fn advance(&mut self, time: BootNanos) {
        while self.until() <= time && self.next < self.times.len() {
            self.next += 1;
        }
    }

    fn value(&self) -> Option<T> {
        self.values.get(self.next.checked_sub(1)?).copied()
    }

    fn until(&self) -> BootNanos {
        self.times.get(self.next).copied().unwrap_or(BootNanos::MAX)
    }
}

/// Goes through the tasks of one core and the calls inside them.
struct Running<'a> {
    cpu: &'a CpuTimeline,
    calls: &'a CallTrees,
    next: usize,
    slice: Option<SchedSlice>,
    place: Option<Place<'a>>,
    /// By thread: where it was when it last ran on this core.
    left_at: Vec<u32>,
}

impl<'a> Running<'a> {
    fn new(cpu: &'a CpuTimeline, calls: &'a CallTrees, threads: usize) -> Self {
        Self { cpu, calls, next: 0, slice: None, place: None, left_at: vec![0; threads] }
    }

    fn advance(&mut self, time: BootNanos) {
        if self.slice.is_some_and(|slice| slice.window.end <= time) {
            self.leave();
        }
        while self.slice.is_none()
            && let Some(slice) = self.cpu.sched.get(self.next)
            && slice.window.start <= time
        {
            self.next += 1;
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

    fn until(&self) -> BootNanos {
        match (self.slice, self.place) {
            (Some(slice), Some(place)) => slice.window.end.min(place.until()),
            (Some(slice), None) => slice.window.end,
            (None, _) => {
                self.cpu.sched.get(self.next).map_or(BootNanos::MAX, |next| next.window.start)
            }
        }
    }

    /// The thread that runs, unless it is the idle task, and its innermost path.
    fn task(&self) -> Option<(ThreadId, u32)> {
        Some((self.slice?.thread, self.place?.path()))
    }

    fn is_idle_task(&self) -> bool {
        self.slice.is_some_and(|slice| slice.thread.is_idle())
    }
}
