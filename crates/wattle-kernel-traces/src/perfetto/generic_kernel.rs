//! Kernels without a tracer of Perfetto's own (`generic_kernel`): states of threads, clocks, processes.
//!
//! Each event says what one thread does from now on, not who takes whose CPU. So events are gathered and sorted by time, and a CPU
//! whose thread stops running is taken to idle until another one comes, as with Linux' `sched_switch`: the format is for kernels that
//! write the states of all threads. Of a thread that another one follows on its CPU the state is known only if it is told for the
//! same instant; it is taken to be preempted otherwise.

use rustc_hash::{FxHashMap, FxHashSet};
use wattle_timeline::{NameRank, ProcessFacts, Severity, TaskState};
use wattle_units::{BootNanos, Hertz};
use wattle_wire::Fields;

use super::Reader;
use super::generic_schedule::{TaskChange, TaskEvent};
use crate::perfetto_packets::Envelope;
use wattle_import::limits::MAX_INTERNED;

/// `GenericKernelTaskStateEvent` (`generic_task.proto`).
mod state {
    pub const CPU: u32 = 1;
    pub const COMM: u32 = 2;
    pub const TID: u32 = 3;
    pub const STATE: u32 = 4;
}

/// `GenericKernelProcessTree`.
mod tree {
    pub const PROCESSES: u32 = 1;
    pub const THREADS: u32 = 2;
    /// `GenericKernelProcessTree.Process`.
    pub const PID: u32 = 1;
    pub const PPID: u32 = 2;
    pub const CMDLINE: u32 = 3;
    /// `GenericKernelProcessTree.Thread`.
    pub const TID: u32 = 1;
    pub const OF_PID: u32 = 2;
    pub const COMM: u32 = 3;
    pub const IS_MAIN_THREAD: u32 = 4;
    pub const IS_IDLE: u32 = 5;
}

/// `GenericKernelTaskStateEvent.TaskStateEnum`, with the states of Linux that mean the same.
fn change(state: u64) -> Option<TaskChange> {
    Some(match state {
        1 => TaskChange::Created,
        2 => TaskChange::Leaves(TaskState(0)),
        3 => TaskChange::Runs,
        4 => TaskChange::Leaves(TaskState(1)),
        5 => TaskChange::Leaves(TaskState(2)),
        6 => TaskChange::Leaves(TaskState(4)),
        7 => TaskChange::Dead,
        8 => TaskChange::Destroyed,
        _ => return None,
    })
}

/// Numbers of threads and processes that fit into 31 bits are their own; the others get the numbers from here on.
const FIRST_OWN_NUMBER: u32 = 1 << 31;

/// What was read of a generic kernel.
#[derive(Debug, Default)]
pub(super) struct GenericKernel {
    /// In the order of the file.
    pub events: Vec<TaskEvent>,
    /// Numbers of idle threads.
    pub idle: FxHashSet<u32>,
    /// Numbers for those that do not fit.
    numbers: FxHashMap<i64, u32>,
}

impl GenericKernel {
    /// The number of a thread or a process in the timeline; `None` if there are too many that do not fit.
    fn number(&mut self, id: i64) -> Option<u32> {
        if let Ok(number) = u32::try_from(id)
            && number < FIRST_OWN_NUMBER
        {
            return Some(number);
        }
        let next = self.numbers.len() as u32;
        if next as usize >= MAX_INTERNED && !self.numbers.contains_key(&id) {
            return None;
        }
        Some(*self.numbers.entry(id).or_insert(FIRST_OWN_NUMBER + next))
    }
}

