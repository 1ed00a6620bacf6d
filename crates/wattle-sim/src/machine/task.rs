//! Tasks and the steps of their programs.

use std::io::Write;

use wattle_units::Nanos;

use super::{Activity, Event, Machine};
use crate::PhoneSpec;
use crate::energy_accounts::NodeIndex;
use crate::stage::{FirstWake, Stage};
use crate::thread_program::Op;
use crate::trace::Comm;

/// Cycles that writing a slice marker takes; they are spent inside of the slice that is then open.
const MARKER_CYCLES: f64 = 1500.0;
/// Cycles that waking somebody takes.
const WAKE_CYCLES: f64 = 3000.0;
/// Cycles between being put on a CPU and the first instruction of one's own.
const SWITCH_CYCLES: f64 = 2000.0;

/// Time that the recorder takes to look up a process that it sees for the first time.
const SCAN_DELAY: i64 = 5_000_000;
/// From the event that a thread was created until it is woken, in nanoseconds.
const CREATION: i64 = 20_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskState {
    /// Not created yet, or gone.
    Absent,
    /// Waits for a wake or a timer.
    Sleeping,
    /// Wants to run.
    Ready,
    Running,
}

/// Wakes of a task by others.
#[derive(Clone, Copy, Debug, Default)]
struct Wakes {
    /// Whether it waits for a wake, not for time.
    awaits: bool,
    /// Wakes that came when it did not wait.
    pending: u32,
}

/// Time of a task on CPUs from one sleep to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bursts {
    /// Since it last slept.
    pub current: i64,
    /// Mean of past ones.
    pub usual: i64,
}

#[derive(Clone, Debug)]
pub(super) struct Task {
    pub comm: Comm,
    /// The comm of its process's main thread, which creates it.
    pub parent: Comm,
    pub state: TaskState,
    next_op: usize,
    /// Cycles until the next step.
    pub remaining: f64,
    pub node: NodeIndex,
    /// CPU on which it ran last.
    pub cpu: usize,
    /// Bit by CPU.
    pub allowed: u64,
    generation: u64,
    /// When its timer ends; for the idle governor.
    pub deadline: Option<i64>,
    wakes: Wakes,
    pub bursts: Bursts,
    pub starts_after: Nanos,
    pub first_wake: FirstWake,
    /// Index into the stage's processes.
    pub process: usize,
    /// Whether its sections are written.
    is_traced: bool,
    /// It executes at least until then.
    pub hold: Option<i64>,
    /// Delay behind the times of its program, for want of a CPU.
    lag: i64,
    /// Since when it is ready and does not run.
    pub ready_since: i64,
    /// The calls that are open, the outermost first; the first is the thread itself.
    pub calls: Vec<OpenCall>,
}

/// A call that a thread is in.
#[derive(Clone, Debug)]
pub(super) struct OpenCall {
    pub begin: i64,
    /// Its own factor on active power.
    pub factor: f64,
    /// Transfers of the call, by index into the machine's entries.
    pub moved: Vec<usize>,
}

/// The tasks of a stage as they are when it begins.
pub(super) fn tasks(stage: &Stage, spec: &PhoneSpec) -> Vec<Task> {
    stage
        .threads
        .iter()
        .enumerate()
        .map(|(index, thread)| {
            let allowed = allowed(&thread.clusters, spec);
            let root = OpenCall { begin: stage.span.start, factor: 1.0, moved: Vec::new() };
            Task {
                comm: thread.comm.clone(),
                parent: thread.creator.clone(),
                state: TaskState::Absent,
                next_op: 0,
                remaining: 0.0,
                node: index,
                cpu: allowed.trailing_zeros() as usize,
                allowed,
                generation: 0,
                deadline: None,
                wakes: Wakes::default(),
                bursts: Bursts::default(),
                starts_after: thread.starts_after,
                first_wake: thread.first_wake,
                process: thread.process,
                is_traced: stage.processes.get(thread.process).is_some_and(|it| it.is_traced),
                hold: None,
                lag: 0,
                ready_since: 0,
                calls: vec![root; 1 + thread.open.len()],
            }
        })
        .collect()
}

/// Bits of the CPUs of some clusters; of all when none is named.
fn allowed(clusters: &[usize], spec: &PhoneSpec) -> u64 {
    let mut bits = 0;
    for (index, cluster) in spec.clusters.iter().enumerate() {
        if clusters.is_empty() || clusters.contains(&index) {
            let first = spec.first_cpu(index);
            for cpu in first..first + cluster.cores {
                bits |= 1 << cpu;
            }
        }
    }
    bits
}

