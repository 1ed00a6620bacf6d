//! How a timeline is made.
//!
//! Readers of any format push what they find, in the order in which they find it, under the kernel's own
//! numbers (pid, tid, cpu) and in boot time. Streams of one CPU are in order; nothing else is assumed.
//! [`TimelineBuilder::finish`] finds out who bore which number when, merges what belongs to
//! one thread, closes what is open and makes the columns.

mod code_log;
mod counters;
mod cpu;
mod devices;
mod disk_log;
mod hotplug;
mod inferred_schedule;
mod method_log;
mod packages;
mod run_facts;
mod runs;
mod samples;
mod scope;
mod slices;
mod states;
mod suspend;
mod task_lives;
mod task_log;

use rustc_hash::FxHashSet;
use wattle_units::{BootNanos, Hertz};

pub use code_log::ProbedName;
pub use counters::CounterKey;
pub use devices::RailKey;
pub use method_log::{MethodCalls, MethodThread};
pub use scope::RawScope;
pub use slices::{Overlap, SliceTrackKey};
pub use suspend::SuspendStep;
pub use task_log::{NameRank, ProcessFacts};

use crate::{
    ArtifactQuality, CpuId, DeviceFacts, IdleState, InterruptKind, NameId, Names, NetworkPacket,
    OperatingSystem, Package, SliceOrigin, TaskState, ThreadId, Timeline, Uid, Wakeups, Window,
};
use code_log::CodeLog;
use counters::CounterLog;
use cpu::CpuBuilder;
use devices::Devices;
use disk_log::DiskLog;
use method_log::MethodLog;
use run_facts::RunFacts;
use runs::RunLog;
use samples::SampleLog;
use scope::ScopeResolver;
use slices::SliceLog;
use states::States;
use suspend::Suspend;
use task_lives::TaskLives;
use task_log::{TaskEvent, TaskLog};

/// CPUs with higher numbers are not believed; the largest systems that run Linux have fewer.
pub const MAX_CPUS: u32 = 4096;

/// Makes a [`Timeline`] out of what readers find. Several artifacts can be read into one builder.
#[derive(Debug)]
pub struct TimelineBuilder {
    /// All strings.
    pub names: Names,
    /// The device, filled in by readers.
    pub device: DeviceFacts,
    first: i64,
    last: i64,
    complete_from: i64,
    tasks: TaskLog,
    cpus: Vec<CpuBuilder>,
    wakeups: Wakeups,
    slices: SliceLog,
    methods: MethodLog,
    code: CodeLog,
    counters: CounterLog,
    suspend: Suspend,
    devices: Devices,
    states: States,
    packages: Vec<Package>,
    known_packages: FxHashSet<(NameId, Uid)>,
    packets: Vec<NetworkPacket>,
    samples: SampleLog,
    disk: DiskLog,
    runs: RunLog,
    artifacts: Vec<ArtifactQuality>,
    run: RunFacts,
    refused_cpus: u64,
}

impl Default for TimelineBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl TimelineBuilder {
    /// An empty one.
    pub fn new() -> Self {
        Self {
            names: Names::default(),
            device: DeviceFacts::default(),
            first: i64::MAX,
            last: i64::MIN,
            complete_from: i64::MIN,
            tasks: TaskLog::default(),
            cpus: Vec::new(),
            wakeups: Wakeups::default(),
            slices: SliceLog::default(),
            methods: MethodLog::default(),
            code: CodeLog::default(),
            counters: CounterLog::default(),
            suspend: Suspend::default(),
            devices: Devices::default(),
            states: States::default(),
            packages: Vec::new(),
            known_packages: FxHashSet::default(),
            packets: Vec::new(),
            samples: SampleLog::default(),
            disk: DiskLog::default(),
            runs: RunLog::default(),
            artifacts: Vec::new(),
            run: RunFacts::default(),
            refused_cpus: 0,
        }
    }

    /// Something happened at this time: the window of the timeline reaches at least to it.
    #[inline]
    pub fn extend_to(&mut self, time: BootNanos) {
        self.first = self.first.min(time.value());
        self.last = self.last.max(time.value());
    }

