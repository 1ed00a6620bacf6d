//! The books: power times time, between any two events.

use std::io::Write;

use super::{Activity, Machine};
use crate::curve_error::TruePoint;
use crate::energy_accounts::Payer;

impl<W: Write> Machine<'_, W> {
    /// Books everything that a cluster drew since it was last settled, and lets its tasks progress.
    pub(super) fn settle(&mut self, cluster: usize) {
        let settled = self.clusters[cluster].settled;
        let nanos = self.now - settled;
        if nanos <= 0 {
            return;
        }
        self.clusters[cluster].settled = self.now;
        if self.suspension.since.is_some() {
            return;
        }
        let range = self.clusters[cluster].cpus.clone();
        let point = self.curves.clusters[cluster][self.clusters[cluster].level];
        let seconds = nanos as f64 * 1e-9;
        let cycles = self.rate(cluster) * nanos as f64;
        let level = self.clusters[cluster].level;
        self.kernel.states[cluster][level] += nanos;
        let mut busy = 0_u32;
        let mut is_up = false;
        for index in range.clone() {
            let soft = self.cpus[index].frames.last().map(|frame| frame.soft.is_some());
            self.kernel.passed(index, self.cpus[index].activity, soft, nanos);
            let Some((payer, watts, up)) = self.draw(index, point) else { continue };
            let joules = watts * seconds;
            is_up |= up;
            busy += u32::from(payer.is_busy());
            self.meter.core(index, payer, joules, nanos);
            let cpu = &mut self.cpus[index];
            cpu.core.add(joules);
            cpu.busy += if payer.is_busy() { nanos } else { 0 };
            if let Some(frame) = cpu.frames.last_mut() {
                frame.remaining -= nanos;
            } else if let Activity::Task(task) = cpu.activity {
                self.tasks[task].remaining -= cycles;
                self.tasks[task].bursts.current += nanos;
                let process = self.tasks[task].process;
                let uid = self.stage.processes[process].persona.uid;
                self.kernel.executed(uid, cluster, level, nanos);
            }
        }
        if is_up {
            let joules = point.shared * seconds;
            self.clusters[cluster].shared.add(joules);
            if busy == 0 {
                self.meter.shared(Payer::Idle, joules);
            } else {
                let share = joules / f64::from(busy);
                for index in range {
                    let Some((payer, ..)) = self.draw(index, point) else { continue };
                    if payer.is_busy() {
                        self.meter.shared(payer, share);
                    }
                }
            }
        }
    }

    pub(super) fn settle_all(&mut self) {
        for cluster in 0..self.clusters.len() {
            self.settle(cluster);
        }
    }

    /// Who pays for a CPU now, its power in watts, and whether it holds its cluster up.
    fn draw(&self, cpu: usize, point: TruePoint) -> Option<(Payer, f64, bool)> {
        let cpu = &self.cpus[cpu];
        if let Some(frame) = cpu.frames.last() {
            return Some((Payer::Interrupt(frame.source), point.active, true));
        }
        match cpu.activity {
            Activity::Offline => None,
            Activity::Idle { state: 0 } => Some((Payer::Idle, point.idle0, true)),
            Activity::Idle { .. } => Some((Payer::Idle, point.idle1, false)),
            Activity::Waking { .. } | Activity::Swapper { after_idle: true, .. } => {
                Some((Payer::FirstTask, point.active, true))
            }
            Activity::Swapper { .. } => Some((Payer::Idle, point.active, true)),
            Activity::Task(task) => {
                let task = &self.tasks[task];
                let call = task.calls.last().map_or(1.0, |call| call.factor);
                let factor = self.nature.activity(task.node, call, self.now);
                Some((Payer::Node(task.node), point.active * factor, true))
            }
        }
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
