//! The books: power times time, between any two events.

use std::io::Write;

use super::{Activity, Machine};
use crate::curve_error::TruePoint;
use crate::energy_accounts::Payer;
use crate::nature::Memory;

impl<W: Write> Machine<'_, W> {
    /// Books everything that a cluster drew since it was last settled, and lets its tasks progress.
    pub(super) fn settle(&mut self, cluster: usize) {
        self.settle_domain();
        let settled = self.clusters[cluster].settled;
        let nanos = self.now - settled;
        if nanos <= 0 {
            return;
        }
        self.clusters[cluster].settled = self.now;
        if self.suspension.since.is_some() {
            return;
        }
        let point = self.curves.clusters[cluster][self.clusters[cluster].level];
        let point = self.nature.warmed(cluster, point);
        let seconds = nanos as f64 * 1e-9;
        let level = self.clusters[cluster].level;
        self.kernel.states[cluster][level] += nanos;
        let mut is_up = false;
        for index in self.clusters[cluster].cpus.clone() {
            let soft = self.cpus[index].frames.last().map(|frame| frame.soft.is_some());
            self.kernel.passed(index, self.cpus[index].activity, soft, nanos);
            let Some((payer, watts, up)) = self.draw(index, point) else { continue };
            let joules = watts * seconds;
            is_up |= up;
            self.meter.core(index, payer, joules, nanos);
            self.cpus[index].core.add(joules);
            self.cpus[index].busy += if payer.is_busy() { nanos } else { 0 };
            self.progress(index, nanos);
        }
        if is_up {
            let joules = point.shared * seconds;
            self.clusters[cluster].shared.add(joules);
            self.share(self.clusters[cluster].cpus.clone(), joules);
        }
    }

    /// Lets whatever a CPU executes progress.
    fn progress(&mut self, cpu: usize, nanos: i64) {
        let cluster = self.cpus[cpu].cluster;
        let level = self.clusters[cluster].level;
        let hertz = self.spec.clusters[cluster].curve[level].frequency.value();
        let clock_cycles = hertz as f64 * 1e-9 * nanos as f64;
        let is_interrupted = !self.cpus[cpu].frames.is_empty();
        match self.cpus[cpu].activity {
            Activity::Task(task) if !is_interrupted => {
                let work = self.task_rate(cpu, task) * nanos as f64;
                let running = &mut self.tasks[task];
                running.remaining -= work;
                running.bursts.current += nanos;
                let (node, process) = (running.node, running.process);
                let uid = self.stage.processes[process].persona.uid;
                self.kernel.executed(uid, cluster, level, nanos);
                let progress = self.nature.progress(node, work);
                let pressure = self.nature.memory.as_ref().map_or(0.0, Memory::pressure);
                if let Some(devices) = &mut self.nature.devices {
                    devices.miss(process, progress.misses, pressure);
                }
                if let Some(pmu) = &mut self.nature.pmu {
                    pmu.ran(cpu, clock_cycles, progress);
                }
            }
            Activity::Offline | Activity::Idle { .. } if !is_interrupted => {}
            _ => {
                if let Some(frame) = self.cpus[cpu].frames.last_mut() {
                    frame.remaining -= nanos;
                }
                if let Some(pmu) = &mut self.nature.pmu {
                    pmu.ran_kernel(cpu, clock_cycles);
                }
            }
        }
    }

    /// Books energy that CPUs share to those that are busy, in equal parts; to the idle floor when none is.
    pub(super) fn share(&mut self, cpus: std::ops::Range<usize>, joules: f64) {
        let busy = |machine: &Self, cpu| {
            machine.payer(cpu).map(|(payer, _)| payer).filter(|payer| payer.is_busy())
        };
        let count = cpus.clone().filter(|cpu| busy(self, *cpu).is_some()).count();
        if count == 0 {
            self.meter.shared(Payer::Idle, joules);
        }
        let share = joules / count as f64;
        for cpu in cpus {
            if let Some(payer) = busy(self, cpu) {
                self.meter.shared(payer, share);
            }
        }
    }

    pub(super) fn settle_all(&mut self) {
        for cluster in 0..self.clusters.len() {
            self.settle(cluster);
        }
        if let Some(devices) = &mut self.nature.devices {
            devices.settle(self.now);
        }
    }

    /// Who pays for a CPU now, its power in watts, and whether it holds its cluster up.
    fn draw(&self, cpu: usize, point: TruePoint) -> Option<(Payer, f64, bool)> {
        let (payer, is_up) = self.payer(cpu)?;
        let state = &self.cpus[cpu];
        let watts = match state.activity {
            _ if !state.frames.is_empty() => point.active,
            Activity::Idle { state: 0 } => point.idle0,
            Activity::Idle { .. } => point.idle1,
            Activity::Task(task) => {
                let task = &self.tasks[task];
                let call = task.calls.last().map_or(1.0, |call| call.factor);
                point.active * self.nature.power(cpu, task.node, call, self.now)
            }
            Activity::Offline | Activity::Waking { .. } | Activity::Swapper { .. } => point.active,
        };
        Some((payer, watts, is_up))
    }

    /// Who pays for a CPU now, and whether it holds its cluster up.
    pub(super) fn payer(&self, cpu: usize) -> Option<(Payer, bool)> {
        let cpu = &self.cpus[cpu];
        if let Some(frame) = cpu.frames.last() {
            return Some((Payer::Interrupt(frame.source), true));
        }
        match cpu.activity {
            Activity::Offline => None,
            Activity::Idle { state } => Some((Payer::Idle, state == 0)),
            Activity::Waking { .. } | Activity::Swapper { after_idle: true, .. } => {
                Some((Payer::FirstTask, true))
            }
            Activity::Swapper { .. } => Some((Payer::Idle, true)),
            Activity::Task(task) => Some((Payer::Node(self.tasks[task].node), true)),
        }
    }

    /// Work that a task does on a CPU in a nanosecond, in cycles of a little core.
    pub(super) fn task_rate(&self, cpu: usize, task: usize) -> f64 {
        self.rate(self.cpus[cpu].cluster) * self.nature.speed(cpu, self.tasks[task].node)
    }

    /// Work that a core of the cluster does in a nanosecond, in cycles of a little core.
    pub(super) fn rate(&self, cluster: usize) -> f64 {
        let spec = &self.spec.clusters[cluster];
        let hertz = spec.curve[self.clusters[cluster].level].frequency.value();
        (hertz as f64 * 1e-9 * spec.work_per_cycle).max(1e-6)
    }

    /// The energy of a cluster so far, in joules.
    pub(super) fn cluster_joules(&self, cluster: usize) -> f64 {
        let mut sum = self.clusters[cluster].shared;
        for cpu in self.clusters[cluster].cpus.clone() {
            sum.merge(self.cpus[cpu].core);
        }
        sum.value()
    }
}
