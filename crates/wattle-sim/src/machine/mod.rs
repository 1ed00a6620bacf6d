//! The running phone: an event-driven simulation that keeps its own accounts.
//!
//! Everything that has a state is on a CPU. A CPU is in one [`Activity`], with interrupt frames on top:
//!
//! ```text
//!            task to run            exit over             first task
//!  Idle(1) ────────────► Waking ────────────► Swapper ────────────► Task
//!     ▲                                        │  ▲                  │
//!     └──────────── nothing to run ────────────┘  └── nothing left ──┘
//! ```
//!
//! Between two events no state changes, so that [`Machine::settle`] can book power times time at each event,
//! exactly. Every handler settles the clusters it is about to change before it changes them.

mod byte_flow;
mod governor;
mod instruments;
mod interrupt;
mod kernel_time;
mod poll;
mod power_state;
mod scheduler;
mod settle;
mod surroundings;
mod task;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io::Write;

use wattle_units::CompensatedSum;

use crate::SplitMix64;
use crate::curve_error::TrueCurves;
use crate::energy_accounts::Meter;
use crate::nature::Nature;
use crate::specimen::Specimen;
use crate::stage::{FirstWake, Span, Stage};
use crate::trace::{Comm, Recorder};
use crate::{PhoneSpec, SimError};

use byte_flow::Traffic;
use instruments::{BatteryGauge, RailMeter};
use interrupt::Frame;
use kernel_time::KernelTime;
use task::Task;

/// Something that will happen. Ordered only so that a heap can hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// Next step of a CPU, unless its generation has passed.
    Cpu { cpu: usize, generation: u64 },
    /// A sleep is over, unless its generation has passed.
    Timer { task: usize, generation: u64 },
    /// A thread is created.
    Create { task: usize },
    /// The recorder has looked up who a new thread is.
    Announce { task: usize },
    /// Bytes go through a device.
    Piece { flow: usize },
    /// A device interrupts.
    Interrupt { source: usize },
    /// The governor looks at a cluster.
    Governor { cluster: usize },
    /// A rail is sampled.
    Rail { rail: usize },
    /// A rail whose samples lag is read.
    RailReading { rail: usize },
    /// A look at what changes slowly.
    Look,
    /// The sensors of temperature are read.
    Sensors,
    /// Another app comes to the front.
    Front,
    /// The kernel reports the work of graphics.
    GraphicsReport,
    /// The battery is polled.
    Battery,
    /// Clocks are compared.
    Snapshot,
    /// Buffers are written.
    Flush,
    /// Tasks are frozen; the phone sleeps as soon as they are.
    Suspend { length: i64 },
    /// The phone wakes.
    Resume,
    /// A CPU goes offline.
    Offline { cpu: usize, length: i64 },
    /// A CPU comes back.
    Online { cpu: usize },
}

/// Activity of a CPU, interrupts aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Activity {
    Offline,
    Idle {
        state: u8,
    },
    /// Coming out of deep idle; draws active power, the kernel does not know yet.
    Waking {
        until: i64,
    },
    /// The idle task is on, and executes.
    Swapper {
        until: i64,
        after_idle: bool,
    },
    Task(usize),
}

#[derive(Clone, Debug)]
struct Cpu {
    cluster: usize,
    activity: Activity,
    generation: u64,
    /// Who waits for this CPU.
    ready: VecDeque<usize>,
    /// Woken while this CPU could not write events.
    unwritten_wakings: Vec<usize>,
    /// Interrupt handlers, the innermost last.
    frames: Vec<Frame>,
    /// Devices that interrupted while the CPU was coming up or a hard handler ran.
    waiting_interrupts: VecDeque<usize>,
    /// Soft interrupts raised and not yet run.
    raised: VecDeque<usize>,
    slice_end: i64,
    /// It is on its way offline, or there: nobody is put on it.
    goes_down: bool,
    has_done_its_part: bool,
    /// Busy time since the governor looked.
    busy: i64,
    /// The part of the time that it was busy, of which half is forgotten after some time.
    utilisation: f64,
    core: CompensatedSum,
    comm: Comm,
}

