//! The frequency governor, after the kernel's schedutil.

use std::io::Write;

use super::{Activity, Event, Machine};

/// Period of the governor, in nanoseconds.
const PERIOD: i64 = 8_000_000;

/// Time in nanoseconds after which half of what a core did is forgotten (the kernel's per-entity load tracking).
const HALF_LIFE: f64 = 32e6;

impl<W: Write> Machine<'_, W> {
    /// Sets a cluster to the lowest frequency at which its busiest core would be busy four fifths of the
    /// time (schedutil's `1.25 · util`); goes down by at most a third at a time.
    pub(super) fn govern(&mut self, cluster: usize) {
        self.settle(cluster);
        let jitter = self.random.between(0.9, 1.1);
        self.at(self.now + (PERIOD as f64 * jitter) as i64, Event::Governor { cluster });
        let passed = (self.now - self.clusters[cluster].governed).max(1);
        self.clusters[cluster].governed = self.now;
        let range = self.clusters[cluster].cpus.clone();
        let decay = 0.5_f64.powf(passed as f64 / HALF_LIFE);
        let mut util = 0.0_f64;
        for cpu in &mut self.cpus[range.clone()] {
            let now = std::mem::take(&mut cpu.busy) as f64 / passed as f64;
            cpu.utilisation = cpu.utilisation * decay + now * (1.0 - decay);
            // What is replayed says when it worked, not how much: without an average, chance would choose its clock.
            util = util.max(if self.stage.is_replay { cpu.utilisation } else { now });
        }
        // Only code that runs can change the frequency, and write that it did.
        let by = range.clone().find(|cpu| {
            matches!(self.cpus[*cpu].activity, Activity::Task(_)) && self.cpus[*cpu].is_online()
        });
        let Some(by) = by else { return };
        let curve = &self.spec.clusters[cluster].curve;
        let current = curve[self.clusters[cluster].level].frequency.value() as f64;
        let wanted = (1.25 * util * current).max(current / 1.5);
        let level = curve
            .iter()
            .position(|point| point.frequency.value() as f64 >= wanted)
            .unwrap_or(curve.len() - 1);
        if level != self.clusters[cluster].level {
            self.clusters[cluster].level = level;
            self.write_frequency(by, cluster);
            self.pay_clock_change(cluster);
            for cpu in range {
                if matches!(self.cpus[cpu].activity, Activity::Task(_)) {
                    self.plan(cpu);
                }
            }
        }
        self.migrate_up(cluster);
    }

    /// `cpu_frequency` for every CPU of a cluster, as cpufreq writes it.
    pub(super) fn write_frequency(&mut self, by: usize, cluster: usize) {
        let (time, tid) = (self.stamp(), self.current_tid(by));
        let kilohertz = self.kilohertz(cluster);
        for cpu in self.clusters[cluster].cpus.clone() {
            self.recorder.frequency(by as u32, time, tid, cpu as u32, kilohertz);
        }
    }

    /// The frequency of a cluster in kilohertz.
    pub(super) fn kilohertz(&self, cluster: usize) -> u64 {
        self.spec.clusters[cluster].curve[self.clusters[cluster].level].frequency.kilohertz()
    }
}
