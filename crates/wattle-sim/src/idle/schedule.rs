//! Who is on which core: first come, first served, with time slices, and with preference for those who slept.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use wattle_units::{BootNanos, Nanos};

use super::burst::Burst;
use super::idle_run::{DiskRequest, IdleRun, RunSample, RunSwitch, RunThread, RunWaking};
use super::planted::PlantedStretch;
use super::{CodeFrame, IdleMachine, IdleThread};
use crate::SplitMix64;

/// Time that a thread runs while others wait.
const SLICE: i64 = 4_000_000;
/// Who ran for so long gives way to one who slept.
const YIELDS_AFTER: i64 = 1_000_000;

/// Event of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A thread's sleep is over.
    Wake { thread: usize },
    /// A core that was meant for a thread takes it on.
    Dispatch { core: usize, thread: usize },
    /// A core's thread is done or its slice is over, if it is still that thread's turn.
    Check { core: usize, turn: u64 },
}

#[derive(Clone, Debug, Default)]
struct Core {
    running: Option<usize>,
    /// Counts who runs, so that checks of an earlier turn are known.
    turn: u64,
    since: i64,
    /// Up to when its thread's time is counted.
    counted: i64,
    /// Meant for a thread that has not come yet.
    is_reserved: bool,
}

struct Thread<'a> {
    spec: &'a IdleThread,
    bursts: Vec<Burst>,
    next: usize,
    remaining: i64,
    last_core: usize,
    stack: Option<u32>,
    cpu: i64,
    stretches: Vec<Stretch>,
}

/// State of an injected stretch so far.
#[derive(Clone, Debug, Default)]
struct Stretch {
    wakes: Vec<i64>,
    end: i64,
    cpu: i64,
    stacks: u64,
    odd: u64,
}

/// The machine while it runs.
struct Scheduler<'a> {
    machine: &'a IdleMachine,
    threads: Vec<Thread<'a>>,
    processes: Vec<u16>,
    cores: Vec<Core>,
    ready: VecDeque<usize>,
    events: BinaryHeap<Reverse<(i64, u64, Event)>>,
    sequence: u64,
    now: i64,
    random: SplitMix64,
    stacks: BTreeMap<Vec<CodeFrame>, u32>,
    switches: Vec<RunSwitch>,
    wakings: Vec<RunWaking>,
    samples: Vec<RunSample>,
    disk: Vec<DiskRequest>,
}

impl IdleMachine {
    /// Lets it run.
    pub fn run(&self) -> IdleRun {
        Scheduler::new(self).run()
    }
}

impl<'a> Scheduler<'a> {
    fn new(machine: &'a IdleMachine) -> Self {
        let random = SplitMix64::new(machine.seed);
        let duration = machine.duration.value();
        let mut threads = Vec::new();
        let mut processes = Vec::new();
        for (process, spec) in machine.processes.iter().enumerate() {
            for thread in &spec.threads {
                processes.push(process as u16);
                threads.push(Thread {
                    spec: thread,
                    bursts: thread.bursts(duration, &random),
                    next: 0,
                    remaining: 0,
                    last_core: threads.len() % machine.cores as usize,
                    stack: None,
                    cpu: 0,
                    stretches: vec![Stretch::default(); thread.behaviours.len()],
                });
            }
        }
        let mut scheduler = Self {
            machine,
            threads,
            processes,
            cores: vec![Core::default(); machine.cores as usize],
            ready: VecDeque::new(),
            events: BinaryHeap::new(),
            sequence: 0,
            now: 0,
            random: random.fork(1),
            stacks: BTreeMap::new(),
            switches: Vec::new(),
            wakings: Vec::new(),
            samples: Vec::new(),
            disk: Vec::new(),
        };
        for thread in 0..scheduler.threads.len() {
            scheduler.sleep(thread);
        }
        scheduler
    }

    fn run(mut self) -> IdleRun {
        let end = self.machine.duration.value();
        while let Some(Reverse((time, _, event))) = self.events.pop() {
            if time >= end {
                break;
            }
            self.now = time;
            match event {
                Event::Wake { thread } => self.wake(thread),
                Event::Dispatch { core, thread } => self.dispatch(core, thread),
                Event::Check { core, turn } if self.cores[core].turn == turn => self.check(core),
                Event::Check { .. } => {}
            }
        }
        self.now = end;
        for core in 0..self.cores.len() {
            self.count(core);
        }
        self.finish()
    }

    fn at(&mut self, time: i64, event: Event) {
        self.sequence += 1;
        self.events.push(Reverse((time, self.sequence, event)));
    }

    /// Until the thread's next burst is due.
    fn sleep(&mut self, thread: usize) {
        let it = &self.threads[thread];
        if let Some(burst) = it.bursts.get(it.next) {
            self.at(burst.wake.time(self.now), Event::Wake { thread });
        }
    }

