//! Who a number was at which time: the replay of what was logged of tasks.
//!
//! The rules are those of Perfetto's `ProcessTracker`: a `clone` makes a thread of its creator's process
//! or a new process; a reaped number is free; a thread that says it belongs to another process than the
//! one known under its number is another thread; threads bound to each other before either's process
//! is known get it together.

use rustc_hash::FxHashMap;
use wattle_units::BootNanos;

use super::task_log::{NameRank, ProcessFacts, TaskEntry, TaskEvent};
use crate::{NameId, Pid, Process, ProcessId, Thread, ThreadId, Tid};

/// All processes and threads, and who bore which number when.
#[derive(Debug, Default)]
pub(crate) struct TaskLives {
    pub processes: Vec<Process>,
    pub threads: Vec<Thread>,
    by_tid: FxHashMap<u32, Vec<(i64, ThreadId)>>,
    by_pid: FxHashMap<u32, Vec<(i64, ProcessId)>>,
}

impl TaskLives {
    /// `swapper` is what the idle task is called; where processes are apart, no thread has its process's number.
    pub fn replay(entries: Vec<TaskEntry>, swapper: NameId, processes_are_apart: bool) -> Self {
        let mut replay = Replay::new(swapper);
        replay.processes_are_apart = processes_are_apart;
        for entry in entries {
            replay.apply(entry);
        }
        replay.finish()
    }

    /// The thread that bore the number at the instant, the next one if none did yet.
    pub fn thread(&self, tid: u32, time: i64) -> Option<ThreadId> {
        at(self.by_tid.get(&tid)?, time)
    }

    /// The process that bore the number at the instant, the next one if none did yet.
    pub fn process(&self, pid: u32, time: i64) -> Option<ProcessId> {
        at(self.by_pid.get(&pid)?, time)
    }

    /// A table for looking up many numbers fast.
    pub fn thread_table(&self) -> ThreadTable<'_> {
        let mut only = Vec::new();
        for (tid, lives) in &self.by_tid {
            let index = *tid as usize;
            if let [(_, thread)] = lives.as_slice()
                && index < DENSE
            {
                if only.len() <= index {
                    only.resize(index + 1, NONE);
                }
                only[index] = thread.0;
            }
        }
        ThreadTable { lives: self, only }
    }
}

fn at<T: Copy>(lives: &[(i64, T)], time: i64) -> Option<T> {
    let after = lives.partition_point(|(from, _)| *from <= time);
    lives.get(after.saturating_sub(1)).map(|(_, id)| *id)
}

const DENSE: usize = 1 << 18;

/// Threads that are looked through under one number. More than two come from damaged input only.
const MAX_UNDER_TID: usize = 32;

const NONE: u32 = u32::MAX;

/// Numbers that only one thread ever bore, as a table.
#[derive(Debug)]
pub(crate) struct ThreadTable<'a> {
    lives: &'a TaskLives,
    only: Vec<u32>,
}

impl ThreadTable<'_> {
    #[inline]
    pub fn thread(&self, tid: u32, time: i64) -> ThreadId {
        match self.only.get(tid as usize) {
            Some(only) if *only != NONE => ThreadId(*only),
            // Every number in a column was logged as seen, so there is a life.
            _ => self.lives.thread(tid, time).unwrap_or(ThreadId::IDLE),
        }
    }
}

struct Replay {
    lives: TaskLives,
    ranks: Vec<NameRank>,
    exits: Vec<Option<BootNanos>>,
    /// When processes ended whose numbers stay taken.
    process_exits: Vec<(ProcessId, BootNanos)>,
    processes_are_apart: bool,
    /// Threads under a number that were not reaped, oldest first.
    under_tid: FxHashMap<u32, Vec<ThreadId>>,
    /// The one of them that bare mentions mean.
    live_tid: FxHashMap<u32, ThreadId>,
    live_pid: FxHashMap<u32, ProcessId>,
    members: Vec<Vec<ThreadId>>,
    /// Threads of one process, while that is not known.
    bound: FxHashMap<ThreadId, Vec<ThreadId>>,
    /// Processes made by a thread.
    forks: Vec<(ThreadId, ProcessId)>,
}

