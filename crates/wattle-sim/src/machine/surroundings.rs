//! Everything around the cores that changes: temperatures, memory, the shared clock, devices, the recorder.

use std::io::Write;

use wattle_units::Joules;

use super::{Activity, Event, Machine};
use crate::bytes::{DeviceIndex, DeviceKind, Piece};
use crate::nature::LOOK_PERIOD;
use crate::trace::CounterSample;
use crate::{Device, DeviceTruth, ProcessJoules, RailLoad, SimError};

/// Time between two reports of what graphics has done for each app, in nanoseconds.
const GRAPHICS_REPORT: i64 = 100_000_000;

impl<W: Write> Machine<'_, W> {
    /// Plans everything that repeats around the cores, and begins the counters.
    pub(super) fn plan_surroundings(&mut self) -> Result<(), SimError> {
        if self.nature.changes_slowly() {
            self.at(self.now + LOOK_PERIOD, Event::Look);
        }
        if let Some(heat) = &self.nature.heat {
            self.at(self.now + heat.period, Event::Sensors);
        }
        // Nobody has said which app of a replay is in front, or what it draws.
        if self.nature.devices.is_some() && !self.stage.is_replay {
            self.at(self.now, Event::Front);
            self.at(self.now + GRAPHICS_REPORT, Event::GraphicsReport);
        }
        if self.nature.pmu.is_some() {
            let time = self.stamp();
            self.recorder.begin_counters(time)?;
        }
        Ok(())
    }

    /// Lets temperatures, the shared clock and the pressure on memory follow what happened since the last look.
    pub(super) fn look(&mut self) {
        self.at(self.now + LOOK_PERIOD, Event::Look);
        self.settle_all();
        let joules: Vec<f64> = (0..self.clusters.len()).map(|it| self.cluster_joules(it)).collect();
        if let Some(heat) = &mut self.nature.heat {
            heat.step(LOOK_PERIOD as f64 * 1e-9, &joules);
        }
        if let Some(caches) = &mut self.nature.caches {
            caches.look();
        }
        let mut demand = 0.0_f64;
        for cpu in 0..self.cpus.len() {
            let running = match self.cpus[cpu].activity {
                Activity::Task(task) if self.cpus[cpu].frames.is_empty() => {
                    let cluster = self.cpus[cpu].cluster;
                    let curve = &self.spec.clusters[cluster].curve;
                    let level =
                        self.clusters[cluster].level as f64 / (curve.len() as f64 - 1.0).max(1.0);
                    demand += 0.35 * (0.3 + level);
                    Some((self.tasks[task].node, self.rate(cluster)))
                }
                _ => None,
            };
            self.nature.demand(cpu, running);
        }
        self.govern_domain(demand);
        for cpu in 0..self.cpus.len() {
            if matches!(self.cpus[cpu].activity, Activity::Task(_)) {
                self.plan(cpu);
            }
        }
    }

    fn govern_domain(&mut self, demand: f64) {
        let Some(domain) = &mut self.nature.domain else { return };
        let has_changed = domain.govern(demand);
        let kilohertz = domain.kilohertz();
        if has_changed && self.nature.writes_shared_clock() {
            self.write_awake(|machine, cpu, time| {
                machine.recorder.shared_clock(cpu, time, "dsufreq", kilohertz);
            });
        }
    }

    /// Books what the shared unit drew since it was last settled, to all busy cores. It is on the rail of the first cluster.
    pub(super) fn settle_domain(&mut self) {
        let Some(domain) = &mut self.nature.domain else { return };
        let nanos = self.now - domain.settled;
        domain.settled = self.now;
        let is_up = self.suspension.since.is_none()
            && (0..self.cpus.len()).any(|cpu| self.payer(cpu).is_some_and(|(_, is_up)| is_up));
        if nanos <= 0 || !is_up {
            return;
        }
        let busy = (0..self.cpus.len())
            .filter(|cpu| self.payer(*cpu).is_some_and(|(payer, _)| payer.is_busy()))
            .count();
        let watts = self.nature.domain.as_ref().map_or(0.0, |domain| domain.watts(busy as u32));
        let joules = watts * nanos as f64 * 1e-9;
        self.clusters[0].shared.add(joules);
        self.share(0..self.cpus.len(), joules);
    }

    /// A cluster's clock has changed: its supply was charged, and its tasks stood still.
    pub(super) fn pay_clock_change(&mut self, cluster: usize) {
        let Some((joules, nanos)) = self.nature.clock_change() else { return };
        self.clusters[cluster].shared.add(joules);
        let cpus = self.clusters[cluster].cpus.clone();
        self.share(cpus.clone(), joules);
        for cpu in cpus {
            if let Activity::Task(task) = self.cpus[cpu].activity {
                self.tasks[task].remaining += nanos * self.task_rate(cpu, task);
            }
        }
    }

    /// The recorder has read its buffers.
    pub(super) fn disturb(&mut self) {
        if let Some(caches) = &mut self.nature.caches {
            caches.was_evicted = true;
        }
        for cpu in 0..self.cpus.len() {
            if let Some(length) = self.nature.overrun() {
                let until = self.stamp() + length;
                self.recorder.overrun(cpu as u32, until);
            }
        }
    }

    /// The kernel reads the sensors of temperature, if a CPU is awake for it.
    pub(super) fn read_sensors(&mut self) {
        let Some(heat) = &self.nature.heat else { return };
        let (readings, period) = (heat.readings(), heat.period);
        self.at(self.now + period, Event::Sensors);
        self.write_awake(|machine, cpu, time| {
            for (number, (zone, millicelsius)) in readings.iter().enumerate() {
                machine.recorder.temperature(cpu, time, (number as u32, zone), *millicelsius);
            }
        });
    }

    /// Writes events in the buffer of a CPU that is awake; not at all when none is.
    fn write_awake(&mut self, write: impl FnOnce(&mut Self, u32, u64)) {
        if let Some(cpu) = (0..self.cpus.len()).find(|cpu| self.cpus[*cpu].is_awake()) {
            let time = self.stamp();
            write(self, cpu as u32, time);
        }
    }

    /// A sample of the hardware counters at a switch, of the process and thread that leave the CPU.
    pub(super) fn sample_counters(&mut self, cpu: usize, (pid, tid): (u32, u32)) {
        let time = self.stamp();
        let Some(pmu) = &mut self.nature.pmu else { return };
        let counts = pmu.switched(cpu);
        self.recorder.counters(CounterSample {
            time,
            cpu: cpu as u32,
            pid,
            tid,
            timebase: counts.switches,
            followers: [counts.cycles, counts.instructions, counts.misses].map(|it| it as u64),
        });
    }

    /// The user goes to another app, and stays there for some seconds.
    pub(super) fn change_front(&mut self) {
        let stay = self.nature.chances.between(1.5e9, 5e9) as i64;
        self.at(self.now + stay, Event::Front);
        let apps: Vec<usize> = (0..self.stage.processes.len())
            .filter(|it| self.stage.processes[*it].persona.package.is_some())
            .collect();
        let chosen = self.nature.chances.below(apps.len() as u64) as usize;
        let now = self.now;
        if let (Some(devices), Some(app)) = (&mut self.nature.devices, apps.get(chosen)) {
            devices.settle(now);
            devices.show(*app);
        }
    }

    /// A thread gives graphics work to do.
    pub(super) fn draw_graphics(&mut self, task: usize, nanos: i64) {
        let (now, process) = (self.now, self.tasks[task].process);
        if let Some(devices) = &mut self.nature.devices {
            devices.settle(now);
            devices.draw(process, nanos);
        }
    }

    /// The kernel reports for how long graphics worked for each app since the last report.
    pub(super) fn report_graphics(&mut self) {
        let (start, now) = (self.now - GRAPHICS_REPORT, self.now);
        self.at(self.now + GRAPHICS_REPORT, Event::GraphicsReport);
        let Some(devices) = &mut self.nature.devices else { return };
        devices.settle(now);
        let active = devices.take_active();
        self.write_awake(|machine, cpu, time| {
            for (process, nanos) in active {
                let uid = machine.stage.processes[process].persona.uid;
                machine.recorder.graphics_work(
                    cpu,
                    time,
                    uid,
                    (start as u64, now as u64),
                    nanos as u64,
                );
            }
        });
    }

    /// Bytes of a thread go through a device.
    pub(super) fn move_bytes(&mut self, task: usize, device: DeviceIndex, piece: Piece) {
        let (now, process) = (self.now, self.tasks[task].process);
        let kind = self.stage.devices.get(device).map(|(kind, _)| kind);
        let (Some(devices), Some(kind)) = (&mut self.nature.devices, kind) else { return };
        devices.settle(now);
        let (units, bytes) = (piece.inward_units + piece.outward_units, piece.counted.total());
        match kind {
            DeviceKind::Network => devices.send(process, units, bytes),
            DeviceKind::Block => devices.store(process, units, bytes),
        }
    }

    /// Returns the energy of a device in joules, up to the instant of its last settling.
    pub(super) fn device_joules(&self, device: Device) -> f64 {
        self.nature.devices.as_ref().map_or(0.0, |devices| devices.joules(device))
    }

    /// Devices that have a rail: of those the truth is known.
    pub(super) fn metered_devices(&self) -> impl Iterator<Item = Device> {
        Device::ALL.into_iter().filter(|device| {
            let mut loads = self.spec.rails.iter().flat_map(|rail| &rail.loads);
            loads.any(|load| *load == RailLoad::Device(*device))
        })
    }

    /// Whose the energy of each device was.
    pub fn device_truth(&self) -> Vec<DeviceTruth> {
        let Some(devices) = &self.nature.devices else { return Vec::new() };
        let processes = |device| {
            self.stage.processes.iter().enumerate().map(move |(index, process)| ProcessJoules {
                process: process.persona.name.clone(),
                pid: process.persona.pid,
                uid: process.persona.uid,
                joules: Joules::new(devices.of_process(device, index)),
            })
        };
        self.metered_devices()
            .map(|device| DeviceTruth {
                device,
                total: Joules::new(devices.joules(device)),
                base: Joules::new(devices.base(device)),
                processes: processes(device).filter(|it| it.joules > Joules::ZERO).collect(),
            })
            .collect()
    }
}