impl<W: Write> Machine<'_, W> {
    /// A thread comes to be; its creator's CPU writes it down.
    pub(super) fn create(&mut self, task: usize) {
        if self.suspension.is_frozen {
            self.at(self.now + 1_000_000, Event::Create { task });
            return;
        }
        if self.tasks[task].starts_after > Nanos::ZERO
            && let Some(cpu) = (0..self.cpus.len()).find(|cpu| self.cpus[*cpu].is_awake())
        {
            let (time, parent) = (self.stamp(), self.tasks[task].parent.clone());
            self.recorder.new_task(cpu as u32, time, &parent, &self.tasks[task].comm);
            self.recorder.rename(cpu as u32, time, &parent.name, &self.tasks[task].comm);
        } else if self.tasks[task].starts_after > Nanos::ZERO {
            // Nobody is awake who could create it: a workload waits, what really happened has a cause of its own.
            let delay = if self.stage.is_replay { self.rouse() } else { 100_000 };
            self.at(self.now + delay, Event::Create { task });
            return;
        }
        if self.tasks[task].starts_after > Nanos::ZERO {
            self.at(self.now + SCAN_DELAY, Event::Announce { task });
        }
        self.tasks[task].state = TaskState::Sleeping;
        let wanted = match self.tasks[task].first_wake {
            FirstWake::Never => return,
            FirstWake::Soon => self.now,
            FirstWake::After(length) => {
                let created =
                    if self.tasks[task].starts_after > Nanos::ZERO { CREATION } else { 0 };
                (self.start + length.value()).max(self.now + created)
            }
        };
        if wanted <= self.now {
            return self.wake(task, None);
        }
        let sleeper = &mut self.tasks[task];
        sleeper.deadline = Some(wanted);
        let generation = sleeper.generation;
        self.at(wanted, Event::Timer { task, generation });
    }

    /// Brings the first CPU out of idle; after so long it executes.
    fn rouse(&mut self) -> i64 {
        let cluster = self.cpus[0].cluster;
        self.settle(cluster);
        self.leave_idle(0);
        self.spec.clusters[cluster].deep_idle_exit.value() + 500
    }

    /// The time of a sleep is over.
    pub(super) fn timer(&mut self, task: usize, generation: u64) {
        if self.tasks[task].generation != generation {
            return;
        }
        if self.suspension.is_frozen {
            self.suspension.missed_timers.push(task);
        } else {
            self.wake(task, None);
        }
    }

    /// Somebody or something wants the task to run. One that did not wait is told when it does.
    pub(super) fn notify(&mut self, task: usize, waker: Option<usize>) {
        let woken = &mut self.tasks[task];
        if woken.state == TaskState::Sleeping && woken.wakes.awaits && !self.suspension.is_frozen {
            self.wake(task, waker);
        } else {
            woken.wakes.pending = woken.wakes.pending.saturating_add(1).min(1000);
        }
    }

    /// Wakes a task that waits although somebody has notified it: it was frozen then.
    pub(super) fn deliver_pending_wake(&mut self, task: usize) {
        let waiting = &mut self.tasks[task];
        if waiting.state == TaskState::Sleeping && waiting.wakes.awaits && waiting.wakes.pending > 0
        {
            waiting.wakes.pending -= 1;
            self.wake(task, None);
        }
    }

    /// Makes a sleeping task ready, on a CPU of the scheduler's choice.
    pub(super) fn wake(&mut self, task: usize, waker: Option<usize>) {
        let woken = &mut self.tasks[task];
        if woken.state != TaskState::Sleeping {
            return;
        }
        woken.state = TaskState::Ready;
        woken.ready_since = self.now;
        woken.hold = None;
        woken.generation += 1;
        woken.deadline = None;
        woken.wakes.awaits = false;
        woken.bursts.usual = (3 * woken.bursts.usual + woken.bursts.current) / 4;
        woken.bursts.current = 0;
        woken.remaining = 0.0;
        let target = self.choose_cpu(task);
        let writer = waker.unwrap_or(target);
        if self.cpus[writer].is_awake() {
            let waker = self.current_tid(writer);
            let time = self.stamp();
            self.recorder.waking(writer as u32, time, waker, &self.tasks[task].comm, target as u32);
        } else {
            self.cpus[target].unwritten_wakings.push(task);
        }
        self.enqueue(target, task);
    }

    /// Goes through a task's program until it takes time again or sleeps. It is on the CPU.
    pub(super) fn advance(&mut self, cpu: usize, task: usize) {
        let program = &self.stage.threads[task].program;
        // A program of steps that take no time was refused before; the bound is for `once` programs
        // of empty actions.
        for _ in 0..=program.ops.len() {
            if self.tasks[task].next_op >= program.ops.len() {
                if program.once || program.ops.is_empty() {
                    self.tasks[task].state = TaskState::Absent;
                    self.leave(cpu);
                    return;
                }
                self.tasks[task].next_op = 0;
            }
            let op = program.ops[self.tasks[task].next_op];
            self.tasks[task].next_op += 1;
            let time = self.stamp();
            match op {
                Op::Enter(name) => {
                    let text = self.stage.names.text(name);
                    if self.tasks[task].is_traced {
                        self.recorder.slice(cpu as u32, time, &self.tasks[task].comm, Some(text));
                    }
                    let node = self.meter.enter(self.tasks[task].node, name);
                    self.tasks[task].node = node;
                    self.nature.know(node, self.stage.threads[task].owner, text);
                    let factor = self.nature.call_factor();
                    let call = OpenCall { begin: self.now, factor, moved: Vec::new() };
                    self.tasks[task].calls.push(call);
                    if self.tasks[task].is_traced {
                        return self.compute(cpu, task, MARKER_CYCLES);
                    }
                }
                Op::Exit => {
                    if self.tasks[task].is_traced {
                        let comm = &self.tasks[task].comm;
                        if let Some(bytes) = self.hooked(task) {
                            let text = format!("wattle.bytes {bytes}");
                            self.recorder.slice(cpu as u32, time, comm, Some(&text));
                            self.recorder.slice(cpu as u32, time, comm, None);
                        }
                        self.recorder.slice(cpu as u32, time, comm, None);
                    }
                    self.tasks[task].node = self.meter.exit(self.tasks[task].node);
                    self.end_call(task);
                    if self.tasks[task].is_traced {
                        return self.compute(cpu, task, MARKER_CYCLES);
                    }
                }
                Op::Compute { cycles, spread } => {
                    let factor = self.random.between(1.0 - spread, 1.0 + spread);
                    if cycles * factor >= 1.0 {
                        return self.compute(cpu, task, cycles * factor);
                    }
                }
                Op::Sleep { nanos, spread } => {
                    let factor = self.random.between(1.0 - spread, 1.0 + spread);
                    return self.sleep(
                        cpu,
                        task,
                        Some(self.now + (nanos * factor).max(1000.0) as i64),
                    );
                }
                Op::NextPeriod { nanos } => {
                    let passed = self.now - self.start;
                    let next = self.start + (passed / nanos + 1) * nanos;
                    return self.sleep(cpu, task, Some(next));
                }
                Op::AwaitWake => {
                    if self.tasks[task].wakes.pending == 0 {
                        return self.sleep(cpu, task, None);
                    }
                    self.tasks[task].wakes.pending -= 1;
                    return self.compute(cpu, task, WAKE_CYCLES);
                }
                Op::Wake { task: other } => {
                    self.tasks[task].remaining = WAKE_CYCLES;
                    self.notify(other, Some(cpu));
                    // The woken one may have taken this very CPU.
                    if self.cpus[cpu].activity == Activity::Task(task) {
                        self.plan(cpu);
                    }
                    return;
                }
                Op::SleepUntil { at } => {
                    if self.now < at {
                        self.tasks[task].lag = 0;
                        return self.sleep(cpu, task, Some(at));
                    }
                    self.tasks[task].lag = self.now - at;
                }
                Op::BusyUntil { at } => {
                    let until = at.saturating_add(self.tasks[task].lag);
                    if self.now < until {
                        self.tasks[task].hold = Some(until);
                        return self.compute(cpu, task, 0.0);
                    }
                }
                Op::Rest => return self.sleep(cpu, task, None),
                Op::Move { device, own, nanos } => {
                    self.begin_flow(task, device, own, nanos);
                    return self.sleep(cpu, task, Some(self.now + nanos));
                }
                Op::Poll(step) => self.poll(step),
                Op::Draw { nanos } => self.draw_graphics(task, nanos),
            }
        }
        self.compute(cpu, task, MARKER_CYCLES);
    }

    fn compute(&mut self, cpu: usize, task: usize, cycles: f64) {
        self.tasks[task].remaining = cycles;
        self.plan(cpu);
    }

    fn sleep(&mut self, cpu: usize, task: usize, until: Option<i64>) {
        let sleeper = &mut self.tasks[task];
        sleeper.state = TaskState::Sleeping;
        sleeper.generation += 1;
        sleeper.deadline = until;
        sleeper.wakes.awaits = until.is_none();
        if let Some(until) = until {
            let generation = sleeper.generation;
            self.at(until, Event::Timer { task, generation });
        }
        self.leave(cpu);
    }

    /// Adds the cost of coming onto a CPU to a task: cycles, and the time that it has waited for it.
    pub(super) fn switch_cost(&mut self, task: usize) {
        let waited = self.now - self.tasks[task].ready_since;
        let task = &mut self.tasks[task];
        task.remaining += SWITCH_CYCLES;
        task.lag += waited;
        task.hold = task.hold.map(|until| until + waited);
    }
}
