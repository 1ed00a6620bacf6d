//! Statements about tasks, in the order in which they were read.
//!
//! Events of different CPUs reach the builder out of order, and a task can be mentioned before the event
//! that made it. So nothing is resolved while reading: columns keep the kernel's numbers, the few
//! events that bear on identity are logged here, and [`super::task_lives`] replays them in order of time
//! at the end. A mention is logged once per task and life, not once per event.

use rustc_hash::FxHashMap;

use crate::{NameId, Uid};

/// Who gave a thread its name; a later or equal rank wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameRank {
    /// Nobody.
    Unknown,
    /// A runtime, which calls the main thread of every app alike: no name for the process.
    Runtime,
    /// The beginning of a line of text about something else, or a table of such names.
    Line,
    /// The scheduler's events.
    Kernel,
    /// A poll of `/proc`.
    Proc,
    /// The program itself, in the recording.
    Program,
}

/// Facts about a process, by a poll of `/proc` or a recorder.
#[derive(Clone, Debug, Default)]
pub struct ProcessFacts {
    /// Its parent's pid.
    pub parent: Option<u32>,
    /// Command line's first part, or name.
    pub name: Option<NameId>,
    /// Its uid.
    pub uid: Option<Uid>,
    /// The name is the main thread's (kernel threads have no command line).
    pub name_is_comm: bool,
    /// Boot-time nanoseconds of its start.
    pub start: Option<i64>,
}

#[derive(Clone, Debug)]
pub(crate) enum TaskEvent {
    /// The thread was mentioned.
    Seen,
    /// The thread belongs to the process with this pid.
    Member(u32),
    /// Created as a thread by the thread with this tid.
    NewThread(u32),
    /// Created as a process by the thread with this tid.
    NewProcess(u32),
    /// Created as a thread of the process with this pid, by whomever.
    NewThreadOf(u32),
    /// The process began; no thread has its number.
    ProcessStarted,
    /// The process ended; its number stays taken until another one begins.
    ProcessEnded,
    /// Reaped: the number is free again.
    Freed,
    /// Exited; the number stays taken until it is reaped.
    Exited,
    /// Got a name.
    Named(NameId, NameRank),
    /// Renamed itself: the main thread's name is the process's too.
    Renamed(NameId),
    /// The process was mentioned.
    ProcessSeen,
    /// Known facts of the process.
    Process(Box<ProcessFacts>),
}

#[derive(Clone, Debug)]
pub(crate) struct TaskEntry {
    pub time: i64,
    /// Thread id, or process id for the events of processes.
    pub id: u32,
    pub event: TaskEvent,
}

/// The last entry of each number, so that it is not logged again.
#[derive(Clone, Copy, Debug)]
struct Logged {
    /// Earliest and latest mention that are not in the log yet.
    first: i64,
    last: i64,
    name: u32,
    process: u32,
}

const NONE: u32 = u32::MAX;
const NEVER: i64 = i64::MAX;
const NOTHING: Logged = Logged { first: NEVER, last: i64::MIN, name: NONE, process: NONE };

impl Logged {
    #[inline]
    fn mention(&mut self, time: i64) {
        self.first = self.first.min(time);
        self.last = self.last.max(time);
    }
}

/// Numbers below this are looked up in a table, others in a map. Linux' default `pid_max` is 32768.
const DENSE: usize = 1 << 18;

#[derive(Debug, Default)]
pub(crate) struct TaskLog {
    /// Processes have numbers that none of their threads has (Windows).
    pub processes_are_apart: bool,
    entries: Vec<TaskEntry>,
    dense: Vec<Logged>,
    sparse: FxHashMap<u32, Logged>,
    processes_seen: FxHashMap<u32, i64>,
}

impl TaskLog {
    #[inline]
    fn logged(&mut self, tid: u32) -> &mut Logged {
        let index = tid as usize;
        if index >= DENSE {
            return self.sparse.entry(tid).or_insert(NOTHING);
        }
        if index >= self.dense.len() {
            self.dense.resize((index + 1).next_power_of_two(), NOTHING);
        }
        &mut self.dense[index]
    }

    /// The thread was mentioned.
    #[inline]
    pub fn mention_thread(&mut self, time: i64, tid: u32) {
        self.logged(tid).mention(time);
    }

