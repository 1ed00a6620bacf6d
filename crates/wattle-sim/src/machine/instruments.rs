//! Activity of the recorder itself: begin, end, rails, battery, clocks.

use std::collections::BTreeSet;
use std::io::Write;

use wattle_units::BootNanos;

use super::{Event, FirstWake, Machine};
use crate::trace::{
    BOOTTIME, BatteryPoll, Comm, MONOTONIC_RAW, Phone, RailDescriptor, RailSample, Stamp,
};
use crate::{Device, InitialFrequency, RailClock, RailLoad, RailSpec, SimError};

/// A rail's counter and what is true of it.
#[derive(Clone, Debug)]
pub(crate) struct RailMeter {
    /// Energy at the first sample, in joules.
    first: Option<f64>,
    last: f64,
    /// Energy from the start to the end.
    whole: f64,
    first_reading: u64,
    last_reading: u64,
    samples: u64,
}

impl RailMeter {
    pub fn new(spec: &RailSpec) -> Self {
        Self {
            first: None,
            last: 0.0,
            whole: 0.0,
            first_reading: spec.start_microjoules,
            last_reading: spec.start_microjoules,
            samples: 0,
        }
    }

    /// True energy from begin to end of the trace, and from first to last sample, in joules; counted energy
    /// in microjoules; number of samples.
    pub fn summary(&self) -> (f64, f64, u64, u64) {
        let sampled = self.first.map_or(0.0, |first| self.last - first);
        (self.whole, sampled, self.last_reading - self.first_reading, self.samples)
    }
}

/// The battery's gauge.
#[derive(Clone, Debug)]
pub(super) struct BatteryGauge {
    /// Instant and energy of the last poll.
    time: i64,
    joules: f64,
    /// Charge drawn so far in coulombs.
    coulombs: f64,
}

impl BatteryGauge {
    pub const fn new(start: i64) -> Self {
        Self { time: start, joules: 0.0, coulombs: 0.0 }
    }

    pub const fn joules(&self) -> f64 {
        self.joules
    }
}

