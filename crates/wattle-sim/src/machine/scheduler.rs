//! Who runs where.

use std::io::Write;

use super::task::TaskState;
use super::{Activity, Event, Machine};

/// Time that a task may run while others of its urgency wait.
const SLICE: i64 = 4_000_000;
/// Time that the idle task executes before the core idles, or before a task comes on.
const SWAPPER: i64 = 2000;
/// An expected sleep from which deep idle pays off.
const DEEP_IDLE_FROM: i64 = 1_500_000;
/// `prev_state` of a task that sleeps (`TASK_INTERRUPTIBLE`) and of one that ended (`EXIT_DEAD`).
const SLEEPS: i64 = 1;
const DEAD: i64 = 16;

impl<W: Write> Machine<'_, W> {
    /// The CPU for a task that wakes: one that has nothing to do, of the cluster whose strength suits the
    /// task's past bursts, preferably where it ran last.
    pub(super) fn choose_cpu(&self, task: usize) -> usize {
        let task = &self.tasks[task];
        let wanted = match task.bursts.usual {
            ..1_500_000 => 0,
            1_500_000..5_000_000 => 1,
            _ => usize::MAX,
        };
        let wanted = wanted.min(self.clusters.len() - 1);
        self.cpus
            .iter()
            .enumerate()
            .filter(|(index, cpu)| task.allowed & (1 << index) != 0 && cpu.takes_tasks())
            .min_by_key(|(index, cpu)| {
                let running = usize::from(matches!(cpu.activity, Activity::Task(_)));
                let deep = matches!(cpu.activity, Activity::Idle { state: 1.. });
                (
                    running + cpu.ready.len(),
                    cpu.cluster.abs_diff(wanted),
                    *index != task.cpu,
                    deep,
                    *index,
                )
            })
            .map_or(0, |(index, _)| index)
    }

    /// Puts a ready task into a CPU's queue and brings the CPU to act on it.
    pub(super) fn enqueue(&mut self, cpu: usize, task: usize) {
        self.settle(self.cpus[cpu].cluster);
        self.cpus[cpu].ready.push_back(task);
        match self.cpus[cpu].activity {
            Activity::Idle { .. } => self.leave_idle(cpu),
            Activity::Task(current) => {
                let is_urgent = self.tasks[task].comm.priority < self.tasks[current].comm.priority;
                if is_urgent && self.cpus[cpu].frames.is_empty() {
                    self.preempt(cpu);
                } else {
                    self.plan(cpu);
                }
            }
            Activity::Offline | Activity::Waking { .. } | Activity::Swapper { .. } => {}
        }
    }

    /// Brings an idle core up. Its cluster is settled.
    pub(super) fn leave_idle(&mut self, cpu: usize) {
        let Activity::Idle { state } = self.cpus[cpu].activity else { return };
        let exit = self.spec.clusters[self.cpus[cpu].cluster].deep_idle_exit.value();
        if state > 0 && exit > 0 {
            self.cpus[cpu].activity = Activity::Waking { until: self.now + exit };
            self.plan(cpu);
        } else {
            self.come_up(cpu);
        }
    }

    /// The kernel executes again on a core that was idle.
    fn come_up(&mut self, cpu: usize) {
        let time = self.stamp();
        self.cpus[cpu].activity = Activity::Swapper { until: self.now + SWAPPER, after_idle: true };
        if self.spec.recorder.cpu_idle {
            self.recorder.idle(cpu as u32, time, None);
        }
        for task in std::mem::take(&mut self.cpus[cpu].unwritten_wakings) {
            self.recorder.waking(cpu as u32, time, 0, &self.tasks[task].comm, cpu as u32);
        }
        self.take_waiting_interrupts(cpu);
        self.plan(cpu);
    }

    /// Plans the next thing that a CPU does by itself.
    pub(super) fn plan(&mut self, cpu: usize) {
        let state = &self.cpus[cpu];
        let next = if let Some(frame) = state.frames.last() {
            Some(self.now + frame.remaining.max(0))
        } else {
            match state.activity {
                Activity::Offline | Activity::Idle { .. } => None,
                Activity::Waking { until } | Activity::Swapper { until, .. } => Some(until),
                Activity::Task(task) => {
                    let nanos = self.tasks[task].remaining.max(0.0) / self.task_rate(cpu, task);
                    let done = self.now + nanos.ceil() as i64;
                    let done = self.tasks[task].hold.map_or(done, |until| done.max(until));
                    if state.ready.is_empty() {
                        Some(done)
                    } else {
                        Some(done.min(state.slice_end.max(self.now)))
                    }
                }
            }
        };
        self.cpus[cpu].generation += 1;
        let generation = self.cpus[cpu].generation;
        if let Some(next) = next {
            self.at(next, Event::Cpu { cpu, generation });
        }
    }

    /// Performs the step that was planned for a CPU. Its cluster is settled.
    pub(super) fn step(&mut self, cpu: usize) {
        if !self.cpus[cpu].frames.is_empty() {
            self.end_frame(cpu);
            return;
        }
        match self.cpus[cpu].activity {
            Activity::Offline | Activity::Idle { .. } => {}
            Activity::Waking { .. } => self.come_up(cpu),
            Activity::Swapper { .. } => match self.pick(cpu) {
                Some(task) => self.switch(cpu, 0, Some(task)),
                None => self.enter_idle(cpu),
            },
            Activity::Task(task) => {
                // Less than one cycle is the rounding of the plan to whole nanoseconds.
                let is_held = self.tasks[task].hold.is_some_and(|until| self.now < until);
                if self.tasks[task].remaining < 1.0 && !is_held {
                    self.tasks[task].hold = None;
                    self.advance(cpu, task);
                } else if self.cpus[cpu].ready.is_empty() || self.now < self.cpus[cpu].slice_end {
                    self.plan(cpu);
                } else {
                    self.preempt(cpu);
                }
            }
        }
    }

    /// The task of a CPU went to sleep or ended.
    pub(super) fn leave(&mut self, cpu: usize) {
        let Activity::Task(task) = self.cpus[cpu].activity else { return };
        let state = if self.tasks[task].state == TaskState::Absent { DEAD } else { SLEEPS };
        let next = self.pick(cpu);
        self.switch(cpu, state, next);
    }

    /// The task of a CPU makes room for the next in the queue and waits itself. Its cluster is settled.
    pub(super) fn preempt(&mut self, cpu: usize) {
        let Activity::Task(task) = self.cpus[cpu].activity else { return };
        let next = self.pick_own(cpu);
        self.tasks[task].state = TaskState::Ready;
        self.tasks[task].ready_since = self.now;
        self.cpus[cpu].ready.push_back(task);
        self.switch(cpu, 0, next);
    }

    /// The most urgent of a CPU's queue.
    fn pick_own(&mut self, cpu: usize) -> Option<usize> {
        if self.suspension.is_frozen {
            return None;
        }
        let ready = &self.cpus[cpu].ready;
        let (place, _) = ready
            .iter()
            .enumerate()
            .min_by_key(|(place, task)| (self.tasks[**task].comm.priority, *place))?;
        self.cpus[cpu].ready.remove(place)
    }

    /// The same, or one that waits for a CPU that is busy.
    pub(super) fn pick(&mut self, cpu: usize) -> Option<usize> {
        if self.suspension.is_frozen || self.cpus[cpu].goes_down {
            return None;
        }
        if let Some(task) = self.pick_own(cpu) {
            return Some(task);
        }
        let (victim, place) = self.cpus.iter().enumerate().find_map(|(index, other)| {
            if index == cpu || !matches!(other.activity, Activity::Task(_)) {
                return None;
            }
            let place =
                other.ready.iter().position(|task| self.tasks[*task].allowed & (1 << cpu) != 0)?;
            Some((index, place))
        })?;
        self.cpus[victim].ready.remove(place)
    }

    /// `sched_switch`. The CPU's cluster is settled.
    pub(super) fn switch(&mut self, cpu: usize, prev_state: i64, next: Option<usize>) {
        let time = self.stamp();
        let state = &self.cpus[cpu];
        let prev = match state.activity {
            Activity::Task(task) => &self.tasks[task].comm,
            _ => &state.comm,
        };
        let incoming = next.map_or(&state.comm, |task| &self.tasks[task].comm);
        let left = (prev.tgid, prev.tid);
        self.recorder.switch(cpu as u32, time, prev, prev_state, incoming);
        self.sample_counters(cpu, left);
        match next {
            Some(task) => {
                self.meter.end_wake(cpu, Some(self.tasks[task].node));
                self.tasks[task].state = TaskState::Running;
                self.tasks[task].cpu = cpu;
                self.switch_cost(task);
                self.cpus[cpu].activity = Activity::Task(task);
                self.cpus[cpu].slice_end = self.now + SLICE;
            }
            None => {
                self.cpus[cpu].activity =
                    Activity::Swapper { until: self.now + SWAPPER, after_idle: false };
            }
        }
        self.plan(cpu);
    }

    /// Nothing to run: the deeper idle state if the next timer of a task that ran here is far enough.
    fn enter_idle(&mut self, cpu: usize) {
        let next = self
            .tasks
            .iter()
            .filter(|task| task.cpu == cpu && task.state == TaskState::Sleeping)
            .filter_map(|task| task.deadline)
            .min();
        let sleep = next.map_or(i64::MAX, |deadline| deadline - self.now);
        let state = u8::from(sleep >= DEEP_IDLE_FROM || self.suspension.is_frozen);
        self.meter.end_wake(cpu, None);
        self.cpus[cpu].activity = Activity::Idle { state };
        if self.spec.recorder.cpu_idle {
            let time = self.stamp();
            self.recorder.idle(cpu as u32, time, Some(state));
        }
        self.plan(cpu);
    }

    /// Who is on a CPU, for events that say it.
    pub(super) fn current_tid(&self, cpu: usize) -> u32 {
        match self.cpus[cpu].activity {
            Activity::Task(task) => self.tasks[task].comm.tid,
            _ => 0,
        }
    }

    /// Moves a task that has run long on a weak core to a stronger one that has nothing to do.
    pub(super) fn migrate_up(&mut self, cluster: usize) {
        const LONG: i64 = 6_000_000;
        for cpu in self.clusters[cluster].cpus.clone() {
            let Activity::Task(task) = self.cpus[cpu].activity else { continue };
            if self.tasks[task].bursts.current < LONG || !self.cpus[cpu].frames.is_empty() {
                continue;
            }
            let stronger = (0..self.cpus.len()).rev().find(|other| {
                let other_cpu = &self.cpus[*other];
                other_cpu.cluster > cluster
                    && other_cpu.takes_tasks()
                    && self.tasks[task].allowed & (1 << other) != 0
                    && other_cpu.ready.is_empty()
                    && matches!(
                        other_cpu.activity,
                        Activity::Idle { .. } | Activity::Swapper { .. }
                    )
            });
            if let Some(stronger) = stronger {
                self.tasks[task].state = TaskState::Ready;
                self.tasks[task].ready_since = self.now;
                let next = self.pick(cpu);
                self.switch(cpu, 0, next);
                self.enqueue(stronger, task);
            }
        }
    }
}
