//! Processes, threads and packages while a recording is read.

use rustc_hash::FxHashSet;
use wattle_units::BootNanos;

use super::task_log::{NameRank, ProcessFacts, TaskEvent, TaskLog};
use crate::{NameId, Names, Package, Pid, Timeline, Uid};

/// Packages, and which of them and of the processes belong to the recording itself.
#[derive(Debug, Default)]
pub(crate) struct PackageLog {
    pub packages: Vec<Package>,
    known: FxHashSet<(NameId, Uid)>,
    recorders: Vec<Pid>,
    apps: Vec<NameId>,
}

impl PackageLog {
    pub fn finish(self, timeline: &mut Timeline) {
        timeline.tasks.packages = self.packages;
        timeline.tasks.recorders = self.recorders;
        timeline.tasks.apps = self.apps;
    }
}

/// Adds processes, threads and packages: see [`super::TimelineBuilder::tasks`].
#[derive(Debug)]
pub struct TaskBuilder<'a> {
    pub(super) names: &'a mut Names,
    pub(super) log: &'a mut TaskLog,
    pub(super) packages: &'a mut PackageLog,
}

/// Threads.
impl TaskBuilder<'_> {
    /// An event mentions the thread.
    #[inline]
    pub fn thread_seen(&mut self, time: BootNanos, tid: u32) {
        self.log.mention_thread(time.value(), tid);
    }

    /// The thread is one of the process.
    #[inline]
    pub fn thread_of(&mut self, time: BootNanos, tid: u32, pid: u32) {
        self.log.member(time.value(), tid, pid);
    }

    /// A poll found the thread in the process. Unlike [`Self::thread_of`], which programs repeat all the time,
    /// every call is recorded.
    pub fn thread_polled(&mut self, time: BootNanos, tid: u32, pid: u32) {
        self.log.log(time.value(), tid, TaskEvent::Member(pid));
    }

    /// The thread has this name.
    pub fn thread_name(&mut self, time: BootNanos, tid: u32, name: NameId, rank: NameRank) {
        if rank == NameRank::Kernel {
            self.log.named(time.value(), tid, name);
        } else {
            self.log.log(time.value(), tid, TaskEvent::Named(name, rank));
        }
    }

    /// The thread's name by the scheduler; the bytes are interned only if the name is new.
    #[inline]
    pub fn thread_comm(&mut self, time: BootNanos, tid: u32, comm: &[u8]) {
        if let Some(last) = self.log.last_name(tid)
            && self.names.get(last).as_bytes() == comm
        {
            self.log.mention_thread(time.value(), tid);
            return;
        }
        let name = self.names.intern_bytes(comm);
        self.log.named(time.value(), tid, name);
    }

    /// The thread renamed itself.
    pub fn thread_renamed(&mut self, time: BootNanos, tid: u32, name: NameId) {
        self.log.log(time.value(), tid, TaskEvent::Renamed(name));
    }

    /// `parent` made a thread of its own process.
    pub fn thread_new(&mut self, time: BootNanos, parent: u32, tid: u32, name: NameId) {
        self.log.log(time.value(), tid, TaskEvent::NewThread(parent));
        self.log.named(time.value(), tid, name);
    }

    /// A thread of the process began.
    pub fn thread_started(&mut self, time: BootNanos, tid: u32, pid: u32) {
        self.log.log(time.value(), tid, TaskEvent::NewThreadOf(pid));
    }

    /// The thread exited; its number stays taken until it is reaped.
    pub fn thread_exited(&mut self, time: BootNanos, tid: u32) {
        self.log.log(time.value(), tid, TaskEvent::Exited);
    }

    /// The thread was reaped; its number is free.
    pub fn thread_freed(&mut self, time: BootNanos, tid: u32) {
        self.log.log(time.value(), tid, TaskEvent::Freed);
    }
}

/// Processes and packages.
impl TaskBuilder<'_> {
    /// Processes have numbers that none of their threads has, and do not begin with a thread of their own number (Windows).
    pub fn processes_are_apart(&mut self) {
        self.log.processes_are_apart = true;
    }

    /// An event mentions the process.
    pub fn process_seen(&mut self, time: BootNanos, pid: u32) {
        self.log.process_seen(time.value(), pid);
    }

    /// Facts about a process from a poll or the recorder.
    pub fn process(&mut self, time: BootNanos, pid: u32, facts: ProcessFacts) {
        self.log.log(time.value(), pid, TaskEvent::Process(Box::new(facts)));
    }

    /// `parent` made a process.
    pub fn process_new(&mut self, time: BootNanos, parent: u32, pid: u32, name: NameId) {
        self.log.log(time.value(), pid, TaskEvent::NewProcess(parent));
        self.log.log(time.value(), pid, TaskEvent::Renamed(name));
    }

    /// A process began, which has no thread of its number.
    pub fn process_started(&mut self, time: BootNanos, pid: u32) {
        self.log.log(time.value(), pid, TaskEvent::ProcessStarted);
    }

    /// A process ended; its number stays taken until another one begins, because its last thread is mentioned once more when it leaves
    /// the CPU.
    pub fn process_ended(&mut self, time: BootNanos, pid: u32) {
        self.log.log(time.value(), pid, TaskEvent::ProcessEnded);
    }

    /// An installed package. Repeats are dropped.
    pub fn package(&mut self, package: Package) {
        if self.packages.known.insert((package.name, package.uid)) {
            self.packages.packages.push(package);
        }
    }

    /// A package that was profiled.
    pub fn app(&mut self, package: NameId) {
        if !self.packages.apps.contains(&package) {
            self.packages.apps.push(package);
        }
    }

    /// A process that belongs to the recorder.
    pub fn recorder(&mut self, pid: u32) {
        if !self.packages.recorders.contains(&Pid(pid)) {
            self.packages.recorders.push(Pid(pid));
        }
    }
}
