//! Suspend and CPU hotplug.

use std::io::Write;

use super::{Activity, Event, Machine};

/// The steps of `enum cpuhp_state` that are written: one done by the CPU itself, one by its helper. A
/// reader tells from who did the step whether the CPU is up.
const OWN_STEP: i32 = 190;
const HELPERS_STEP: i32 = 80;
const ONLINE_TARGET: i32 = 238;

impl<W: Write> Machine<'_, W> {
    /// Freezes all tasks, and sleeps once every core idles.
    pub(super) fn suspend(&mut self, length: i64) {
        if self.suspended_since.is_some() {
            return;
        }
        self.settle_all();
        if !self.frozen {
            self.frozen = true;
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
        self.suspended_since = Some(self.now);
        self.at(self.now + length.max(1_000_000), Event::Resume);
    }

    /// Everything goes on; sleeps that ended meanwhile end now.
    pub(super) fn resume(&mut self) {
        self.settle_all();
        self.pass_suspended_time();
        self.suspended_since = None;
        self.frozen = false;
        let time = self.stamp();
        self.recorder.suspend_resume(0, time, "timekeeping_freeze", false);
        for cpu in 0..self.cpus.len() {
            if !self.cpus[cpu].ready.is_empty() {
                self.leave_idle(cpu);
            }
        }
        for task in std::mem::take(&mut self.missed_timers) {
            self.wake(task, None);
        }
        for task in 0..self.tasks.len() {
            self.deliver_pending_wake(task);
        }
    }

    /// Counts the time that the monotonic clocks stood still.
    pub(super) fn pass_suspended_time(&mut self) {
        if let Some(since) = &mut self.suspended_since {
            self.suspended += self.now - *since;
            *since = self.now;
        }
    }

    /// Takes a CPU down, as soon as it is idle. Its queue moves elsewhere.
    pub(super) fn offline(&mut self, cpu: usize, length: i64) {
        self.settle(self.cpus[cpu].cluster);
        let is_idle = matches!(self.cpus[cpu].activity, Activity::Idle { .. });
        if self.frozen || !is_idle || !self.cpus[0].is_awake() {
            // The helper has to be awake to write what it does.
            self.at(self.now + 100_000, Event::Offline { cpu, length });
            return;
        }
        let time = self.stamp();
        self.recorder.hotplug_step(0, time, cpu as u32, HELPERS_STEP, 0);
        self.cpus[cpu].activity = Activity::Offline;
        self.plan(cpu);
        self.at(self.now + length.max(1_000_000), Event::Online { cpu });
    }

    /// Brings a CPU up again.
    pub(super) fn online(&mut self, cpu: usize) {
        if self.frozen {
            self.at(self.now + 1_000_000, Event::Online { cpu });
            return;
        }
        self.settle(self.cpus[cpu].cluster);
        let time = self.stamp();
        self.cpus[cpu].activity = Activity::Swapper { until: self.now + 20_000, after_deep: false };
        if self.spec.recorder.cpu_idle {
            self.recorder.idle(cpu as u32, time, None);
        }
        self.recorder.hotplug_step(cpu as u32, time, cpu as u32, OWN_STEP, ONLINE_TARGET);
        self.plan(cpu);
    }
}