    /// The streams of all CPUs are complete only from this time on; what began on one of them before may
    /// have ended on another that was not recorded yet. Switches, wake-ups, interrupts and slices
    /// from before are left out and the window begins here; states and counters from before hold.
    pub fn complete_from(&mut self, time: BootNanos) {
        self.complete_from = self.complete_from.max(time.value());
    }

    /// Adds what reading one artifact gave.
    pub fn artifact(&mut self, quality: ArtifactQuality) {
        self.artifacts.push(quality);
    }

    /// How many events named a CPU that is not believed to exist (see [`MAX_CPUS`]).
    pub fn refused_cpus(&self) -> u64 {
        self.refused_cpus
    }

    #[inline]
    fn cpu(&mut self, cpu: u32) -> Option<&mut CpuBuilder> {
        if cpu >= MAX_CPUS {
            self.refused_cpus += 1;
            return None;
        }
        let index = cpu as usize;
        if index >= self.cpus.len() {
            self.cpus.resize_with(index + 1, CpuBuilder::default);
        }
        self.cpus.get_mut(index)
    }
}

/// Tasks.
impl TimelineBuilder {
    /// An event mentions the thread.
    #[inline]
    pub fn thread_seen(&mut self, time: BootNanos, tid: u32) {
        self.tasks.seen(time.value(), tid);
    }

    /// An event mentions the process.
    pub fn process_seen(&mut self, time: BootNanos, pid: u32) {
        self.tasks.process_seen(time.value(), pid);
    }

    /// The thread is one of the process.
    #[inline]
    pub fn thread_of(&mut self, time: BootNanos, tid: u32, pid: u32) {
        self.tasks.member(time.value(), tid, pid);
    }

    /// A poll found the thread in the process. Unlike [`Self::thread_of`], which programs say all the time,
    /// each such word counts.
    pub fn thread_polled(&mut self, time: BootNanos, tid: u32, pid: u32) {
        self.tasks.log(time.value(), tid, TaskEvent::Member(pid));
    }

    /// The thread has this name.
    pub fn thread_name(&mut self, time: BootNanos, tid: u32, name: NameId, rank: NameRank) {
        if rank == NameRank::Kernel {
            self.tasks.named(time.value(), tid, name);
        } else {
            self.tasks.log(time.value(), tid, TaskEvent::Named(name, rank));
        }
    }

    /// The scheduler calls the thread this; the bytes are interned only if they are news.
    #[inline]
    pub fn thread_comm(&mut self, time: BootNanos, tid: u32, comm: &[u8]) {
        if let Some(last) = self.tasks.last_name(tid)
            && self.names.get(last).as_bytes() == comm
        {
            self.tasks.seen(time.value(), tid);
            return;
        }
        let name = self.names.intern_bytes(comm);
        self.tasks.named(time.value(), tid, name);
    }

    /// The thread renamed itself.
    pub fn thread_renamed(&mut self, time: BootNanos, tid: u32, name: NameId) {
        self.tasks.log(time.value(), tid, TaskEvent::Renamed(name));
    }

    /// `parent` made a thread of its own process.
    pub fn thread_new(&mut self, time: BootNanos, parent: u32, tid: u32, name: NameId) {
        self.tasks.log(time.value(), tid, TaskEvent::NewThread(parent));
        self.tasks.named(time.value(), tid, name);
    }

    /// `parent` made a process.
    pub fn process_new(&mut self, time: BootNanos, parent: u32, pid: u32, name: NameId) {
        self.tasks.log(time.value(), pid, TaskEvent::NewProcess(parent));
        self.tasks.log(time.value(), pid, TaskEvent::Renamed(name));
    }

    /// Processes have numbers that none of their threads has, and do not begin with a thread of their own number (Windows).
    pub fn processes_are_apart(&mut self) {
        self.tasks.processes_are_apart = true;
    }

    /// A process began, which has no thread of its number.
    pub fn process_started(&mut self, time: BootNanos, pid: u32) {
        self.tasks.log(time.value(), pid, TaskEvent::ProcessStarted);
    }

    /// A process ended; its number stays taken until another one begins, because its last thread is mentioned once more when it leaves
    /// the CPU.
    pub fn process_ended(&mut self, time: BootNanos, pid: u32) {
        self.tasks.log(time.value(), pid, TaskEvent::ProcessEnded);
    }

