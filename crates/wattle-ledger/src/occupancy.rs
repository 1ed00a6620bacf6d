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

use std::borrow::Cow;

use wattle_timeline::{CpuTimeline, IdleState, SchedSlice, Steps, ThreadId, Timeline, Window};
use wattle_units::{BootNanos, Nanos};

use crate::call_tree::{CallTrees, Place};
use crate::interrupts::{Handlers, InterruptCursor};
use crate::payer::Payer;
use crate::{Unfinished, on_cpu};

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

/// Who occupies a core. There are millions of these, so it is one number: the payer's index, the
/// payer's kind in the next three bits, and on top whether the core is only being woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occupant(u32);

impl Occupant {
    /// The most paths and handlers that fit.
    pub(crate) const LIMIT: usize = 1 << 28;
    const KIND: u32 = 28;
    const WAKING: u32 = 1 << 31;

    const PATH: u32 = 0;
    const INTERRUPTS: u32 = 1 << Self::KIND;
    const RECORDER: u32 = 2 << Self::KIND;
    const NOBODY: u32 = 3 << Self::KIND;
    const PROBES: u32 = 4 << Self::KIND;

    const IDLE: Self = Self(Self::NOBODY);
    const UNKNOWN: Self = Self(Self::NOBODY + 1);

    fn path(path: u32) -> Self {
        Self(Self::PATH | path)
    }

    fn recorder(path: u32) -> Self {
        Self(Self::RECORDER | path)
    }

    fn probes(path: u32) -> Self {
        Self(Self::PROBES | path)
    }

    fn interrupts(handler: u32) -> Self {
        Self(Self::INTERRUPTS | handler)
    }

    /// Being woken for the one who does not run yet. Nothing wakes for a probe: that was the call's doing.
    fn waking(self) -> Self {
        let woken = match self.payer() {
            Payer::Probes(path) => Self::path(path),
            _ => self,
        };
        Self(woken.0 | Self::WAKING)
    }

    /// Whether the core is being woken for the payer.
    #[inline]
    pub(crate) fn is_waking(self) -> bool {
        self.0 & Self::WAKING != 0
    }

    /// Who pays for the core's own power.
    #[inline]
    pub(crate) fn payer(self) -> Payer {
        let rest = self.0 & !Self::WAKING;
        let index = rest & ((1 << Self::KIND) - 1);
        match rest - index {
            Self::PATH => Payer::Path(index),
            Self::INTERRUPTS => Payer::Interrupts(index),
            Self::RECORDER => Payer::Recorder(index),
            Self::PROBES => Payer::Probes(index),
            _ if rest == Self::IDLE.0 => Payer::IdleFloor,
            _ => Payer::Unattributed,
        }
    }

