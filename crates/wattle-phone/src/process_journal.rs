//! The journal of a phone: every process with the activity of its threads, in boot time.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use wattle_sim::replay::{
    ReplayAction, ReplayEvent, ReplayProcess, ReplayThread, system_processes,
};
use wattle_units::BootNanos;

use crate::kernel_counters::{Counters, Tally};
use crate::phone_clock::PhoneClock;

/// Most actions of one thread that are kept. The oldest are those that count.
const MOST_ACTIONS: usize = 2_000_000;

/// The history of all processes since boot.
#[derive(Debug)]
pub(crate) struct Journal {
    state: Mutex<JournalState>,
}

#[derive(Debug, Default)]
struct JournalState {
    processes: Vec<ReplayProcess>,
    next: u32,
    unkept: u64,
    tally: Tally,
    /// Living processes of the host.
    hosts: BTreeSet<u32>,
}

/// A process that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Running {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) uid: u32,
    pub(crate) name: String,
    pub(crate) package: Option<String>,
    pub(crate) recorder: bool,
    /// It is one of the host's.
    pub(crate) is_host: bool,
    pub(crate) start: BootNanos,
    /// Number and name of each thread.
    pub(crate) threads: Vec<(u32, String)>,
}

impl Journal {
    pub(crate) fn new(clock: &PhoneClock) -> Self {
        let journal = Self { state: Mutex::default() };
        journal.reboot(clock);
        journal
    }

    fn state(&self) -> MutexGuard<'_, JournalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins anew, with the processes that every phone has.
    pub(crate) fn reboot(&self, clock: &PhoneClock) {
        let mut state = self.state();
        state.processes = system_processes();
        state.tally = Tally::default();
        state.hosts.clear();
        let boot = clock.boot().min(BootNanos::new(5_000_000_000));
        for process in &mut state.processes {
            process.start = process.start.max(boot);
        }
        // Above what the host has: the shell's processes are the host's and keep their numbers.
        state.next = state.next.max(first_number());
    }

    /// A process begins. Gives its number.
    pub(crate) fn begin(&self, at: BootNanos, uid: u32, name: &str, package: Option<&str>) -> u32 {
        let mut state = self.state();
        let pid = state.next;
        state.next += 1;
        let mut process = ReplayProcess::new(pid, uid, name)
            .living(at, None)
            .with_thread(ReplayThread::new(pid, comm(name)));
        process.package = package.map(str::to_owned);
        process.parent = if package.is_some() { 561 } else { 1 };
        state.processes.push(process);
        pid
    }

    /// A process of the host begins, as part of the phone's shell.
    pub(crate) fn adopt(&self, at: BootNanos, pid: u32, parent: u32, name: &str) {
        let mut state = self.state();
        // The host gives a number again once its process has ended.
        for old in state.processes.iter_mut().filter(|old| old.pid == pid && old.end.is_none()) {
            old.end = Some(at);
        }
        let mut process = ReplayProcess::new(pid, 2000, name)
            .living(at, None)
            .of_recorder()
            .with_thread(ReplayThread::new(pid, comm(name)));
        process.parent = parent;
        state.processes.push(process);
        state.hosts.insert(pid);
    }

    /// Marks a process as part of the recorder, or not.
    pub(crate) fn set_recorder(&self, pid: u32, recorder: bool) {
        with(&mut self.state(), pid, |process| process.recorder = recorder);
    }

    /// A process ends.
    pub(crate) fn end(&self, at: BootNanos, pid: u32) {
        let mut state = self.state();
        with(&mut state, pid, |process| process.end = Some(at));
        state.hosts.remove(&pid);
    }

    /// Everything ends.
    pub(crate) fn end_all(&self, at: BootNanos) {
        let mut state = self.state();
        for process in state.processes.iter_mut().filter(|process| process.end.is_none()) {
            process.end = Some(at);
        }
        state.hosts.clear();
    }

    /// A thread begins. Gives its number.
    pub(crate) fn begin_thread(&self, at: BootNanos, pid: u32, name: &str) -> u32 {
        let mut state = self.state();
        let tid = state.next;
        state.next += 1;
        with(&mut state, pid, |process| {
            let mut thread = ReplayThread::new(tid, name);
            thread.start = at;
            process.threads.push(thread);
        });
        tid
    }