    fn wake(&mut self, thread: usize) {
        let it = &mut self.threads[thread];
        let burst = it.bursts[it.next];
        it.remaining = burst.run;
        if let Some(stretch) = burst.stretch {
            it.stretches[usize::from(stretch)].wakes.push(self.now);
        }
        let last = it.last_core;
        self.wakings.push(RunWaking {
            time: self.time(),
            core: last as u32,
            waker: self.cores[last].running.map(|it| it as u32),
            thread: thread as u32,
        });
        let cores = 0..self.cores.len();
        let is_free = |core: &usize| {
            let core = &self.cores[*core];
            core.running.is_none() && !core.is_reserved
        };
        let gives_way = |core: &usize| {
            let core = &self.cores[*core];
            !core.is_reserved && self.now - core.since >= YIELDS_AFTER
        };
        let idle = Some(last).filter(is_free).or_else(|| cores.clone().find(is_free));
        let Some(core) = idle.or_else(|| cores.clone().find(gives_way)) else {
            self.ready.push_back(thread);
            for core in 0..self.cores.len() {
                self.plan(core);
            }
            return;
        };
        self.cores[core].is_reserved = true;
        // Out of an idle state, or by an interrupt from another core.
        let latency = self.random.between(3_000.0, 30_000.0) as i64;
        self.at(self.now + latency, Event::Dispatch { core, thread });
    }

    fn dispatch(&mut self, core: usize, thread: usize) {
        self.cores[core].is_reserved = false;
        self.count(core);
        if let Some(other) = self.cores[core].running {
            if self.threads[other].remaining <= 0 {
                self.done(core, Some(thread));
                return;
            }
            self.ready.push_front(other);
        }
        self.switch(core, Some(thread), false);
    }

    fn check(&mut self, core: usize) {
        self.count(core);
        let Some(thread) = self.cores[core].running else { return };
        if self.threads[thread].remaining <= 0 {
            let next = if self.cores[core].is_reserved { None } else { self.ready.pop_front() };
            self.done(core, next);
        } else if self.now - self.cores[core].since >= SLICE && !self.cores[core].is_reserved {
            if let Some(next) = self.ready.pop_front() {
                self.ready.push_back(thread);
                self.switch(core, Some(next), false);
            } else {
                self.plan(core);
            }
        } else {
            self.plan(core);
        }
    }

    /// The thread of a core has worked off its burst: it goes on with the next one if that is due, or else sleeps.
    fn done(&mut self, core: usize, next: Option<usize>) {
        let Some(thread) = self.cores[core].running else { return };
        let it = &mut self.threads[thread];
        let burst = it.bursts[it.next];
        it.next += 1;
        if let Some(asked) = burst.disk {
            self.disk.push(DiskRequest {
                begin: self.time(),
                end: self.time() + Nanos::new(asked.service),
                core: core as u32,
                thread: thread as u32,
                kind: asked.kind,
                bytes: asked.bytes,
                offset: asked.offset,
                file: asked.file,
            });
        }
        let it = &mut self.threads[thread];
        if let Some(following) =
            it.bursts.get(it.next).filter(|it| it.wake.time(self.now) <= self.now)
        {
            it.remaining = following.run;
            if let Some(stretch) = following.stretch {
                it.stretches[usize::from(stretch)].wakes.push(self.now);
            }
            if let Some(next) = next {
                self.ready.push_back(thread);
                self.switch(core, Some(next), false);
            } else {
                self.plan(core);
            }
            return;
        }
        let stack = self.stack(thread, burst);
        self.threads[thread].stack = Some(stack);
        self.switch(core, next, true);
        self.sleep(thread);
    }

    /// Looks at a core again when its thread will be done or must give way.
    fn plan(&mut self, core: usize) {
        let Core { running, turn, since, counted, .. } = self.cores[core];
        let Some(thread) = running else { return };
        let done = counted + self.threads[thread].remaining.max(0);
        let slice = (since + SLICE).max(self.now + 1);
        let time = if self.ready.is_empty() { done } else { done.min(slice) };
        self.at(time, Event::Check { core, turn });
    }

    fn switch(&mut self, core: usize, to: Option<usize>, sleeps: bool) {
        let from = self.cores[core].running;
        if let (Some(thread), false) = (from, sleeps) {
            let it = &self.threads[thread];
            let burst = it.bursts[it.next];
            let stack = self.stack(thread, burst);
            self.threads[thread].stack = Some(stack);
        }
        let stack_of = |thread: Option<usize>| thread.and_then(|it| self.threads[it].stack);
        self.switches.push(RunSwitch {
            time: self.time(),
            core: core as u32,
            from: from.map(|it| it as u32),
            sleeps,
            from_stack: stack_of(from),
            to: to.map(|it| it as u32),
            to_stack: stack_of(to),
        });
        let it = &mut self.cores[core];
        it.running = to;
        it.turn += 1;
        it.since = self.now;
        it.counted = self.now;
        if let Some(thread) = to {
            self.threads[thread].last_core = core;
            self.plan(core);
        }
    }

