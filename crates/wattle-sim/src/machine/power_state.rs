//! Suspend and CPU hotplug.

use std::io::Write;

use super::task::TaskState;
use super::{Activity, Event, Machine};

/// The steps of `enum cpuhp_state` that are written: one done by the CPU itself, one by its helper. A
/// reader tells from who did the step whether the CPU is up.
const OWN_STEP: i32 = 190;
const HELPERS_STEP: i32 = 80;
const ONLINE_TARGET: i32 = 238;

impl<W: Write> Machine<'_, W> {
    /// Freezes all tasks, and sleeps once every core idles.
    pub(super) fn suspend(&mut self, length: i64) {
        if self.suspension.since.is_some() {
            return;
        }
        self.settle_all();
        if !self.suspension.is_frozen {
            self.suspension.is_frozen = true;
            for cpu in 0..self.cpus.len() {
                if self.cpus[cpu].frames.is_empty() {
                    self.preempt(cpu);
                }
            }
        }
        for cpu in 0..self.cpus.len() {
            if matches!(self.cpus[cpu].activity, Activity::Task(_))
                && self.cpus[cpu].frames.is_empty()
            {
                self.preempt(cpu);
            }
        }
        let all_idle = self
            .cpus
            .iter()
            .all(|cpu| matches!(cpu.activity, Activity::Idle { .. } | Activity::Offline));
        if !all_idle {
            self.at(self.now + 20_000, Event::Suspend { length });
            return;
        }
        let time = self.stamp();
        self.recorder.suspend_resume(0, time, "timekeeping_freeze", true);
        self.suspension.since = Some(self.now);
        self.at(self.now + length.max(1_000_000), Event::Resume);
    }

    /// Everything goes on; sleeps that ended meanwhile end now.
    pub(super) fn resume(&mut self) {
        self.settle_all();
        self.pass_suspended_time();
        self.suspension.since = None;
        self.suspension.is_frozen = false;
        // The recorder's timers wake with the phone; clocks that stood still are compared again.
        self.at(self.now, Event::Snapshot);
        let time = self.stamp();
        self.recorder.suspend_resume(0, time, "timekeeping_freeze", false);
        for cpu in 0..self.cpus.len() {
            if !self.cpus[cpu].ready.is_empty() {
                self.leave_idle(cpu);
            }
        }
        for task in std::mem::take(&mut self.suspension.missed_timers) {
            self.wake(task, None);
        }
        for task in 0..self.tasks.len() {
            self.deliver_pending_wake(task);
        }
    }

    /// Counts the time that the monotonic clocks stood still.
    pub(super) fn pass_suspended_time(&mut self) {
        if let Some(since) = &mut self.suspension.since {
            self.suspension.total += self.now - *since;
            *since = self.now;
        }
    }

    /// Takes a CPU down: its tasks move elsewhere, it does its own last steps, another CPU does the rest.
    pub(super) fn offline(&mut self, cpu: usize, length: i64) {
        self.settle(self.cpus[cpu].cluster);
        let event = Event::Offline { cpu, length };
        let helper =
            (0..self.cpus.len()).find(|other| *other != cpu && self.cpus[*other].is_awake());
        let is_free = self.cpus[cpu].frames.is_empty();
        let (true, Some(helper), false) = (is_free, helper, self.suspension.is_frozen) else {
            // The helper has to be awake to write what it does.
            return self.at(self.now + 100_000, event);
        };
        self.cpus[cpu].goes_down = true;
        self.move_tasks_away(cpu);
        match self.cpus[cpu].activity {
            Activity::Offline | Activity::Task(_) => {}
            Activity::Idle { .. } => {
                self.leave_idle(cpu);
                let exit = self.spec.clusters[self.cpus[cpu].cluster].deep_idle_exit.value();
                self.at(self.now + exit + 500, event);
            }
            Activity::Waking { until } => self.at(until + 500, event),
            Activity::Swapper { .. } => {
                let time = self.stamp();
                if self.cpus[cpu].has_done_its_part {
                    self.recorder.hotplug_step(helper as u32, time, cpu as u32, HELPERS_STEP, 0);
                    self.meter.end_wake(cpu, None);
                    self.cpus[cpu].activity = Activity::Offline;
                    self.plan(cpu);
                    self.at(self.now + length.max(1_000_000), Event::Online { cpu });
                } else {
                    self.recorder.hotplug_step(cpu as u32, time, cpu as u32, OWN_STEP, 0);
                    self.cpus[cpu].has_done_its_part = true;
                    self.at(self.now + 500, event);
                }
            }
        }
    }

    /// Empties a CPU that goes down. Its cluster is settled.
    fn move_tasks_away(&mut self, cpu: usize) {
        let mut homeless: Vec<usize> = self.cpus[cpu].ready.drain(..).collect();
        if let Activity::Task(task) = self.cpus[cpu].activity {
            self.tasks[task].state = TaskState::Ready;
            self.tasks[task].ready_since = self.now;
            self.switch(cpu, 0, None);
            homeless.push(task);
        }
        for task in homeless {
            let target = self.choose_cpu(task);
            self.enqueue(target, task);
        }
    }

    /// Brings a CPU up again.
    pub(super) fn online(&mut self, cpu: usize) {
        if self.suspension.is_frozen {
            self.at(self.now + 1_000_000, Event::Online { cpu });
            return;
        }
        self.settle(self.cpus[cpu].cluster);
        self.cpus[cpu].goes_down = false;
        self.cpus[cpu].has_done_its_part = false;
        let time = self.stamp();
        self.cpus[cpu].activity = Activity::Swapper { until: self.now + 20_000, after_idle: false };
        if self.spec.recorder.cpu_idle {
            self.recorder.idle(cpu as u32, time, None);
        }
        self.recorder.hotplug_step(cpu as u32, time, cpu as u32, OWN_STEP, ONLINE_TARGET);
        self.plan(cpu);
    }
}