    /// The name of a thread.
    pub(crate) fn thread_name(&self, pid: u32, tid: u32) -> Option<String> {
        let state = self.state();
        let process = state.processes.iter().rfind(|process| process.pid == pid)?;
        let thread = process.threads.iter().find(|thread| thread.tid == tid)?;
        Some(thread.name.clone())
    }

    /// A thread ends.
    pub(crate) fn end_thread(&self, at: BootNanos, pid: u32, tid: u32) {
        with(&mut self.state(), pid, |process| {
            if let Some(thread) = process.threads.iter_mut().find(|thread| thread.tid == tid) {
                thread.end = Some(at);
            }
        });
    }

    /// A thread did something.
    pub(crate) fn did(&self, pid: u32, tid: u32, at: BootNanos, event: ReplayEvent) {
        let mut state = self.state();
        let mut unkept = 0;
        let mut uid = 0;
        let kept = event.clone();
        with(&mut state, pid, |process| {
            uid = process.uid;
            if let Some(thread) = process.threads.iter_mut().find(|thread| thread.tid == tid) {
                if thread.actions.len() < MOST_ACTIONS {
                    thread.actions.push(ReplayAction { at, event });
                } else {
                    unkept = 1;
                }
            }
        });
        state.unkept += unkept;
        state.tally.add(uid, at, &kept);
    }

    /// The counters of the kernel.
    pub(crate) fn counters(&self, now: BootNanos) -> Counters {
        self.state().tally.now(now)
    }

    /// Actions that were too many to be kept.
    pub(crate) fn unkept(&self) -> u64 {
        self.state().unkept
    }

    /// Whether a process runs.
    pub(crate) fn is_running(&self, pid: u32) -> bool {
        let state = self.state();
        state.processes.iter().any(|process| process.pid == pid && process.end.is_none())
    }

    /// Takes over what a process did from where it ran. What it uses is counted when it has ended.
    pub(crate) fn replace(&self, process: ReplayProcess) {
        let mut guard = self.state();
        let state = &mut *guard;
        if process.end.is_some() {
            for action in process.threads.iter().flat_map(|thread| &thread.actions) {
                state.tally.add(process.uid, action.at, &action.event);
            }
        }
        let found = state.processes.iter_mut().rfind(|other| other.pid == process.pid);
        match found {
            Some(other) => *other = process,
            None => state.processes.push(process),
        }
    }

    /// Keeps numbers for threads that are counted elsewhere.
    pub(crate) fn reserve(&self, numbers: u32) {
        self.state().next += numbers;
    }

    /// Everything so far.
    pub(crate) fn processes(&self) -> Vec<ReplayProcess> {
        self.state().processes.clone()
    }

    /// The current activity.
    pub(crate) fn running(&self) -> Vec<Running> {
        let state = self.state();
        let alive = state.processes.iter().filter(|process| process.end.is_none());
        alive
            .map(|process| Running {
                pid: process.pid,
                parent: process.parent,
                uid: process.uid,
                name: process.name.clone(),
                package: process.package.clone(),
                recorder: process.recorder,
                is_host: state.hosts.contains(&process.pid),
                start: process.start,
                threads: process
                    .threads
                    .iter()
                    .filter(|thread| thread.end.is_none())
                    .map(|thread| (thread.tid, thread.name.clone()))
                    .collect(),
            })
            .collect()
    }
}

/// The living process of a number, else the last that had it.
fn with(state: &mut JournalState, pid: u32, change: impl FnOnce(&mut ReplayProcess)) {
    let found = state.processes.iter().rposition(|process| process.pid == pid);
    if let Some(process) = found.and_then(|index| state.processes.get_mut(index)) {
        change(process);
    }
}

/// The kernel's name of a process: the last 15 bytes of an app's name, the first 15 of a program's.
fn comm(name: &str) -> &str {
    const KEPT: usize = 15;
    let program = name.rsplit('/').next().unwrap_or(name);
    let program = program.split(' ').next().unwrap_or(program);
    if program.len() <= KEPT {
        return program;
    }
    let cut = if name.contains('.') { program.len() - KEPT } else { 0 };
    program.get(cut..cut + KEPT).unwrap_or(program)
}

fn first_number() -> u32 {
    let most = std::fs::read_to_string("/proc/sys/kernel/pid_max").ok();
    most.and_then(|most| most.trim().parse::<u32>().ok()).unwrap_or(32_768).saturating_add(1)
}