impl Replay {
    fn new(swapper: NameId) -> Self {
        let process = Process { name: Some(swapper), ..Process::default() };
        let thread = Thread {
            name: Some(swapper),
            process: Some(ProcessId(0)),
            is_main: true,
            ..Thread::default()
        };
        let mut lives =
            TaskLives { processes: vec![process], threads: vec![thread], ..TaskLives::default() };
        lives.by_tid.insert(0, vec![(i64::MIN, ThreadId::IDLE)]);
        lives.by_pid.insert(0, vec![(i64::MIN, ProcessId(0))]);
        Self {
            lives,
            ranks: vec![NameRank::Program],
            exits: vec![None],
            process_exits: Vec::new(),
            processes_are_apart: false,
            under_tid: FxHashMap::from_iter([(0, vec![ThreadId::IDLE])]),
            live_tid: FxHashMap::from_iter([(0, ThreadId::IDLE)]),
            live_pid: FxHashMap::from_iter([(0, ProcessId(0))]),
            members: vec![vec![ThreadId::IDLE]],
            bound: FxHashMap::default(),
            forks: Vec::new(),
        }
    }

    fn apply(&mut self, TaskEntry { time, id, event }: TaskEntry) {
        match event {
            TaskEvent::Seen => {
                self.thread(time, id);
            }
            TaskEvent::Member(pid) => {
                self.member(time, id, pid);
            }
            TaskEvent::NewThread(parent) => {
                let parent = self.thread(time, parent);
                let child = self.start_thread(time, id, Some(time));
                self.bind(parent, child);
            }
            TaskEvent::NewProcess(parent) => {
                let process = self.start_process(time, id);
                let parent = self.thread(time, parent);
                self.forks.push((parent, process));
            }
            TaskEvent::NewThreadOf(pid) => {
                let process = self.process(time, pid);
                let thread = self.start_thread(time, id, Some(time));
                self.join(thread, process);
            }
            TaskEvent::ProcessStarted => {
                let replaced = self.live_pid.remove(&id);
                self.new_process(time, id, Some(time));
                if let Some(replaced) = replaced {
                    self.forget_members(time, replaced);
                }
            }
            TaskEvent::ProcessEnded => {
                let process = self.process(time, id);
                self.process_exits.push((process, BootNanos::new(time)));
            }
            TaskEvent::Freed => self.free(time, id),
            TaskEvent::Exited => {
                if let Some(thread) = self.live_tid.get(&id) {
                    self.exits[thread.index()] = Some(BootNanos::new(time));
                }
            }
            TaskEvent::Named(name, rank) => {
                let thread = self.thread(time, id);
                self.name_thread(thread, name, rank);
            }
            TaskEvent::Renamed(name) => self.rename(time, id, name),
            TaskEvent::ProcessSeen => {
                self.process(time, id);
            }
            TaskEvent::Process(facts) => self.process_facts(time, id, &facts),
        }
    }

    fn name_thread(&mut self, thread: ThreadId, name: NameId, rank: NameRank) {
        if rank >= self.ranks[thread.index()] {
            self.ranks[thread.index()] = rank;
            self.lives.threads[thread.index()].name = Some(name);
        }
    }

    fn rename(&mut self, time: i64, tid: u32, name: NameId) {
        let thread = self.thread(time, tid);
        self.name_thread(thread, name, NameRank::Kernel);
        let Some(process) = self.lives.threads[thread.index()].process else { return };
        let process = &mut self.lives.processes[process.index()];
        if process.pid.0 == tid {
            process.name = Some(name);
        }
    }

