//! Timelines made by hand, and diagnoses of them.

pub mod invariants;

use wattle_diagnose::{DiagnoseOptions, Diagnosis, Input, Region, diagnose};
use wattle_ledger::{AttributionOptions, Ledger, attribute};
use wattle_power::{DeviceModel, PowerEstimate, PowerOptions, estimate};
use wattle_timeline::{
    CpuTimeline, IdleState, Pid, Process, ProcessId, SchedSlice, TaskState, Thread, ThreadId, Tid,
    Timeline, Window,
};
use wattle_units::{BootNanos, Hertz};

pub const MILLISECOND: i64 = 1_000_000;

/// From and to, in microseconds.
pub fn window(start: i64, end: i64) -> Window {
    Window::new(BootNanos::new(start * 1000), BootNanos::new(end * 1000))
}

/// A machine on which threads run as they are told.
#[derive(Default)]
pub struct Machine {
    pub timeline: Timeline,
    slices: Vec<(u32, Window, u16)>,
}

impl Machine {
    /// Looked at for so many milliseconds.
    pub fn new(milliseconds: i64) -> Self {
        let mut machine = Self::default();
        machine.timeline.window = window(0, milliseconds * 1000);
        machine.timeline.tasks.threads.push(Thread::default());
        machine
    }

    /// A process of that name.
    pub fn process(&mut self, pid: u32, name: &str) -> ProcessId {
        let name = Some(self.timeline.names.intern(name));
        self.timeline.tasks.processes.push(Process { pid: Pid(pid), name, ..Process::default() });
        ProcessId(self.timeline.tasks.processes.len() as u32 - 1)
    }

    /// A thread of that process.
    pub fn thread(&mut self, process: Option<ProcessId>, tid: u32, name: &str) -> ThreadId {
        let name = Some(self.timeline.names.intern(name));
        self.timeline.tasks.threads.push(Thread {
            tid: Tid(tid),
            name,
            process,
            ..Thread::default()
        });
        ThreadId(self.timeline.tasks.threads.len() as u32 - 1)
    }

    /// It runs for so long from an instant on, in microseconds, and sleeps then.
    pub fn run(&mut self, thread: ThreadId, start: i64, length: i64) {
        self.slices.push((thread.0, window(start, start + length), 1));
    }

    /// The same, but it only gives way.
    pub fn run_on(&mut self, thread: ThreadId, start: i64, length: i64) {
        self.slices.push((thread.0, window(start, start + length), 0));
    }

    /// Runs of one length that come back after one time, in microseconds.
    pub fn tick(&mut self, thread: ThreadId, (from, to): (i64, i64), period: i64, length: i64) {
        for index in 0..(to - from) / period {
            self.run(thread, from + index * period, length);
        }
    }

    /// The timeline: each thread has a core of its own, which is idle for the rest.
    pub fn finish(mut self) -> Timeline {
        let threads = self.timeline.tasks.threads.len() as u32;
        self.slices.sort_by_key(|(thread, window, _)| (*thread, window.start));
        for thread in 1..threads {
            let mut cpu = CpuTimeline::default();
            cpu.frequency.push(BootNanos::new(0), Hertz::from_kilohertz(1_000_000));
            cpu.idle.push(BootNanos::new(0), IdleState(0));
            for (_, window, state) in self.slices.iter().filter(|it| it.0 == thread) {
                cpu.idle.push(window.start, IdleState::ACTIVE);
                cpu.idle.push(window.end, IdleState(0));
                let thread = ThreadId(thread);
                let end_state = Some(TaskState(*state));
                cpu.sched.push(SchedSlice { window: *window, thread, end_state });
            }
            self.timeline.cpus.push(cpu);
        }
        self.timeline
    }
}

/// A device model of so many cores of 105 mW at work and 2 mW at idle.
pub fn power(timeline: &Timeline) -> PowerEstimate {
    let cores: Vec<String> = (0..timeline.cpus.len()).map(|cpu| cpu.to_string()).collect();
    let model = format!(
        "format = 'wattle-device-model/1'
         name = 'hand-made'
         version = 1
         [[policy]]
         id = 0
         cpus = [{}]
         curve = [[1000000, 5, 100, 2, 2]]",
        cores.join(", ")
    );
    let mut options = PowerOptions::default();
    options.device_models.push(DeviceModel::parse("hand.toml", &model).unwrap());
    estimate(timeline, &options).unwrap()
}

pub fn ledger(timeline: &Timeline, power: &PowerEstimate) -> Ledger {
    let mut options = AttributionOptions::default();
    options.stretches = wattle_ledger::StretchDetail::All;
    attribute(timeline, power, &options).unwrap()
}

/// Without energy.
pub fn look(timeline: &Timeline, options: &DiagnoseOptions) -> Diagnosis {
    let power = PowerEstimate::default();
    let ledger = ledger(timeline, &power);
    diagnose(Input { timeline, power: &power, ledger: &ledger }, options).unwrap()
}

/// With the energy of [`power`].
pub fn look_with_energy(timeline: &Timeline, options: &DiagnoseOptions) -> Diagnosis {
    let power = power(timeline);
    let ledger = ledger(timeline, &power);
    diagnose(Input { timeline, power: &power, ledger: &ledger }, options).unwrap()
}

/// Regions of one thread as (from, to) in microseconds, in order of time.
pub fn regions_of(diagnosis: &Diagnosis, tid: u32) -> Vec<(i64, i64)> {
    let mut found: Vec<_> = of(diagnosis, tid)
        .map(|region| (region.window.start.value() / 1000, region.window.end.value() / 1000))
        .collect();
    found.sort_unstable();
    found
}

/// Regions of one thread.
pub fn of(diagnosis: &Diagnosis, tid: u32) -> impl Iterator<Item = &Region> {
    let threads = &diagnosis.threads;
    diagnosis.regions.iter().filter(move |it| threads[it.thread as usize].tid == Tid(tid))
}