#[derive(Clone, Debug)]
struct Cluster {
    cpus: std::ops::Range<usize>,
    /// Index into the curve.
    level: usize,
    settled: i64,
    governed: i64,
    shared: CompensatedSum,
}

/// Events to come, the earliest first; those of one instant in the order in which they were planned.
#[derive(Clone, Debug, Default)]
struct Agenda {
    queue: BinaryHeap<Reverse<(i64, u64, Event)>>,
    sequence: u64,
}

/// Suspension of the phone.
#[derive(Clone, Debug, Default)]
struct Suspension {
    /// Tasks are frozen; the phone sleeps as soon as they are.
    is_frozen: bool,
    /// Set while the phone sleeps.
    since: Option<i64>,
    /// Time asleep so far, in nanoseconds.
    total: i64,
    /// Tasks whose sleep ended while nothing could run.
    missed_timers: Vec<usize>,
}

/// The phone while it runs.
pub(crate) struct Machine<'a, W> {
    spec: &'a PhoneSpec,
    stage: &'a Stage,
    curves: &'a TrueCurves,
    now: i64,
    start: i64,
    end: i64,
    agenda: Agenda,
    cpus: Vec<Cpu>,
    clusters: Vec<Cluster>,
    tasks: Vec<Task>,
    pub meter: Meter,
    pub recorder: Recorder<W>,
    rails: Vec<RailMeter>,
    gauge: BatteryGauge,
    random: SplitMix64,
    noise: SplitMix64,
    suspension: Suspension,
    traffic: Traffic,
    kernel: KernelTime,
    nature: Nature,
}

impl<'a, W: Write> Machine<'a, W> {
    pub fn new(specimen: Specimen<'a>, stage: &'a Stage, seed: u64, out: W) -> Self {
        let Specimen { spec, curves, .. } = specimen;
        let span = stage.span;
        let mut cpus = Vec::new();
        let mut clusters = Vec::new();
        for (index, cluster) in spec.clusters.iter().enumerate() {
            let first = cpus.len();
            for number in 0..cluster.cores {
                let comm = Comm {
                    tid: 0,
                    tgid: 0,
                    name: format!("swapper/{}", first as u32 + number),
                    priority: 120,
                };
                cpus.push(Cpu::new(index, span.start, comm));
            }
            clusters.push(Cluster {
                cpus: first..cpus.len(),
                level: 0,
                settled: span.start,
                governed: span.start,
                shared: CompensatedSum::default(),
            });
        }
        let random = SplitMix64::new(seed);
        let recorder = Recorder::new(out, cpus.len(), spec.recorder.compact_sched)
            .with_scheduling(stage.sources.scheduling);
        let tasks = task::tasks(stage, spec);
        let mut machine = Self {
            meter: Meter::new(tasks.len(), cpus.len(), stage.interrupts.len()),
            spec,
            stage,
            curves,
            now: span.start,
            start: span.start,
            end: span.end,
            agenda: Agenda::default(),
            cpus,
            clusters,
            tasks,
            recorder,
            rails: spec.rails.iter().map(RailMeter::new).collect(),
            gauge: BatteryGauge::new(span.start),
            noise: random.fork(1),
            traffic: Traffic::new(stage, random.fork(5)),
            kernel: KernelTime::new(spec),
            random,
            suspension: Suspension::default(),
            nature: Nature::new(specimen, stage.processes.len(), span.start, seed),
        };
        for task in 0..machine.tasks.len() {
            machine.nature.know(task, machine.stage.threads[task].owner, "");
        }
        machine.open_calls();
        machine
    }

    /// Threads that were in calls when it began are in them still.
    fn open_calls(&mut self) {
        for (task, thread) in self.tasks.iter_mut().zip(&self.stage.threads) {
            for name in &thread.open {
                task.node = self.meter.open(task.node, *name);
                self.nature.know(task.node, thread.owner, self.stage.names.text(*name));
            }
        }
    }

