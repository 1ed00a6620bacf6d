//! Machines at random.

use wattle_units::{BootNanos, Nanos};

use super::code_maker::{CodeMaker, IdleSystem, Leaf};
use super::{Background, Behaviour, CodePath, IdleMachine, IdleProcess, IdleThread, TimerBeat};
use crate::SplitMix64;

/// Parameters of random machines. The defaults are those of the test that scores how well regions are found; whoever
/// tunes a finder takes others, and other seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct IdlePopulation {
    /// Which system.
    pub system: IdleSystem,
    /// Length of a run.
    pub duration: Nanos,
    /// Number of processes: minimum and maximum.
    pub processes: (u64, u64),
    /// Number of threads of each process.
    pub threads: (u64, u64),
    /// Wake-ups each second of threads that do nothing wrong; evenly spread by their logarithm.
    pub background_rates: (f64, f64),
    /// The median time of those, in microseconds; the same.
    pub background_micros: (f64, f64),
    /// The standard deviation of those times' logarithm.
    pub background_deviation: (f64, f64),
    /// Periods of timers, in milliseconds.
    pub periods: Vec<f64>,
    /// Time on a core each period, as a part of it.
    pub timer_use: (f64, f64),
    /// Standard deviation of timers, as a part of the period.
    pub jitter: (f64, f64),
    /// Length of timers, in seconds.
    pub timer_seconds: (f64, f64),
    /// Length of a busy wait, in seconds.
    pub busy_seconds: (f64, f64),
    /// Length of a burst of the disk, in seconds.
    pub disk_seconds: (f64, f64),
    /// Length of a single event, in seconds.
    pub single_seconds: (f64, f64),
    /// Maximum share of stacks of something else, in percent.
    pub odd_percent: u64,
}

impl Default for IdlePopulation {
    fn default() -> Self {
        Self {
            system: IdleSystem::Linux,
            duration: Nanos::from_seconds(12.0),
            processes: (3, 5),
            threads: (2, 6),
            background_rates: (0.2, 20.0),
            background_micros: (30.0, 150.0),
            background_deviation: (0.4, 1.0),
            periods: vec![1.0, 2.0, 5.0, 5.0, 5.0, 10.0, 15.625],
            timer_use: (0.04, 0.2),
            jitter: (0.0, 0.08),
            timer_seconds: (0.7, 2.5),
            busy_seconds: (0.15, 1.5),
            disk_seconds: (0.4, 1.6),
            single_seconds: (0.05, 0.3),
            odd_percent: 12,
        }
    }
}

/// Behaviour that can be injected into a thread.
#[derive(Clone, Copy)]
enum Plant {
    Busy,
    Timer,
    WholeRun,
    Disk,
    Single,
}

/// In the proportion in which they are planted.
const PLANTS: [Plant; 6] =
    [Plant::Busy, Plant::Timer, Plant::Timer, Plant::WholeRun, Plant::Disk, Plant::Single];

impl IdlePopulation {
    /// The machine of a seed.
    pub fn machine(&self, seed: u64) -> IdleMachine {
        let mut random = SplitMix64::new(seed).fork(0x1D1E);
        let count = within(self.processes, &mut random);
        let mut numbers = 400;
        let mut processes = Vec::new();
        for index in 0..count {
            // The first one is of the system, and innocent; at most two threads of another are not.
            let guilty = if index == 0 { 0 } else { random.below(3) };
            processes.push(self.process(index, guilty, &mut numbers, &mut random));
        }
        let cores = 2 << random.below(3);
        let directory = match self.system {
            IdleSystem::Linux => "/var/lib/app/",
            _ => "\\Device\\HarddiskVolume3\\ProgramData\\App\\",
        };
        IdleMachine {
            cores,
            duration: self.duration,
            start: BootNanos::new(1_000_000_000_000 + random.below(1 << 40) as i64),
            processes,
            files: ["cache.db", "log.txt"].map(|it| format!("{directory}{it}")).to_vec(),
            timer_requests: Vec::new(),
            sampling: Some(Nanos::new(1_000_000)),
            seed,
        }
    }

    fn process(
        &self,
        index: u64,
        guilty: u64,
        numbers: &mut u32,
        random: &mut SplitMix64,
    ) -> IdleProcess {
        *numbers += 4 * (1 + random.below(20) as u32);
        let pid = *numbers;
        let ending = if self.system == IdleSystem::Linux { "" } else { ".exe" };
        let name = format!("{}{index}{ending}", if index == 0 { "service" } else { "app" });
        let mut code = CodeMaker::new(self.system, random.fork(index));
        let modules = code.modules(&name);
        let count = within(self.threads, random).max(guilty + 1);
        let threads = (0..count).map(|thread| {
            // The first thread of a process is its main thread, whose number on Linux is the process's.
            let tid = if thread == 0 && self.system == IdleSystem::Linux {
                pid
            } else {
                *numbers += 4 * (1 + random.below(5) as u32);
                *numbers
            };
            // The guilty ones are the last.
            let is_guilty = thread + guilty >= count;
            self.thread(tid, is_guilty, &mut code, random)
        });
        IdleProcess { pid, name, uid: 1000, modules, threads: threads.collect() }
    }