impl Reader<'_> {
    pub(super) fn generic_task_state(
        &mut self,
        envelope: &Envelope,
        time: BootNanos,
        bytes: &[u8],
    ) {
        let (mut cpu, mut comm, mut tid, mut state) = (0, &[][..], 0, 0);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                state::CPU => cpu = field.value.uint() as u32,
                state::COMM => comm = field.value.bytes(),
                state::TID => tid = field.value.int(),
                state::STATE => state = field.value.uint(),
                _ => {}
            }
        }
        let (Some(tid), Some(change)) = (self.generic_kernel.number(tid), change(state)) else {
            self.counts.note(
                Severity::Warning,
                "task-state-malformed",
                Some(envelope.offset),
                || "states of threads that are none of the format's: not used".to_owned(),
            );
            return;
        };
        self.builder.extend_to(time);
        let name = (!comm.is_empty()).then(|| self.builder.names.intern_bytes(comm));
        self.generic_kernel.events.push(TaskEvent { time, cpu, tid, name, change });
    }

    /// `GenericKernelTaskRenameEvent`.
    pub(super) fn generic_task_rename(&mut self, time: BootNanos, bytes: &[u8]) {
        let (mut tid, mut comm) = (0, &[][..]);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                1 => tid = field.value.int(),
                2 => comm = field.value.bytes(),
                _ => {}
            }
        }
        let Some(tid) = self.generic_kernel.number(tid) else { return };
        let name = self.builder.names.intern_bytes(comm);
        self.builder.tasks().thread_renamed(time, tid, name);
    }

    /// `GenericKernelCpuFrequencyEvent`.
    pub(super) fn generic_cpu_frequency(&mut self, time: BootNanos, bytes: &[u8]) {
        let (mut cpu, mut hertz) = (0, 0);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                1 => cpu = field.value.uint() as u32,
                2 => hertz = field.value.int(),
                _ => {}
            }
        }
        match u64::try_from(hertz) {
            Ok(hertz) => self.builder.cpus().frequency(cpu, time, Hertz::new(hertz)),
            Err(_) => self.counts.unread("generic_kernel_cpu_freq_event below zero"),
        }
    }

    /// `GenericGpuFrequencyEvent`.
    pub(super) fn generic_gpu_frequency(&mut self, time: BootNanos, bytes: &[u8]) {
        let (mut gpu, mut kilohertz) = (0, 0);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                1 => gpu = field.value.uint() as u32,
                2 => kilohertz = field.value.uint(),
                _ => {}
            }
        }
        let frequency = Hertz::from_kilohertz(kilohertz);
        self.builder.hardware().gpu_frequency(gpu, time, frequency);
    }

    pub(super) fn generic_process_tree(&mut self, time: BootNanos, bytes: &[u8]) {
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number == tree::PROCESSES {
                self.generic_process(time, field.value.bytes());
            }
        }
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number == tree::THREADS {
                self.generic_thread(time, field.value.bytes());
            }
        }
    }

    fn generic_process(&mut self, time: BootNanos, bytes: &[u8]) {
        let (mut pid, mut parent, mut command): (_, _, &[u8]) = (0, None, &[]);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                tree::PID => pid = field.value.int(),
                tree::PPID => parent = Some(field.value.int()),
                tree::CMDLINE => command = field.value.bytes(),
                _ => {}
            }
        }
        let Some(pid) = self.generic_kernel.number(pid) else { return };
        let parent = parent.and_then(|parent| self.generic_kernel.number(parent));
        // Up to the first space, says the format.
        let end = memchr::memchr(b' ', command).unwrap_or(command.len());
        let name = command.get(..end).filter(|name| !name.is_empty());
        let name = name.map(|name| self.builder.names.intern_bytes(name));
        self.builder.tasks().process(
            time,
            pid,
            ProcessFacts { parent, name, ..ProcessFacts::default() },
        );
    }

    fn generic_thread(&mut self, time: BootNanos, bytes: &[u8]) {
        let (mut tid, mut pid, mut comm): (_, _, &[u8]) = (0, 0, &[]);
        let (mut is_main, mut is_idle) = (false, false);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                tree::TID => tid = field.value.int(),
                tree::OF_PID => pid = field.value.int(),
                tree::COMM => comm = field.value.bytes(),
                tree::IS_MAIN_THREAD => is_main = field.value.bool(),
                tree::IS_IDLE => is_idle = field.value.bool(),
                _ => {}
            }
        }
        let kernel = &mut self.generic_kernel;
        let (Some(tid), Some(pid)) = (kernel.number(tid), kernel.number(pid)) else { return };
        if is_idle {
            // The timeline has one idle thread for all CPUs.
            if kernel.idle.len() < MAX_INTERNED {
                kernel.idle.insert(tid);
            }
            return;
        }
        if is_main != (tid == pid) {
            self.builder.tasks().processes_are_apart();
        }
        self.builder.tasks().thread_polled(time, tid, pid);
        if !comm.is_empty() {
            let name = self.builder.names.intern_bytes(comm);
            self.builder.tasks().thread_name(time, tid, name, NameRank::Proc);
        }
    }
}