    /// A thread of the process began.
    pub fn thread_started(&mut self, time: BootNanos, tid: u32, pid: u32) {
        self.tasks.log(time.value(), tid, TaskEvent::NewThreadOf(pid));
    }

    /// The thread exited; its number stays taken until it is reaped.
    pub fn thread_exited(&mut self, time: BootNanos, tid: u32) {
        self.tasks.log(time.value(), tid, TaskEvent::Exited);
    }

    /// The thread was reaped; its number is free.
    pub fn thread_freed(&mut self, time: BootNanos, tid: u32) {
        self.tasks.log(time.value(), tid, TaskEvent::Freed);
    }

    /// What a poll or the recorder says of a process.
    pub fn process(&mut self, time: BootNanos, pid: u32, facts: ProcessFacts) {
        self.tasks.log(time.value(), pid, TaskEvent::Process(Box::new(facts)));
    }

    /// An installed package. Repeats are dropped.
    pub fn package(&mut self, package: Package) {
        if self.known_packages.insert((package.name, package.uid)) {
            self.packages.push(package);
        }
    }
}

/// Scheduling and CPU states.
impl TimelineBuilder {
    /// A switch whose record names both threads. False if the thread that left was not the one that
    /// had come: events were lost.
    pub fn switch(
        &mut self,
        cpu: u32,
        time: BootNanos,
        prev: u32,
        prev_state: TaskState,
        next: u32,
    ) -> bool {
        self.extend_to(time);
        self.tasks.seen(time.value(), prev);
        self.tasks.seen(time.value(), next);
        self.cpu(cpu).is_none_or(|cpu| cpu.switch(time.value(), prev, prev_state, next))
    }

    /// A switch whose record names the next thread only.
    #[inline]
    pub fn switch_to(&mut self, cpu: u32, time: BootNanos, prev_state: TaskState, next: u32) {
        self.extend_to(time);
        self.tasks.seen(time.value(), next);
        if let Some(cpu) = self.cpu(cpu) {
            cpu.switch_to(time.value(), prev_state, next);
        }
    }

    /// A thread comes to the CPU, by a recorder that follows some threads only: who was there before is not known.
    pub fn thread_comes(&mut self, cpu: u32, time: BootNanos, tid: u32) {
        self.extend_to(time);
        self.tasks.seen(time.value(), tid);
        if let Some(cpu) = self.cpu(cpu) {
            cpu.comes(time.value(), tid);
        }
    }

    /// A thread leaves the CPU, by such a recorder: nobody is known to be there until one comes.
    pub fn thread_leaves(&mut self, cpu: u32, time: BootNanos, tid: u32, state: TaskState) {
        self.extend_to(time);
        self.tasks.seen(time.value(), tid);
        if let Some(cpu) = self.cpu(cpu) {
            cpu.leaves(time.value(), tid, state);
        }
    }

    /// Whether anything so far says who was on a CPU.
    pub fn has_scheduler(&self) -> bool {
        self.cpus.iter().any(|cpu| cpu.current().is_some())
    }

    /// Who is on the CPU, as far as the events so far say.
    pub fn current(&self, cpu: u32) -> Option<u32> {
        self.cpus.get(cpu as usize)?.current()
    }

    /// A thread was woken by something that ran on `cpu`.
    #[inline]
    pub fn wakeup(&mut self, cpu: u32, time: BootNanos, tid: u32, target: u32) {
        self.extend_to(time);
        self.tasks.seen(time.value(), tid);
        self.wakeups.time.push(time);
        self.wakeups.cpu.push(CpuId(cpu));
        self.wakeups.thread.push(ThreadId(tid));
        self.wakeups.target.push(CpuId(target));
    }

    /// An event came from this CPU. Where its stream breaks, this is how far it was known.
    #[inline]
    pub fn cpu_seen(&mut self, cpu: u32, time: BootNanos) {
        self.extend_to(time);
        if let Some(cpu) = self.cpu(cpu) {
            cpu.touch(time.value());
        }
    }

    /// Events of this CPU were lost after its last one.
    pub fn cpu_lost_events(&mut self, cpu: u32) {
        if let Some(cpu) = self.cpu(cpu) {
            cpu.lose();
        }
    }