    fn process_facts(&mut self, time: i64, pid: u32, facts: &ProcessFacts) {
        let parent = facts.parent.map(|parent| self.process(time, parent));
        let id = self.process(time, pid);
        let process = &mut self.lives.processes[id.index()];
        // A changed parent is a process that lost its own: the first one says more.
        if process.parent.is_none() && parent != Some(id) {
            process.parent = parent;
        }
        process.name = facts.name.or(process.name);
        process.uid = facts.uid.or(process.uid);
        if process.start.is_none() {
            process.start = facts.start.map(BootNanos::new);
        }
        if facts.name_is_comm
            && let Some(name) = facts.name
        {
            let thread = self.thread(time, pid);
            self.name_thread(thread, name, NameRank::Proc);
        }
    }

    /// The thread that a bare mention of the number means; made if there is none.
    fn thread(&mut self, time: i64, tid: u32) -> ThreadId {
        match self.live_tid.get(&tid) {
            Some(thread) => *thread,
            None => self.start_thread(time, tid, None),
        }
    }

    fn start_thread(&mut self, time: i64, tid: u32, start: Option<i64>) -> ThreadId {
        let thread = ThreadId(self.lives.threads.len() as u32);
        let start = start.map(BootNanos::new);
        self.lives.threads.push(Thread { tid: Tid(tid), start, ..Thread::default() });
        self.ranks.push(NameRank::Unknown);
        self.exits.push(None);
        let under = self.under_tid.entry(tid).or_default();
        if under.len() >= 2 * MAX_UNDER_TID {
            under.drain(..MAX_UNDER_TID);
        }
        under.push(thread);
        self.set_live(time, tid, thread);
        thread
    }

    fn set_live(&mut self, time: i64, tid: u32, thread: ThreadId) {
        if self.live_tid.insert(tid, thread) != Some(thread) {
            let lives = self.lives.by_tid.entry(tid).or_default();
            if lives.last().is_none_or(|(_, last)| *last != thread) {
                lives.push((time, thread));
            }
        }
    }

    fn process(&mut self, time: i64, pid: u32) -> ProcessId {
        if let Some(process) = self.live_pid.get(&pid) {
            return *process;
        }
        let process = self.new_process(time, pid, None);
        if !self.processes_are_apart {
            self.member(time, pid, pid);
        }
        process
    }

    fn new_process(&mut self, time: i64, pid: u32, start: Option<i64>) -> ProcessId {
        let process = ProcessId(self.lives.processes.len() as u32);
        let start = start.map(BootNanos::new);
        self.lives.processes.push(Process { pid: Pid(pid), start, ..Process::default() });
        self.members.push(Vec::new());
        self.live_pid.insert(pid, process);
        self.lives.by_pid.entry(pid).or_default().push((time, process));
        process
    }

    fn start_process(&mut self, time: i64, pid: u32) -> ProcessId {
        let replaced = self.live_pid.remove(&pid);
        self.under_tid.remove(&pid);
        self.live_tid.remove(&pid);
        self.start_thread(time, pid, Some(time));
        let process = self.new_process(time, pid, Some(time));
        self.member(time, pid, pid);
        if let Some(replaced) = replaced {
            self.forget_members(time, replaced);
        }
        process
    }

    /// Threads of a process that is gone are not meant by their numbers any more.
    fn forget_members(&mut self, time: i64, process: ProcessId) {
        for thread in self.members[process.index()].clone() {
            let tid = self.lives.threads[thread.index()].tid.0;
            self.refresh_live(time, tid);
        }
    }

    fn refresh_live(&mut self, time: i64, tid: u32) {
        let under = self.under_tid.get(&tid);
        let live = under.and_then(|u| u.iter().rev().copied().find(|t| self.is_alive(*t)));
        match live {
            Some(thread) => self.set_live(time, tid, thread),
            None => {
                self.live_tid.remove(&tid);
            }
        }
    }