    /// Runs until the end, or until so many bytes of trace are written.
    pub fn run(&mut self, most_bytes: u64) -> Result<(), SimError> {
        self.begin()?;
        while let Some(Reverse((time, _, event))) = self.agenda.queue.pop() {
            if time > self.end {
                break;
            }
            if self.recorder.written() >= most_bytes {
                self.end = self.now;
                break;
            }
            self.now = time;
            self.handle(event)?;
        }
        self.now = self.end;
        self.finish()
    }

    fn handle(&mut self, event: Event) -> Result<(), SimError> {
        match event {
            Event::Cpu { cpu, generation } => {
                if self.cpus[cpu].generation == generation {
                    self.settle(self.cpus[cpu].cluster);
                    self.step(cpu);
                }
            }
            Event::Timer { task, generation } => self.timer(task, generation),
            Event::Create { task } => self.create(task),
            Event::Announce { task } => self.announce(task)?,
            Event::Piece { flow } => self.piece(flow)?,
            Event::Interrupt { source } => self.interrupt(source),
            Event::Governor { cluster } => self.govern(cluster),
            Event::Rail { rail } => self.sample_rail(rail)?,
            Event::RailReading { rail } => self.read_rail(rail),
            Event::Look => self.look(),
            Event::Sensors => self.read_sensors(),
            Event::Front => self.change_front(),
            Event::GraphicsReport => self.report_graphics(),
            Event::Battery => self.poll_battery()?,
            Event::Snapshot => self.snapshot()?,
            Event::Flush => {
                self.recorder.flush_bundles()?;
                self.disturb();
                let period = self.spec.recorder.bundle_period.value().max(1000);
                self.at(self.now + period, Event::Flush);
            }
            Event::Suspend { length } => self.suspend(length),
            Event::Resume => self.resume(),
            Event::Offline { cpu, length } => self.offline(cpu, length),
            Event::Online { cpu } => self.online(cpu),
        }
        Ok(())
    }

    fn at(&mut self, time: i64, event: Event) {
        self.agenda.sequence += 1;
        let time = time.max(self.now);
        self.agenda.queue.push(Reverse((time, self.agenda.sequence, event)));
    }

    /// The instant as the trace writes it.
    const fn stamp(&self) -> u64 {
        self.now as u64
    }

    /// By cluster: its cores' energies and its static energy.
    pub fn hardware(&self) -> impl Iterator<Item = (Vec<f64>, f64)> + '_ {
        self.clusters.iter().map(|cluster| {
            let cores = cluster.cpus.clone().map(|cpu| self.cpus[cpu].core.value()).collect();
            (cores, cluster.shared.value())
        })
    }

    /// Returns the readings of the rails.
    pub fn rails(&self) -> &[RailMeter] {
        &self.rails
    }

    /// Returns the energy that the battery gave, in joules.
    pub fn battery_joules(&self) -> Option<f64> {
        self.spec.battery.as_ref().map(|_| self.gauge.joules())
    }

    /// Begin and end of the trace.
    pub const fn span(&self) -> Span {
        Span { start: self.start, end: self.end }
    }
}

impl Cpu {
    fn new(cluster: usize, start: i64, comm: Comm) -> Self {
        Self {
            cluster,
            // The recorder has just woken every CPU to switch tracing on.
            activity: Activity::Swapper { until: start + 3000, after_idle: false },
            generation: 0,
            ready: VecDeque::new(),
            unwritten_wakings: Vec::new(),
            frames: Vec::new(),
            waiting_interrupts: VecDeque::new(),
            raised: VecDeque::new(),
            slice_end: start,
            goes_down: false,
            has_done_its_part: false,
            busy: 0,
            utilisation: 0.0,
            core: CompensatedSum::default(),
            comm,
        }
    }

    const fn is_online(&self) -> bool {
        !matches!(self.activity, Activity::Offline)
    }

    /// Whether tasks may be put on it.
    const fn takes_tasks(&self) -> bool {
        self.is_online() && !self.goes_down
    }

    /// Whether it can execute, and with that write events.
    const fn is_awake(&self) -> bool {
        matches!(self.activity, Activity::Swapper { .. } | Activity::Task(_))
    }
}