impl<W: Write> Machine<'_, W> {
    /// Writes the metadata and the state that every reader needs, and plans all that repeats.
    pub(super) fn begin(&mut self) -> Result<(), SimError> {
        let time = self.stamp();
        self.write_clocks()?;
        let phone = Phone { device: &self.spec.device, clusters: &self.spec.clusters };
        self.recorder.phone(time, phone)?;
        self.write_processes_and_packages(time)?;
        if self.spec.recorder.initial_frequency != InitialFrequency::Untold {
            let kilohertz: Vec<u64> = self
                .clusters
                .iter()
                .enumerate()
                .flat_map(|(index, cluster)| cluster.cpus.clone().map(move |_| index))
                .map(|cluster| self.kilohertz(cluster))
                .collect();
            self.recorder.polled_frequencies(time, kilohertz.into_iter())?;
        }
        if self.stage.sources.rails {
            self.describe_rails()?;
        }
        for cpu in 0..self.cpus.len() {
            // What switched tracing on was the stopper thread of each CPU.
            let name = format!("migration/{cpu}");
            let tid = 15 + cpu as u32;
            let stopper = Comm { tid, tgid: tid, name, priority: 0 };
            // Readers of the compact form know nobody before the second switch.
            self.recorder.switch(cpu as u32, time, &self.cpus[cpu].comm, 0, &stopper);
            self.recorder.switch(cpu as u32, time, &stopper, 1, &self.cpus[cpu].comm);
            if self.spec.recorder.cpu_idle {
                self.recorder.idle(cpu as u32, time, None);
            }
            self.plan(cpu);
        }
        for cluster in 0..self.clusters.len() {
            if self.spec.recorder.initial_frequency == InitialFrequency::Events {
                self.write_frequency(self.clusters[cluster].cpus.start, cluster);
            }
            let offset = self.random.between(0.0, 8e6) as i64;
            self.at(self.now + 1_000_000 + offset, Event::Governor { cluster });
        }
        self.plan_repeating();
        self.plan_surroundings()?;
        Ok(())
    }

    /// Who is there already, and all packages.
    fn write_processes_and_packages(&mut self, time: u64) -> Result<(), SimError> {
        let processes = &self.stage.processes;
        if self.stage.sources.process_stats {
            let there = processes.iter().filter(|process| !process.comes_later);
            let threads = self.stage.threads.iter().filter(|it| it.starts_after.value() <= 0);
            self.recorder.process_tree(
                time,
                there.map(|process| &process.persona),
                threads.map(|thread| &thread.comm),
            )?;
        }
        if self.stage.sources.packages {
            let mut told = BTreeSet::new();
            let personas = processes.iter().map(|process| &process.persona);
            let once = personas.filter(|it| told.insert((it.package.as_deref(), it.uid)));
            self.recorder.packages(time, once)?;
        }
        Ok(())
    }

    /// A thread has come; of a new process the recorder asks who it is.
    pub(super) fn announce(&mut self, task: usize) -> Result<(), SimError> {
        let comm = &self.tasks[task].comm;
        let process = &self.stage.processes[self.tasks[task].process];
        if process.comes_later && comm.tid == comm.tgid && self.stage.sources.process_stats {
            let time = self.stamp();
            let (persona, comm) = (std::iter::once(&process.persona), std::iter::once(comm));
            self.recorder.process_tree(time, persona, comm)?;
        }
        Ok(())
    }

    fn plan_repeating(&mut self) {
        for task in 0..self.tasks.len() {
            let after = self.tasks[task].starts_after.value();
            let delay = match self.tasks[task].first_wake {
                FirstWake::Soon if after <= 0 => self.random.between(1e5, 5e6) as i64,
                _ => after.max(0),
            };
            self.at(self.now + delay, Event::Create { task });
        }
        for source in 0..self.stage.interrupts.len() {
            let mean = self.stage.interrupts[source].mean_period.value() as f64;
            let wait = self.random.exponential(mean).clamp(1000.0, 1e15);
            self.at(self.now + wait as i64, Event::Interrupt { source });
        }
        let rails = if self.stage.sources.rails { self.spec.rails.len() } else { 0 };
        for rail in 0..rails {
            // On a whole millisecond, which is all that a stamp in milliseconds can say.
            let period = self.spec.rails[rail].period.value().max(1_000_000);
            let phase = self.noise.below((period / 1_000_000) as u64) as i64;
            // Samples that lag begin when their window is full.
            let lag = self.nature.rail_errors[rail].lag;
            let whole = if lag > 0 { period } else { 0 };
            self.plan_rail(rail, self.now + whole + phase * 1_000_000);
        }
        if self.spec.battery.is_some() && self.stage.sources.battery {
            self.at(self.now + 1_000_000, Event::Battery);
        }
        let recorder = &self.spec.recorder;
        let snapshot = self.now + recorder.snapshot_period.value().max(1_000_000);
        let flush = self.now + recorder.bundle_period.value().max(1000);
        self.at(snapshot, Event::Snapshot);
        self.at(flush, Event::Flush);
        for event in &self.stage.events {
            let (after, event) = match *event {
                crate::PhoneEvent::Suspend { after, length } => {
                    (after, Event::Suspend { length: length.value() })
                }
                crate::PhoneEvent::Offline { cpu, after, length } => {
                    (after, Event::Offline { cpu: cpu as usize, length: length.value() })
                }
            };
            self.at(self.start + after.value(), event);
        }
    }

    /// Settles everything and writes the last packets. At the very end each CPU writes an event, so that
    /// a reader's window is the simulation's.
    pub(super) fn finish(&mut self) -> Result<(), SimError> {
        self.settle_all();
        self.pass_suspended_time();
        for rail in 0..self.rails.len() {
            self.rails[rail].whole = self.rail_joules(rail);
        }
        self.gauge.joules = self.battery_energy();
        for cluster in 0..self.clusters.len() {
            self.write_frequency(self.clusters[cluster].cpus.start, cluster);
        }
        self.recorder.flush_bundles()?;
        self.write_clocks()?;
        let time = self.stamp();
        self.recorder.trace_stats(time)?;
        Ok(())
    }

    fn describe_rails(&mut self) -> Result<(), SimError> {
        let rails: Vec<RailDescriptor> = self
            .spec
            .rails
            .iter()
            .map(|rail| RailDescriptor {
                name: rail.name.clone(),
                subsystem: rail.subsystem.clone(),
                rate: (1e9 / rail.period.value().max(1) as f64).round() as u32,
            })
            .collect();
        if !rails.is_empty() {
            let time = self.stamp();
            self.recorder.rail_descriptors(time, &rails)?;
        }
        Ok(())
    }

    /// Returns the energy that a rail has supplied since the start, in joules. Its clusters are settled.
    fn rail_joules(&self, rail: usize) -> f64 {
        let seconds = (self.now - self.start) as f64 * 1e-9;
        self.spec.rails[rail]
            .loads
            .iter()
            .map(|load| match load {
                RailLoad::Cluster(cluster) => self.cluster_joules(*cluster),
                RailLoad::Constant(power) => power.value() * seconds,
                RailLoad::Device(device) => self.device_joules(*device),
            })
            .sum()
    }

    /// Plans a sample, and the readings that it is the mean of.
    fn plan_rail(&mut self, rail: usize, at: i64) {
        let error = &self.nature.rail_errors[rail];
        let (lag, step) = (error.lag, error.step());
        for reading in [lag + 2 * step, lag + step, lag].into_iter().filter(|_| lag > 0) {
            self.at(at - reading, Event::RailReading { rail });
        }
        self.at(at, Event::Rail { rail });
    }

    /// Reads the counter of a rail whose samples lag.
    pub(super) fn read_rail(&mut self, rail: usize) {
        self.settle_all();
        let reading = self.rail_reading(rail);
        self.nature.rail_errors[rail].latch(reading);
    }

    /// The counter of a rail with the errors of its meter, in joules. Everything is settled.
    fn rail_reading(&self, rail: usize) -> f64 {
        let seconds = (self.now - self.start) as f64 * 1e-9;
        self.nature.rail_errors[rail].reading(self.rail_joules(rail), seconds)
    }

    pub(super) fn sample_rail(&mut self, rail: usize) -> Result<(), SimError> {
        let spec = &self.spec.rails[rail];
        self.plan_rail(rail, self.now + spec.period.value().max(1_000_000));
        if self.suspension.since.is_some() {
            return Ok(());
        }
        self.settle_all();
        let joules = self.rail_joules(rail);
        let noise = spec.noise_microjoules * self.noise.normal();
        let lagging = self.nature.rail_errors[rail].sample();
        let reading = lagging.unwrap_or_else(|| self.rail_reading(rail));
        let read = (reading * 1e6 + noise).max(0.0) as u64;
        let quantum = spec.quantum_microjoules.max(1);
        let counter = (spec.start_microjoules + read) / quantum * quantum;
        let meter = &mut self.rails[rail];
        // The counter only grows, however noisy it is.
        let counter = if meter.first.is_none() {
            meter.first = Some(joules);
            meter.first_reading = counter;
            counter
        } else {
            counter.max(meter.last_reading)
        };
        meter.last = joules;
        meter.last_reading = counter;
        meter.samples += 1;
        let stamped = self.now + spec.stamp_error.value();
        let stamp = match spec.clock {
            RailClock::BootMillis => {
                Stamp::Millis { millis: (stamped / 1_000_000) as u64, packet: self.stamp() }
            }
            RailClock::Boot => Stamp::Packet { clock: BOOTTIME, time: stamped as u64 },
            RailClock::MonotonicRaw => {
                Stamp::Packet { clock: MONOTONIC_RAW, time: self.raw_clock(stamped) }
            }
        };
        self.recorder.rail_sample(RailSample { rail: rail as u32, microjoules: counter, stamp })?;
        Ok(())
    }

    /// `CLOCK_MONOTONIC_RAW` at an instant of boot time: another origin, another speed.
    fn raw_clock(&self, boot: i64) -> u64 {
        let recorder = &self.spec.recorder;
        let running = boot - self.start - self.suspension.total;
        let drift = running as f64 * recorder.raw_clock_skew_ppm * 1e-6;
        let drift = drift + self.nature.clock_error(running as f64);
        let raw = self.start - recorder.raw_clock_offset.value() + running + drift.round() as i64;
        raw.max(0) as u64
    }

    /// `CLOCK_REALTIME` now: Unix time in nanoseconds.
    pub(super) fn real_clock(&self) -> i64 {
        self.stage.clocks.real(BootNanos::new(self.now))
    }

    pub(super) fn snapshot(&mut self) -> Result<(), SimError> {
        let period = self.spec.recorder.snapshot_period.value().max(1_000_000);
        self.at(self.now + period, Event::Snapshot);
        self.write_clocks()
    }

    fn write_clocks(&mut self) -> Result<(), SimError> {
        self.pass_suspended_time();
        let boot = self.stamp();
        let now = BootNanos::new(self.now);
        let monotonic = (self.stage.clocks.monotonic(now) - self.suspension.total).max(0) as u64;
        let wall = self.real_clock().max(0) as u64;
        let clocks = [
            (BOOTTIME, boot),
            (3, monotonic),
            (MONOTONIC_RAW, self.raw_clock(self.now)),
            (1, wall),
        ];
        self.recorder.clock_snapshot(boot, &clocks)?;
        Ok(())
    }

    /// Energy out of the battery since the start. All clusters are settled.
    fn battery_energy(&self) -> f64 {
        let Some(battery) = &self.spec.battery else { return 0.0 };
        let seconds = (self.now - self.start) as f64 * 1e-9;
        let processor: f64 = (0..self.clusters.len()).map(|c| self.cluster_joules(c)).sum();
        let constant = |load: &RailLoad| match load {
            RailLoad::Constant(power) => power.value() * seconds,
            RailLoad::Cluster(_) | RailLoad::Device(_) => 0.0,
        };
        let constants: f64 = self.spec.loads_beside().map(constant).sum();
        let has =
            |device: &Device| self.spec.loads_beside().any(|it| *it == RailLoad::Device(*device));
        let devices: f64 =
            Device::ALL.into_iter().filter(has).map(|it| self.device_joules(it)).sum();
        processor + constants + devices + battery.rest.value() * seconds
    }

    pub(super) fn poll_battery(&mut self) -> Result<(), SimError> {
        let Some(battery) = &self.spec.battery else { return Ok(()) };
        self.at(self.now + battery.period.value().max(1_000_000), Event::Battery);
        self.settle_all();
        let joules = self.battery_energy();
        let seconds = ((self.now - self.gauge.time) as f64 * 1e-9).max(1e-9);
        let watts = (joules - self.gauge.joules) / seconds;
        let (volts, amperes) = (battery.volts(watts), battery.amperes(watts));
        self.gauge.coulombs += amperes * seconds;
        self.gauge.time = self.now;
        self.gauge.joules = joules;
        let current = match battery.reading {
            crate::CurrentReading::Android => -amperes * 1e6,
            crate::CurrentReading::Inverted => amperes * 1e6,
            crate::CurrentReading::Milliamperes => -amperes * 1e3,
        };
        let capacity = battery.capacity_coulombs.max(1.0);
        let left = (battery.charge_coulombs - self.gauge.coulombs).clamp(0.0, capacity);
        let poll = BatteryPoll {
            charge_microampere_hours: (left / 3.6e-3) as i64,
            capacity_percent: 100.0 * left / capacity,
            current: current.round() as i64,
            microvolts: (volts * 1e6).round() as i64,
        };
        let time = self.stamp();
        self.recorder.battery(time, poll)?;
        Ok(())
    }
}