    /// Counts what a core's thread ran since it was last counted, and samples it.
    fn count(&mut self, core: usize) {
        let Core { running, counted, .. } = self.cores[core];
        self.cores[core].counted = self.now;
        let Some(thread) = running else { return };
        let ran = self.now - counted;
        let it = &mut self.threads[thread];
        let burst = it.bursts[it.next];
        it.remaining -= ran;
        it.cpu += ran;
        if let Some(stretch) = burst.stretch {
            let stretch = &mut it.stretches[usize::from(stretch)];
            stretch.cpu += ran;
            stretch.end = self.now;
        }
        let Some(every) = self.machine.sampling.map(Nanos::value) else { return };
        // The cores' timers do not fire together.
        let phase = 37_000 * core as i64;
        let first = (counted - phase).div_euclid(every) + 1;
        for index in first.. {
            let time = index * every + phase;
            if time >= self.now {
                break;
            }
            let stack = self.stack(thread, burst);
            let time = self.machine.start + Nanos::new(time);
            self.samples.push(RunSample { time, core: core as u32, thread: thread as u32, stack });
        }
    }

    fn stack(&mut self, thread: usize, burst: Burst) -> u32 {
        let it = &mut self.threads[thread];
        let (frames, is_odd) = it.spec.path(burst.path).stack(&mut self.random);
        if let Some(stretch) = burst.stretch {
            let stretch = &mut it.stretches[usize::from(stretch)];
            stretch.stacks += 1;
            stretch.odd += u64::from(is_odd);
        }
        let next = self.stacks.len() as u32;
        *self.stacks.entry(frames).or_insert(next)
    }

    fn time(&self) -> BootNanos {
        self.machine.start + Nanos::new(self.now)
    }

    fn finish(mut self) -> IdleRun {
        let planted = self.planted();
        let mut stacks = vec![Vec::new(); self.stacks.len()];
        for (frames, index) in std::mem::take(&mut self.stacks) {
            stacks[index as usize] = frames;
        }
        self.samples.sort_by_key(|sample| sample.time);
        let threads = self.threads.iter().zip(&self.processes).map(|(it, process)| RunThread {
            process: *process,
            tid: it.spec.tid,
            name: it.spec.name.clone(),
            cpu: Nanos::new(it.cpu),
        });
        IdleRun {
            cores: self.machine.cores,
            start: self.machine.start,
            end: self.machine.start + self.machine.duration,
            processes: self.machine.processes.clone(),
            threads: threads.collect(),
            files: self.machine.files.clone(),
            switches: self.switches,
            wakings: self.wakings,
            timer_requests: self.machine.timer_requests.clone(),
            samples: self.samples,
            sampling: self.machine.sampling,
            disk: self.disk,
            stacks,
            planted,
        }
    }

    fn planted(&self) -> Vec<PlantedStretch> {
        let duration = self.machine.duration.value() as f64;
        let mut planted = Vec::new();
        for (thread, process) in self.threads.iter().zip(&self.processes) {
            let owner = &self.machine.processes[usize::from(*process)];
            let others = self.threads.iter().zip(&self.processes).filter(|(_, it)| *it == process);
            let of_process: i64 = others.map(|(it, _)| it.cpu).sum();
            let mean_of_process = of_process as f64 / duration / owner.threads.len() as f64;
            for ((behaviour, path), stretch) in thread.spec.behaviours.iter().zip(&thread.stretches)
            {
                let Some(first) = stretch.wakes.first().copied() else { continue };
                let cpu_use = stretch.cpu as f64 / (stretch.end - first).max(1) as f64;
                let modules = path.common.iter().map(|it| &owner.modules[usize::from(it.module)]);
                planted.push(PlantedStretch {
                    pid: owner.pid,
                    tid: thread.spec.tid,
                    kind: behaviour.kind(),
                    start: self.machine.start + Nanos::new(first),
                    end: self.machine.start + Nanos::new(stretch.end),
                    period: behaviour
                        .kind()
                        .has_beat()
                        .then(|| median_interval(&stretch.wakes))
                        .flatten(),
                    wakeups: stretch.wakes.len() as u64,
                    cpu_use,
                    over_thread: cpu_use / (thread.cpu as f64 / duration),
                    over_process: cpu_use / mean_of_process,
                    common: path.common.clone(),
                    modules: modules.map(|module| module.path.clone()).collect(),
                    odd_share: stretch.odd as f64 / stretch.stacks.max(1) as f64,
                });
            }
        }
        planted
    }
}

fn median_interval(wakes: &[i64]) -> Option<Nanos> {
    let mut intervals: Vec<i64> = wakes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    intervals.sort_unstable();
    intervals.get(intervals.len() / 2).map(|it| Nanos::new(*it))
}