    fn is_alive(&self, thread: ThreadId) -> bool {
        let thread = &self.lives.threads[thread.index()];
        let Some(process) = thread.process else { return thread.end.is_none() };
        let gone = &self.lives.processes[process.index()];
        thread.end.is_none()
            && gone.end.is_none()
            && self.live_pid.get(&gone.pid.0).is_none_or(|live| *live == process)
    }

    fn member(&mut self, time: i64, tid: u32, pid: u32) -> ThreadId {
        let process = self.process(time, pid);
        let under = self.under_tid.get(&tid);
        let known = under.and_then(|threads| {
            threads.iter().rev().copied().find(|thread| {
                let of = self.lives.threads[thread.index()].process;
                self.is_alive(*thread) && of.is_none_or(|of| of == process)
            })
        });
        let thread = known.unwrap_or_else(|| self.start_thread(time, tid, None));
        if known.is_some() {
            self.set_live(time, tid, thread);
            if let Some(under) = self.under_tid.get_mut(&tid)
                && under.last() != Some(&thread)
            {
                under.retain(|other| *other != thread);
                under.push(thread);
            }
        }
        self.join(thread, process);
        thread
    }

    /// Puts the thread, and all that are bound to it, into the process.
    fn join(&mut self, thread: ThreadId, process: ProcessId) {
        let mut open = vec![thread];
        while let Some(thread) = open.pop() {
            let pid = self.lives.processes[process.index()].pid.0;
            let joining = &mut self.lives.threads[thread.index()];
            if joining.process.is_none() {
                joining.process = Some(process);
                joining.is_main = joining.tid.0 == pid;
                self.members[process.index()].push(thread);
            }
            open.extend(self.bound.remove(&thread).unwrap_or_default());
        }
    }

    fn bind(&mut self, parent: ThreadId, child: ThreadId) {
        let of = |thread: ThreadId| self.lives.threads[thread.index()].process;
        match (of(parent), of(child)) {
            (Some(process), None) => self.join(child, process),
            (None, Some(process)) => self.join(parent, process),
            (None, None) => {
                self.bound.entry(parent).or_default().push(child);
                self.bound.entry(child).or_default().push(parent);
            }
            (Some(_), Some(_)) => {}
        }
    }

    fn free(&mut self, time: i64, tid: u32) {
        if tid == 0 {
            return;
        }
        let Some(thread) = self.live_tid.get(&tid).copied() else { return };
        self.lives.threads[thread.index()].end = Some(BootNanos::new(time));
        if let Some(under) = self.under_tid.get_mut(&tid) {
            under.retain(|other| *other != thread);
        }
        self.refresh_live(time, tid);
        let Some(process) = self.lives.threads[thread.index()].process else { return };
        let gone = &mut self.lives.processes[process.index()];
        // The kernel reaps a main thread only after all others of its group.
        if gone.pid.0 == tid {
            gone.end = Some(BootNanos::new(time));
            self.live_pid.remove(&tid);
            self.forget_members(time, process);
        }
    }

    fn finish(mut self) -> TaskLives {
        for (thread, process) in self.forks {
            let parent = self.lives.threads[thread.index()].process;
            let process = &mut self.lives.processes[process.index()];
            process.parent = process.parent.or(parent);
        }
        for (thread, exit) in self.lives.threads.iter_mut().zip(self.exits) {
            thread.end = thread.end.or(exit);
        }
        for (process, exit) in self.process_exits {
            let process = &mut self.lives.processes[process.index()];
            process.end = process.end.or(Some(exit));
        }
        // A process that only its main thread names, unless the runtime does.
        for (thread, rank) in self.lives.threads.iter().zip(&self.ranks) {
            let is_own = *rank != NameRank::Runtime;
            if let (Some(process), true) = (thread.process, thread.is_main && is_own) {
                let process = &mut self.lives.processes[process.index()];
                process.name = process.name.or(thread.name);
            }
        }
        self.lives
    }
}
