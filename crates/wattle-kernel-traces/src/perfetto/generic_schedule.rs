//! From states of threads to what each CPU ran: see [`super::generic_kernel`].

use rustc_hash::FxHashMap;
use wattle_timeline::{MAX_CPUS, NameId, NameRank, Severity, TaskState, TimelineBuilder};
use wattle_units::BootNanos;

use super::Reader;

/// What becomes of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskChange {
    /// It was made.
    Created,
    /// It comes to the CPU.
    Runs,
    /// It does not run any more, in this state.
    Leaves(TaskState),
    /// It ended; its number is taken until it is destroyed.
    Dead,
    /// Its number is free.
    Destroyed,
}

/// Linux' `TASK_DEAD`.
const DEAD: TaskState = TaskState(0x80);
/// The thread was preempted, or why it left is not said.
const PREEMPTED: TaskState = TaskState(0);
/// The number of the idle thread.
const IDLE: u32 = 0;

impl TaskChange {
    /// The state of a thread that does not run.
    fn state(self) -> Option<TaskState> {
        match self {
            Self::Leaves(state) => Some(state),
            Self::Dead | Self::Destroyed => Some(DEAD),
            Self::Created | Self::Runs => None,
        }
    }
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskEvent {
    pub time: BootNanos,
    /// Of a thread that comes.
    pub cpu: u32,
    pub tid: u32,
    pub name: Option<NameId>,
    pub change: TaskChange,
}

/// A switch, until no event of its instant can add to it.
#[derive(Clone, Copy, Debug)]
struct Switch {
    time: BootNanos,
    prev: u32,
    state: Option<TaskState>,
    next: u32,
}

/// Threads on CPUs.
#[derive(Debug, Default)]
struct Schedule {
    /// The thread on each CPU; the idle thread where none is.
    on: FxHashMap<u32, u32>,
    /// The CPU of each thread that runs.
    cpu_of: FxHashMap<u32, u32>,
    pending: FxHashMap<u32, Switch>,
    /// The CPU that each thread lost at the pending switch.
    lost: FxHashMap<u32, u32>,
}

impl Schedule {
    /// The thread comes. False if it runs already: then an event was lost.
    fn comes(&mut self, builder: &mut TimelineBuilder, event: &TaskEvent) -> bool {
        if event.tid != IDLE && self.cpu_of.contains_key(&event.tid) {
            return false;
        }
        let TaskEvent { time, cpu, tid, .. } = *event;
        let before = self.on.insert(cpu, tid);
        if before == Some(tid) {
            return true;
        }
        if tid != IDLE {
            self.cpu_of.insert(tid, cpu);
        }
        if let Some(prev) = before.filter(|prev| *prev != IDLE) {
            self.cpu_of.remove(&prev);
        }
        match self.pending.get_mut(&cpu) {
            // It comes when the one before leaves: no idling between.
            Some(pending) if pending.time == time && pending.next == IDLE => pending.next = tid,
            _ => {
                self.emit(builder, cpu);
                let Some(prev) = before else {
                    // Who was there before is not known.
                    builder.cpus().thread_comes(cpu, time, tid);
                    return true;
                };
                if prev != IDLE {
                    self.lost.insert(prev, cpu);
                }
                self.pending.insert(cpu, Switch { time, prev, state: None, next: tid });
            }
        }
        true
    }

    /// The thread does not run any more.
    fn leaves(&mut self, builder: &mut TimelineBuilder, event: &TaskEvent, state: TaskState) {
        let TaskEvent { time, tid, .. } = *event;
        if let Some(cpu) = self.cpu_of.remove(&tid) {
            self.on.insert(cpu, IDLE);
            self.emit(builder, cpu);
            self.pending.insert(cpu, Switch { time, prev: tid, state: Some(state), next: IDLE });
        } else if let Some(cpu) = self.lost.get(&tid)
            && let Some(pending) = self.pending.get_mut(cpu)
            && (pending.time, pending.prev) == (time, tid)
        {
            pending.state.get_or_insert(state);
        }
    }

    /// Hands on the switch of the CPU that waits.
    fn emit(&mut self, builder: &mut TimelineBuilder, cpu: u32) {
        let Some(Switch { time, prev, state, next }) = self.pending.remove(&cpu) else { return };
        self.lost.remove(&prev);
        builder.cpus().switch(cpu, time, prev, state.unwrap_or(PREEMPTED), next);
    }
}

impl Reader<'_> {
    /// Makes slices of CPUs from the states of threads, when all of them are known.
    pub(super) fn finish_generic_kernel(&mut self) {
        let mut events = std::mem::take(&mut self.generic_kernel.events);
        events.sort_by_key(|event| event.time);
        let mut schedule = Schedule::default();
        for event in &mut events {
            if self.generic_kernel.idle.contains(&event.tid) {
                event.tid = IDLE;
            }
            self.task_event(&mut schedule, event);
        }
        let mut waiting: Vec<u32> = schedule.pending.keys().copied().collect();
        waiting.sort_unstable();
        for cpu in waiting {
            schedule.emit(self.builder, cpu);
        }
    }

    fn task_event(&mut self, schedule: &mut Schedule, event: &TaskEvent) {
        let TaskEvent { time, cpu, tid, name, change } = *event;
        if tid != IDLE {
            self.builder.tasks().thread_seen(time, tid);
            if let Some(name) = name {
                self.builder.tasks().thread_name(time, tid, name, NameRank::Kernel);
            }
        }
        match change {
            TaskChange::Runs if cpu >= MAX_CPUS => {
                // Counted there.
                self.builder.cpus().seen(cpu, time);
            }
            TaskChange::Runs => {
                if !schedule.comes(self.builder, event) {
                    self.counts.note(Severity::Warning, "task-state-order", None, || {
                        "threads come to a CPU that are on one already: events were lost before; not used"
                            .to_owned()
                    });
                }
            }
            other => {
                if let Some(state) = other.state() {
                    schedule.leaves(self.builder, event, state);
                }
            }
        }
        match change {
            TaskChange::Dead if tid != IDLE => self.builder.tasks().thread_exited(time, tid),
            TaskChange::Destroyed if tid != IDLE => self.builder.tasks().thread_freed(time, tid),
            _ => {}
        }
    }
}