    /// The scheduler called the thread this.
    #[inline]
    pub fn named(&mut self, time: i64, tid: u32, name: NameId) {
        let logged = self.logged(tid);
        logged.mention(time);
        if logged.name != name.0 {
            logged.name = name.0;
            self.push(time, tid, TaskEvent::Named(name, NameRank::Kernel));
        }
    }

    /// The name that was logged last for the thread.
    #[inline]
    pub fn last_name(&mut self, tid: u32) -> Option<NameId> {
        let name = self.logged(tid).name;
        (name != NONE).then_some(NameId(name))
    }

    /// The thread said which process it belongs to.
    #[inline]
    pub fn member(&mut self, time: i64, tid: u32, pid: u32) {
        let logged = self.logged(tid);
        if logged.process != pid {
            logged.process = pid;
            self.push(time, tid, TaskEvent::Member(pid));
        }
    }

    /// The process was mentioned.
    pub fn process_seen(&mut self, time: i64, pid: u32) {
        let first = self.processes_seen.entry(pid).or_insert(NEVER);
        if time < *first {
            *first = time;
        }
    }

    /// Any other event. One that begins or ends a life makes the next mention count again.
    pub fn log(&mut self, time: i64, id: u32, event: TaskEvent) {
        if let TaskEvent::NewThread(_)
        | TaskEvent::NewThreadOf(_)
        | TaskEvent::NewProcess(_)
        | TaskEvent::Freed = event
        {
            self.flush(id);
            *self.logged(id) = NOTHING;
            if let Some(first) = self.processes_seen.remove(&id) {
                self.push(first, id, TaskEvent::ProcessSeen);
            }
        }
        self.push(time, id, event);
    }

    fn flush(&mut self, tid: u32) {
        let Logged { first, last, .. } = *self.logged(tid);
        self.push_mentions(tid, first, last);
    }

    /// The latest counts, too: it may lie after an end that comes in late.
    fn push_mentions(&mut self, tid: u32, first: i64, last: i64) {
        if first != NEVER {
            self.push(first, tid, TaskEvent::Seen);
        }
        if last > first {
            self.push(last, tid, TaskEvent::Seen);
        }
    }

    fn push(&mut self, time: i64, id: u32, event: TaskEvent) {
        self.entries.push(TaskEntry { time, id, event });
    }

    /// When processes were seen to begin: pid and time.
    pub fn process_starts(&self) -> impl Iterator<Item = (u32, i64)> + '_ {
        self.entries.iter().filter_map(|entry| match &entry.event {
            TaskEvent::NewProcess(_) | TaskEvent::ProcessStarted => Some((entry.id, entry.time)),
            TaskEvent::Process(facts) => Some((entry.id, facts.start?)),
            _ => None,
        })
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Names of processes by command line in the entries from a number on: pid and name.
    pub fn process_names(&self, from: usize) -> impl Iterator<Item = (u32, NameId)> + '_ {
        let entries = self.entries.get(from..).unwrap_or_default();
        entries.iter().filter_map(|entry| match &entry.event {
            TaskEvent::Process(facts) if !facts.name_is_comm => Some((entry.id, facts.name?)),
            _ => None,
        })
    }

    /// All entries in order of time; at one instant in the order in which they came.
    pub fn into_entries(mut self) -> Vec<TaskEntry> {
        let dense = std::mem::take(&mut self.dense);
        let mut sparse: Vec<_> = std::mem::take(&mut self.sparse).into_iter().collect();
        sparse.sort_unstable_by_key(|(tid, _)| *tid);
        let dense = dense.into_iter().enumerate().map(|(tid, logged)| (tid as u32, logged));
        for (tid, logged) in dense.chain(sparse) {
            self.push_mentions(tid, logged.first, logged.last);
        }
        let mut processes: Vec<_> = std::mem::take(&mut self.processes_seen).into_iter().collect();
        processes.sort_unstable_by_key(|(pid, _)| *pid);
        for (pid, first) in processes {
            self.push(first, pid, TaskEvent::ProcessSeen);
        }
        self.entries.sort_by_key(|entry| entry.time);
        self.entries
    }
}