    /// What the core does while this holds.
    #[inline]
    pub(crate) fn activity(self) -> Activity {
        if self.is_waking() || self == Self::IDLE {
            Activity::Idle
        } else if self == Self::UNKNOWN {
            Activity::Unknown
        } else {
            Activity::Busy
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
    /// Time on this core inside the window, by path.
    pub(crate) self_cpu: Vec<Nanos>,
    /// What of it probes took, by path; empty without probes.
    pub(crate) probe_cpu: Vec<Nanos>,
}

impl Occupancy {
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

    /// A task was on the CPU for that long.
    #[inline]
    fn ran(&mut self, task: Occupant, time: Nanos) {
        let (times, path) = match task.payer() {
            Payer::Path(path) | Payer::Recorder(path) => (&mut self.self_cpu, path),
            Payer::Probes(path) => (&mut self.probe_cpu, path),
            _ => return,
        };
        if let Some(total) = times.get_mut(path as usize) {
            *total += time;
        }
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
    /// Whether any code has probes.
    pub(crate) has_probes: bool,
    /// What is accounted for.
    pub(crate) window: Window,
    /// How long slices ran of which the end is not recorded.
    pub(crate) unfinished: Unfinished,
}

/// A wake whose task is not known yet.
#[derive(Default)]
struct Wake {
    /// The first handler that ran.
    handler: Option<u32>,
}

/// The pieces in [`Occupancy`] of the wake whose task is not known yet.
#[derive(Default)]
struct Pieces(Vec<usize>);

impl Pieces {
    fn settle(&mut self, occupancy: &mut Occupancy, occupant: Occupant) {
        for piece in self.0.drain(..) {
            occupancy.occupant[piece] = occupant;
        }
    }
}

impl Cores<'_> {
    /// One core over time.
    pub(crate) fn occupancy(&self, cpu: &CpuTimeline, deep_idle_exit: Nanos) -> Occupancy {
        let timeline = self.timeline;
        let range = Window::new(
            timeline.window.start.min(self.window.start),
            timeline.window.end.max(self.window.end),
        );
        let idle = leaving_earlier(&cpu.idle, deep_idle_exit);
        let mut idle = StepCursor::new(&idle);
        let mut online = StepCursor::new(&cpu.online);
        let mut suspended = StepCursor::new(&timeline.suspended);
        let mut interrupts = InterruptCursor::new(&cpu.interrupts);
        let mut running = Running::new(cpu, self.calls, self.unfinished, timeline.threads.len());
        let self_cpu = vec![Nanos::ZERO; self.calls.len()];
        let mut found = Occupancy { end: range.start, self_cpu, ..Occupancy::default() };
        if self.has_probes {
            found.probe_cpu = vec![Nanos::ZERO; self.calls.len()];
        }
        // Room for the calls inside slices; what is not used costs only addresses.
        found.start.reserve(cpu.sched.len() * 3);
        found.occupant.reserve(cpu.sched.len() * 3);
        found.activity.reserve(cpu.sched.len() * 2);
        let mut wake: Option<Wake> = None;
        let mut pieces = Pieces::default();
        let mut was_idle = false;
        let mut states_hold_until = BootNanos::MIN;
        let (mut is_suspended, mut is_idle, mut is_offline) = (false, false, false);
        let mut handler = None;
        let mut now = range.start;
        while now < range.end {
            if states_hold_until <= now {
                idle.advance(now);
                online.advance(now);
                suspended.advance(now);
                interrupts.advance(now);
                let states = [online.until(), suspended.until(), interrupts.until()];
                states_hold_until = states.into_iter().fold(idle.until(), BootNanos::min);
                is_suspended = suspended.value() == Some(true);
                is_idle = idle.value().is_some_and(|state: IdleState| !state.is_active());
                is_offline = online.value() == Some(false);
                handler = interrupts.running().map(|name| self.handlers.number(name));
            }
            running.advance(now);
            let until = running.until().min(states_hold_until).min(range.end);
            let piece = Window { start: now, end: until };
            let inside = piece.intersect(self.window);
            now = until;

            let task = running.task().map(|(thread, place)| self.task(thread, place));
            if was_idle && !is_idle {
                wake = Some(Wake::default());
                pieces.0.clear();
            }
            was_idle = is_idle;
            // On-CPU time is the scheduler's word, whatever the idle state says.
            if let Some(task) = task
                && handler.is_none()
                && !is_suspended
            {
                found.ran(task, inside.duration());
            }

            let occupant = if is_suspended || is_idle {
                Occupant::IDLE
            } else if let Some(handler) = handler {
                Occupant::interrupts(handler)
            } else if let Some(task) = task {
                task
            } else if running.is_idle_task() || is_offline {
                Occupant::IDLE
            } else {
                Occupant::UNKNOWN
            };
            match (&mut wake, occupant.activity()) {
                (Some(_), _) if is_suspended || is_idle => {
                    if let Some(over) = wake.take() {
                        let handler = over.handler.unwrap_or(self.handlers.without_task());
                        pieces.settle(&mut found, Occupant::interrupts(handler).waking());
                    }
                }
                (Some(over), Activity::Busy) => {
                    if let Some(handler) = handler {
                        over.handler = over.handler.or(Some(handler));
                    } else {
                        wake = None;
                        pieces.settle(&mut found, occupant.waking());
                    }
                }
                (Some(_), Activity::Idle) => {
                    if !inside.is_empty() {
                        pieces.0.push(found.occupant.len());
                    }
                }
                (Some(_), Activity::Unknown) => {
                    wake = None;
                    pieces.settle(&mut found, Occupant::UNKNOWN);
                }
                (None, _) => {}
            }
            found.push(inside, occupant, wake.is_none());
            let activity = occupant.activity();
            match activity {
                Activity::Busy => {
                    found.busy = found.busy.saturating_add(inside.duration().value());
                }
                Activity::Unknown => {
                    found.unknown = found.unknown.saturating_add(inside.duration().value());
                }
                Activity::Idle => {}
            }
            if found.activity.last().is_none_or(|(_, last)| *last != activity) {
                found.activity.push((piece.start, activity));
            }
        }
        // The recording ends before the wake does.
        if wake.is_some() {
            pieces.settle(&mut found, Occupant::UNKNOWN);
        }
        found
    }

    fn task(&self, thread: ThreadId, place: Place<'_>) -> Occupant {
        let path = place.path();
        if self.records.get(thread.index()).copied().unwrap_or(false) {
            Occupant::recorder(path)
        } else if place.is_taken() {
            Occupant::probes(path)
        } else {
            Occupant::path(path)
        }
    }
}

/// Idle states of a core that leaves state 1 earlier than the kernel can say, at most at the event before: its
/// power tracks have it active from then on.
fn leaving_earlier(idle: &Steps<IdleState>, exit: Nanos) -> Cow<'_, Steps<IdleState>> {
    if exit <= Nanos::ZERO {
        return Cow::Borrowed(idle);
    }
    let mut earlier = Steps::with_capacity(idle.len());
    let mut last: Option<(BootNanos, IdleState)> = None;
    for (time, state) in idle.iter() {
        let from = match last {
            Some((before, IdleState(1))) if state.is_active() => (time - exit).max(before),
            _ => time,
        };
        earlier.push(from, state);
        last = Some((time, state));
    }
    Cow::Owned(earlier)
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
    unfinished: Unfinished,
    next: usize,
    slice: Option<SchedSlice>,
    place: Option<Place<'a>>,
    /// By thread: where it was when it last ran on this core.
    left_at: Vec<u32>,
}

impl<'a> Running<'a> {
    fn new(
        cpu: &'a CpuTimeline,
        calls: &'a CallTrees,
        unfinished: Unfinished,
        threads: usize,
    ) -> Self {
        let left_at = vec![0; threads];
        Self { cpu, calls, unfinished, next: 0, slice: None, place: None, left_at }
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
            let slice = on_cpu::bounded(self.cpu, slice, self.unfinished);
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

    /// The thread that runs, unless it is the idle task, and where it is.
    fn task(&self) -> Option<(ThreadId, Place<'_>)> {
        Some((self.slice?.thread, self.place?))
    }

    fn is_idle_task(&self) -> bool {
        self.slice.is_some_and(|slice| slice.thread.is_idle())
    }
}
