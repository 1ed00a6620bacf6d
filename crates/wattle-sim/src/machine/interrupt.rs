//! Hard and soft interrupts.

use std::io::Write;

use super::{Activity, Event, Machine};

/// A handler that runs on a CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Index into the stage's interrupts.
    pub source: usize,
    /// The vector, for a soft one.
    pub soft: Option<u32>,
    pub remaining: i64,
}

impl<W: Write> Machine<'_, W> {
    /// A device interrupts.
    pub(super) fn interrupt(&mut self, source: usize) {
        let spec = &self.stage.interrupts[source];
        let wait = self.random.exponential(spec.mean_period.value() as f64);
        self.at(self.now + wait.clamp(1000.0, 1e15) as i64, Event::Interrupt { source });
        let cpu = spec.cpu as usize;
        if self.suspension.is_frozen || !self.cpus[cpu].is_online() {
            return;
        }
        self.settle(self.cpus[cpu].cluster);
        let in_hard = self.cpus[cpu].frames.last().is_some_and(|frame| frame.soft.is_none());
        if self.cpus[cpu].is_awake() && !in_hard {
            self.begin_hard(cpu, source);
            self.plan(cpu);
        } else if self.cpus[cpu].waiting_interrupts.len() < 4 {
            self.cpus[cpu].waiting_interrupts.push_back(source);
            self.leave_idle(cpu);
        }
    }

    fn begin_hard(&mut self, cpu: usize, source: usize) {
        let spec = &self.stage.interrupts[source];
        let (time, tid) = (self.stamp(), self.current_tid(cpu));
        self.recorder.hard_interrupt(cpu as u32, time, tid, spec.irq, Some(&spec.name));
        let remaining = spec.hard.value().max(100);
        self.cpus[cpu].frames.push(Frame { source, soft: None, remaining });
    }

    /// Interrupts that came while the core could not take them.
    pub(super) fn take_waiting_interrupts(&mut self, cpu: usize) {
        if let Some(source) = self.cpus[cpu].waiting_interrupts.pop_front() {
            self.begin_hard(cpu, source);
        }
    }

    /// The innermost handler is done. The CPU's cluster is settled.
    pub(super) fn end_frame(&mut self, cpu: usize) {
        let Some(frame) = self.cpus[cpu].frames.last().copied() else { return };
        if frame.remaining > 0 {
            self.plan(cpu);
            return;
        }
        let spec = &self.stage.interrupts[frame.source];
        let (time, tid) = (self.stamp(), self.current_tid(cpu));
        if let Some(vector) = frame.soft {
            self.recorder.soft_interrupt(cpu as u32, time, tid, vector, false);
        } else {
            if let Some(task) = spec.wakes {
                self.notify(task, Some(cpu));
            }
            self.recorder.hard_interrupt(cpu as u32, time, tid, spec.irq, None);
            if spec.soft.is_some() {
                self.cpus[cpu].raised.push_back(frame.source);
            }
        }
        self.cpus[cpu].frames.pop();
        if !self.cpus[cpu].waiting_interrupts.is_empty() {
            self.take_waiting_interrupts(cpu);
        } else if self.cpus[cpu].frames.is_empty()
            && let Some(source) = self.cpus[cpu].raised.pop_front()
            && let Some((vector, length)) = self.stage.interrupts[source].soft
        {
            self.recorder.soft_interrupt(cpu as u32, time, tid, vector, true);
            let remaining = length.value().max(100);
            self.cpus[cpu].frames.push(Frame { source, soft: Some(vector), remaining });
        }
        if self.cpus[cpu].frames.is_empty() {
            self.after_interrupts(cpu);
        } else {
            self.plan(cpu);
        }
    }

    /// Back in what was interrupted: a more urgent task may have been woken.
    fn after_interrupts(&mut self, cpu: usize) {
        match self.cpus[cpu].activity {
            Activity::Task(task) => {
                let own = self.tasks[task].comm.priority;
                let is_urgent =
                    self.cpus[cpu].ready.iter().any(|other| self.tasks[*other].comm.priority < own);
                if is_urgent {
                    self.preempt(cpu);
                } else {
                    self.plan(cpu);
                }
            }
            Activity::Swapper { after_idle, .. } => {
                self.cpus[cpu].activity = Activity::Swapper { until: self.now + 1000, after_idle };
                self.plan(cpu);
            }
            Activity::Offline | Activity::Idle { .. } | Activity::Waking { .. } => {}
        }
    }
}