    /// The CPU runs at this frequency from now on.
    pub fn frequency(&mut self, cpu: u32, time: BootNanos, frequency: Hertz) {
        self.extend_to(time);
        if let Some(cpu) = self.cpu(cpu) {
            cpu.frequency(time.value(), frequency);
        }
    }

    /// The CPU was found at this frequency; when it was set is not known.
    pub fn polled_frequency(&mut self, cpu: u32, time: BootNanos, frequency: Hertz) {
        self.extend_to(time);
        if let Some(cpu) = self.cpu(cpu) {
            cpu.polled_frequency(time.value(), frequency);
        }
    }

    /// Limits on the CPU's frequency.
    pub fn frequency_limits(&mut self, cpu: u32, time: BootNanos, min: Hertz, max: Hertz) {
        self.extend_to(time);
        if let Some(cpu) = self.cpu(cpu) {
            cpu.limits(time.value(), min, max);
        }
    }

    /// The CPU enters an idle state, or leaves idling.
    #[inline]
    pub fn idle(&mut self, cpu: u32, time: BootNanos, state: IdleState) {
        self.extend_to(time);
        if let Some(cpu) = self.cpu(cpu) {
            cpu.idle(time.value(), state);
        }
    }

    /// A step of taking `cpu` up or down was done on `by`.
    pub fn hotplug_step(&mut self, cpu: u32, time: BootNanos, by: u32) {
        self.extend_to(time);
        if let Some(builder) = self.cpu(cpu) {
            builder.hotplug.step(time.value(), cpu != by);
        }
    }

    /// An interrupt handler begins.
    pub fn interrupt_begin(
        &mut self,
        cpu: u32,
        time: BootNanos,
        kind: InterruptKind,
        name: NameId,
    ) {
        self.extend_to(time);
        if let Some(cpu) = self.cpu(cpu) {
            cpu.interrupt_begin(time.value(), kind, name);
        }
    }

    /// The innermost interrupt handler of the kind ends.
    pub fn interrupt_end(&mut self, cpu: u32, time: BootNanos, kind: InterruptKind) {
        self.extend_to(time);
        if let Some(cpu) = self.cpu(cpu) {
            cpu.interrupt_end(time.value(), kind);
        }
    }

    /// A step of suspending or resuming the device.
    pub fn suspend_step(&mut self, time: BootNanos, step: SuspendStep, is_start: bool) {
        self.extend_to(time);
        self.suspend.step(time.value(), step, is_start);
    }
}

/// Slices, counters, packets.
impl TimelineBuilder {
    /// A section of the thread begins.
    #[inline]
    pub fn slice_begin(&mut self, time: BootNanos, tid: u32, name: NameId) {
        self.extend_to(time);
        self.tasks.seen(time.value(), tid);
        self.slices.begin(time.value(), tid, name);
    }

    /// The innermost section of the thread ends.
    #[inline]
    pub fn slice_end(&mut self, time: BootNanos, tid: u32) {
        self.extend_to(time);
        self.tasks.seen(time.value(), tid);
        self.slices.end(time.value(), tid);
    }

    /// Probes say that the thread begins something.
    pub fn probe_begin(
        &mut self,
        time: BootNanos,
        tid: u32,
        name: ProbedName,
        origin: SliceOrigin,
    ) {
        self.extend_to(time);
        self.tasks.seen(time.value(), tid);
        self.slices.probe_begin(time.value(), tid, name, origin);
    }

    /// The innermost slice of the thread that probes began ends.
    pub fn probe_end(&mut self, time: BootNanos, tid: u32) {
        self.probe_end_with(time, tid, 0);
    }

    /// The same, with how many bytes the call moved: 0 where none or not known, at most 2²⁹ − 1 are kept.
    pub fn probe_end_with(&mut self, time: BootNanos, tid: u32, bytes: u32) {
        self.extend_to(time);
        self.tasks.seen(time.value(), tid);
        self.slices.probe_end(time.value(), tid, bytes);
    }

    /// Something that took no time, inside the thread's open sections.
    pub fn slice_instant(&mut self, time: BootNanos, tid: u32, name: NameId) {
        self.extend_to(time);
        self.tasks.seen(time.value(), tid);
        self.slices.instant(time.value(), tid, name);
    }