    fn thread(
        &self,
        tid: u32,
        is_guilty: bool,
        code: &mut CodeMaker,
        random: &mut SplitMix64,
    ) -> IdleThread {
        let (low, high) = self.background_rates;
        // A thread with a defect does little else: one that does much does not stand out from itself.
        let high = if is_guilty { high.min(4.0) } else { high };
        let background = Background {
            rate: logarithmic((low, high), random),
            median: micros(logarithmic(self.background_micros, random)),
            deviation: uniform(self.background_deviation, random),
        };
        let background_path = code.path("wait", Leaf::Wait, 0);
        let behaviours = if is_guilty { self.behaviours(code, random) } else { Vec::new() };
        IdleThread { tid, name: format!("worker-{tid}"), background, background_path, behaviours }
    }

    fn behaviours(
        &self,
        code: &mut CodeMaker,
        random: &mut SplitMix64,
    ) -> Vec<(Behaviour, CodePath)> {
        let plant = PLANTS[random.below(PLANTS.len() as u64) as usize];
        // Few stacks of something else, or none.
        let odd = if random.chance(0.5) { 0 } else { random.below(self.odd_percent + 1) as u8 };
        let (what, leaf) = match plant {
            Plant::Busy => ("spin", Leaf::Work),
            Plant::Timer | Plant::WholeRun => ("tick", Leaf::Sleep),
            Plant::Disk => ("load", Leaf::Disk),
            Plant::Single => ("rebuild", Leaf::Work),
        };
        let path = code.path(what, leaf, odd);
        if let Plant::WholeRun = plant {
            let periods: Vec<f64> = self.periods.iter().copied().filter(|it| *it >= 5.0).collect();
            let timer = self.timer(Nanos::ZERO, None, &periods, random);
            return vec![(timer, path)];
        }
        // One or two stretches of the same, each in its part of the run.
        let count = 1 + random.below(2);
        let part = self.duration.seconds() / count as f64;
        let mut first = None;
        let stretches = (0..count).map(|index| {
            let length = match plant {
                Plant::Busy => uniform(self.busy_seconds, random),
                Plant::Disk => uniform(self.disk_seconds, random),
                Plant::Single => uniform(self.single_seconds, random),
                Plant::Timer | Plant::WholeRun => uniform(self.timer_seconds, random),
            };
            // More than two fifths of the run, and it would be what the thread does, not what stands out.
            let length = length.min(0.4 * part);
            let latest = part - length - 0.2;
            let start = Nanos::from_seconds(part * index as f64 + uniform((0.1, latest), random));
            let length = Nanos::from_seconds(length);
            let made = *first.get_or_insert_with(|| self.plant(plant, random));
            (made.moved(start, length), path.clone())
        });
        stretches.collect()
    }

    fn plant(&self, plant: Plant, random: &mut SplitMix64) -> Behaviour {
        let (start, length) = (Nanos::ZERO, Nanos::ZERO);
        match plant {
            Plant::Busy => Behaviour::BusyWait {
                start,
                length,
                spin: micros(logarithmic((2000.0, 30_000.0), random)),
                nap: random.chance(0.5).then(|| micros(logarithmic((50.0, 500.0), random))),
            },
            Plant::Timer | Plant::WholeRun => {
                self.timer(start, Some(length), &self.periods, random)
            }
            Plant::Disk => Behaviour::DiskBurst {
                start,
                length,
                run: micros(logarithmic((50.0, 400.0), random)),
                service: micros(logarithmic((100.0, 1000.0), random)),
                is_write: random.chance(0.4),
                file: random.below(2) as u16,
            },
            Plant::Single => Behaviour::SingleEvent { start, run: length },
        }
    }

    fn timer(
        &self,
        start: Nanos,
        length: Option<Nanos>,
        periods: &[f64],
        random: &mut SplitMix64,
    ) -> Behaviour {
        let period =
            periods.get(random.below(periods.len() as u64) as usize).copied().unwrap_or(5.0);
        let beat = if random.chance(0.5) { TimerBeat::Absolute } else { TimerBeat::Sleep };
        let run = micros(1000.0 * period * uniform(self.timer_use, random));
        let jitter = uniform(self.jitter, random);
        Behaviour::Timer { start, length, period: micros(1000.0 * period), beat, jitter, run }
    }
}

impl Behaviour {
    /// The same at another time and for another length.
    const fn moved(mut self, to: Nanos, lasting: Nanos) -> Self {
        match &mut self {
            Self::BusyWait { start, length, .. } | Self::DiskBurst { start, length, .. } => {
                *start = to;
                *length = lasting;
            }
            Self::Timer { start, length, .. } => {
                *start = to;
                *length = Some(lasting);
            }
            Self::Flush { start, .. } => *start = to,
            Self::SingleEvent { start, run } => {
                *start = to;
                *run = lasting;
            }
        }
        self
    }
}

fn within((low, high): (u64, u64), random: &mut SplitMix64) -> u64 {
    low + random.below(high.saturating_sub(low) + 1)
}

fn uniform((low, high): (f64, f64), random: &mut SplitMix64) -> f64 {
    random.between(low, high)
}

fn logarithmic((low, high): (f64, f64), random: &mut SplitMix64) -> f64 {
    random.between(low.ln(), high.ln()).exp()
}

fn micros(value: f64) -> Nanos {
    Nanos::from_seconds(value * 1e-6)
}
