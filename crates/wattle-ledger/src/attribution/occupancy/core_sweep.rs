//! The sweep that finds the occupant of a core at each instant.
//!
//! ```text
//! idle state   ──0──┐-1────────────────────────────┌──1──
//! interrupt         │   ┌irq┐                      │
//! scheduler    ─swapper─┴───┴──┐──task A──┐─swapper┴─────
//! occupant     idle │w:A│irq│wA│     A    │   idle
//! ```
//! The time between leaving idle and the first task (`w`) is that task's. Which task that is shows only when it begins, so these
//! pieces are pushed as they come and settled afterwards.
//!
//! At each step the sweep knows the state of every row of events and the instant until which all of them hold; that is one piece.
//! Several rows can name an occupant at once, and the first of these decides:
//!
//! 1. suspended, or in an idle state: nobody, even where the scheduler shows a task. The hardware draws idle power then.
//! 2. an interrupt handler: it runs in place of the task below it, which the scheduler does not see.
//! 3. a task, by its innermost call.
//! 4. the idle task, or a core that is offline: nobody.
//! 5. else nothing was recorded: unknown, not idle.
//!
//! On-CPU time differs from that in one point: it follows the scheduler even while the idle state says otherwise, so that it is the
//! time that other tools show.
//!
//! A wake has four ends. The pieces without a task (`w`) become
//!
//! - the task's, when one runs;
//! - the first handler's, when the core goes idle again (`wake without a task` where no handler ran);
//! - unknown, when events are missing;
//! - unknown, when the recording ends.
//!
//! Pieces of the handler itself stay the handler's in every case. The cost is linear: each step passes at least one event of a row,
//! and a piece is settled once.

use wattle_timeline::{CpuTimeline, IdleState, ThreadId, Timeline, Window};
use wattle_units::{BootNanos, Nanos};

use super::core_occupancy::CoreOccupancy;
use super::interrupt_handlers::Handlers;
use super::occupant::{Activity, Occupant};
use super::running_task::Running;
use super::step_cursor::{StepCursor, leaving_earlier};
use crate::Unfinished;
use crate::attribution::call_paths::{CallPaths, Place};
use crate::attribution::interrupt_cursor::InterruptCursor;
use crate::attribution::work;

/// The sweep over the events of one core after the other.
pub(super) struct CoreSweep<'a> {
    pub(super) timeline: &'a Timeline,
    pub(super) paths: &'a CallPaths,
    pub(super) handlers: &'a Handlers,
    /// The period that is accounted for.
    pub(super) window: Window,
    /// The length of slices whose end is not recorded.
    pub(super) unfinished: Unfinished,
    /// Whether every stretch of a task is kept.
    pub(super) keep_runs: bool,
}

/// A wake whose task is not known yet.
#[derive(Default)]
struct Wake {
    /// The first handler that ran.
    handler: Option<u32>,
}

/// The pieces in [`CoreOccupancy`] of the wake whose task is not known yet.
#[derive(Default)]
struct Pieces(Vec<usize>);

impl Pieces {
    fn settle(&mut self, occupancy: &mut CoreOccupancy, occupant: Occupant) {
        for piece in self.0.drain(..) {
            occupancy.set(piece, occupant);
        }
    }
}

impl CoreSweep<'_> {
    /// The occupants of one core; a core that leaves state 1 took `deep_idle_exit` to do so.
    pub(super) fn core(&self, cpu: &CpuTimeline, deep_idle_exit: Nanos) -> CoreOccupancy {
        let timeline = self.timeline;
        let range = Window::new(
            timeline.window.start.min(self.window.start),
            timeline.window.end.max(self.window.end),
        );
        let idle = leaving_earlier(&cpu.idle, deep_idle_exit);
        let mut idle = StepCursor::new(&idle);
        let mut online = StepCursor::new(&cpu.online);
        let mut suspended = StepCursor::new(&timeline.suspend.suspended);
        let mut interrupts = InterruptCursor::new(&cpu.interrupts);
        let mut running =
            Running::new(cpu, &self.paths.trees, self.unfinished, timeline.tasks.threads.len());
        let paths = self.paths.trees.len();
        let probed = if self.paths.probes.is_empty() { 0 } else { paths };
        let mut found = CoreOccupancy::new(range.start, (paths, probed), cpu.sched.len());
        found.runs = self.keep_runs.then(Vec::new);
        let mut wake: Option<Wake> = None;
        let mut pieces = Pieces::default();
        let mut was_idle = false;
        let mut states_hold_until = BootNanos::MIN;
        let (mut is_suspended, mut is_idle, mut is_offline) = (false, false, false);
        let mut handler = None;
        let mut now = range.start;
        while now < range.end {
            work::count();
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
                found.ran(task, inside);
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
                        pieces.0.push(found.len());
                    }
                }
                (Some(_), Activity::Unknown) => {
                    wake = None;
                    pieces.settle(&mut found, Occupant::UNKNOWN);
                }
                (None, _) => {}
            }
            found.push(inside, occupant, wake.is_none());
            found.does(piece.start, occupant.activity(), inside.duration());
        }
        // The recording ends before the wake does.
        if wake.is_some() {
            pieces.settle(&mut found, Occupant::UNKNOWN);
        }
        found
    }

    fn task(&self, thread: ThreadId, place: Place<'_>) -> Occupant {
        let path = place.path();
        if self.paths.records.get(thread.index()).copied().unwrap_or(false) {
            Occupant::recorder(path)
        } else if place.is_taken() {
            Occupant::probes(path)
        } else {
            Occupant::path(path)
        }
    }
}