    /// The row for asynchronous slices with this owner, name and identity (0 where the name is
    /// identity enough).
    pub fn slice_track(
        &mut self,
        scope: RawScope,
        name: Option<NameId>,
        overlap: Overlap,
        id: u64,
    ) -> SliceTrackKey {
        self.slices.track(scope, name, overlap, id)
    }

    /// An asynchronous slice begins.
    pub fn track_begin(&mut self, time: BootNanos, key: SliceTrackKey, cookie: i64, name: NameId) {
        self.extend_to(time);
        self.slices.track_begin(time.value(), key, cookie, name);
    }

    /// An asynchronous slice ends.
    pub fn track_end(&mut self, time: BootNanos, key: SliceTrackKey, cookie: i64) {
        self.extend_to(time);
        self.slices.track_end(time.value(), key, cookie);
    }

    /// Something that took no time.
    pub fn track_instant(&mut self, time: BootNanos, key: SliceTrackKey, name: NameId) {
        self.extend_to(time);
        self.slices.track_instant(time.value(), key, name);
    }

    /// The counter with this owner and name.
    pub fn counter_track(&mut self, scope: RawScope, name: NameId) -> CounterKey {
        self.counters.track(scope, name)
    }

    /// A counter has this value from now on.
    #[inline]
    pub fn counter(&mut self, key: CounterKey, time: BootNanos, value: f64) {
        self.extend_to(time);
        self.counters.push(key, time.value(), value);
    }

    /// A network packet, or a bundle of equal ones.
    pub fn packet(&mut self, packet: NetworkPacket) {
        self.extend_to(packet.time);
        self.packets.push(packet);
    }
}

impl TimelineBuilder {
    /// The timeline.
    pub fn finish(mut self) -> Timeline {
        let from = BootNanos::new(self.complete_from);
        let window = if self.first <= self.last {
            let first = self.first.max(self.complete_from).min(self.last);
            Window::new(BootNanos::new(first), BootNanos::new(self.last))
        } else {
            Window::default()
        };
        let is_windows = self.device.system == Some(OperatingSystem::Windows);
        let swapper = self.names.intern(if is_windows { "Idle" } else { "swapper" });
        let are_apart = self.tasks.processes_are_apart;
        let mut lives = TaskLives::replay(self.tasks.into_entries(), swapper, are_apart);
        packages::resolve(&mut lives.processes, &self.packages, &self.names);
        let threads = lives.thread_table();
        let scopes = ScopeResolver { lives: &lives, threads: &threads };

        let mut timeline = Timeline { window, ..Timeline::default() };
        for (time, thread) in self.wakeups.time.iter().zip(&mut self.wakeups.thread) {
            *thread = threads.thread(thread.0, time.value());
        }
        timeline.wakeups = self.wakeups;
        timeline.wakeups.retain_from(from);
        self.runs.finish(&mut self.cpus);
        let cpus = self.cpus.into_iter();
        timeline.cpus = cpus.map(|cpu| cpu.finish(window, from, &threads)).collect();
        timeline.slices = self.slices.finish(from, &scopes);
        let mut made = Vec::new();
        let methods = self.methods.resolve(
            &threads,
            &lives.processes,
            &lives.threads,
            &self.names,
            &mut made,
        );
        methods.append_to(&mut timeline.slices);
        timeline.code = self.code.finish();
        timeline.counters = self.counters.finish(&scopes);
        timeline.samples = self.samples.finish(&threads);
        timeline.disk = self.disk.finish(&threads);
        timeline.suspended = self.suspend.finish();
        self.devices.finish(&mut timeline);
        self.states.finish(&mut timeline);
        self.run.finish(&mut timeline, &lives);
        self.packets.sort_by_key(|packet| packet.time);
        timeline.packets = self.packets;
        timeline.packages = self.packages;
        timeline.device = self.device;
        timeline.names = self.names;
        timeline.quality.artifacts = self.artifacts;
        timeline.processes = lives.processes;
        timeline.threads = lives.threads;
        timeline.threads.extend(made);
        inferred_schedule::infer(&mut timeline);
        timeline
    }
}
