//! Time that threads did not run: why they waited, and what woke them.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use wattle_timeline::{
    BlockedReason, CpuTimeline, NameId, SchedSlice, ThreadId, Timeline, Wakeups, Window,
};
use wattle_units::{BootNanos, Nanos};

/// Why a thread did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum WaitKind {
    /// It slept and could be woken by a signal (`S`): it waited for another thread, a timer, input, the network.
    Sleep,
    /// It slept and could not be woken by a signal (`D`): it waited for hardware or a lock of the kernel.
    Blocked,
    /// The same, and it waited for a disk (`sched_blocked_reason`).
    Disk,
    /// It wanted to run, and other threads had the CPUs.
    Runnable,
    /// It was stopped, traced or parked.
    Stopped,
}

impl WaitKind {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Sleep, Self::Blocked, Self::Disk, Self::Runnable, Self::Stopped];

    /// The word in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sleep => "sleep",
            Self::Blocked => "blocked",
            Self::Disk => "disk",
            Self::Runnable => "runnable",
            Self::Stopped => "stopped",
        }
    }

    /// Bits of `prev_state` of `sched_switch`; of several the least ones decide, which are the same in all versions of the kernel.
    const fn from_state(state: u16) -> Self {
        match state {
            0 => Self::Runnable,
            it if it & 1 != 0 => Self::Sleep,
            it if it & 2 != 0 => Self::Blocked,
            // `TASK_REPORT_IDLE` since Linux 4.14 (`I`): a thread of the kernel without work. Before, the bit never came alone.
            0x80 => Self::Sleep,
            _ => Self::Stopped,
        }
    }
}

/// Waits of one thread of one kind, in one function of the kernel, that one waker ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitEntry {
    /// The kernel's number of the process; `None` where the thread's process is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The process's name.
    pub process: String,
    /// The kernel's number of the thread.
    pub tid: u32,
    /// The thread's name.
    pub thread: String,
    /// Why it did not run.
    pub kind: WaitKind,
    /// The kernel's function in which it slept (`sched_blocked_reason`); `None` where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The thread, with its process, or the interrupt that woke it; `None` where that is not known, and of waits for a CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken_by: Option<String>,
    /// Number of waits.
    pub count: u64,
    /// Their time together.
    pub total: Nanos,
    /// The time of the longest.
    pub longest: Nanos,
    /// The beginning of the longest.
    pub longest_at: BootNanos,
}

/// Why nothing is known of waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum NoWaits {
    /// The recording has no switches of the scheduler.
    NoSwitches,
    /// The time of threads on CPUs was inferred from samples, which do not say when a thread left one.
    Samples,
    /// It is known when threads ran, and not on which CPU, nor why they stopped.
    NoCpus,
}

/// The most entries that are kept: those with most time.
pub(crate) const MOST: usize = 2000;

/// The waker of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Waker {
    Thread(ThreadId),
    /// A handler of an interrupt, by name.
    Interrupt(NameId),
    /// A CPU that was idle: an interrupt without a name.
    Idle,
}

/// The key by which waits are told apart.
type Key = (ThreadId, WaitKind, Option<NameId>, Option<Waker>);

/// Waits of one key.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: u64,
    total: Nanos,
    longest: Nanos,
    longest_at: BootNanos,
}

/// Waits of all threads, and what is missing of them.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// Most time first.
    pub(crate) entries: Vec<WaitEntry>,
    /// Entries that are not kept.
    pub(crate) dropped: u64,
    /// Waits while events of some CPU are missing: the thread may have run there.
    pub(crate) doubtful: u64,
}

/// Waits of all threads within a window.
pub(crate) fn waits(timeline: &Timeline, window: Window) -> Result<Waits, NoWaits> {
    if timeline.cpus.iter().all(|cpu| cpu.sched.is_empty()) {
        return Err(NoWaits::NoSwitches);
    }
    // A method trace says when threads ran, too, by its calls: none of its threads has a CPU.
    let has_no_cpus = timeline.has_virtual_cpus() && timeline.code.samples.samples.is_empty();
    if timeline.is_schedule_inferred() && !has_no_cpus {
        return Err(NoWaits::Samples);
    }
    if timeline.has_virtual_cpus() {
        return Err(NoWaits::NoCpus);
    }
    let mut runs: FxHashMap<ThreadId, Vec<SchedSlice>> = FxHashMap::default();
    for cpu in &timeline.cpus {
        for slice in cpu.sched.iter().filter(|slice| !slice.thread.is_idle()) {
            runs.entry(slice.thread).or_default().push(slice);
        }
    }
    let wakes = by_thread(&timeline.wakeups);
    let mut reasons: FxHashMap<ThreadId, Vec<BlockedReason>> = FxHashMap::default();
    for reason in &timeline.blocked {
        reasons.entry(reason.thread).or_default().push(*reason);
    }
    let holes = holes(timeline, window);
    let mut doubtful = 0;
    let mut sums: BTreeMap<Key, Sum> = BTreeMap::new();
    for (thread, mut slices) in runs {
        slices.sort_by_key(|slice| slice.window.start);
        let wakes = wakes.get(&thread).map_or(&[][..], Vec::as_slice);
        let reasons = reasons.get(&thread).map_or(&[][..], Vec::as_slice);
        for pair in slices.windows(2) {
            if let [left, came] = pair {
                let wait = Window::new(left.window.end, came.window.start);
                if is_in_any(&holes, wait) {
                    doubtful += 1;
                } else if let Some(state) = left.end_state {
                    let mut add =
                        |key: Key, part: Window| add(&mut sums, key, part.intersect(window));
                    of_wait(timeline, thread, (state.0, wait), (wakes, reasons), &mut add);
                }
            }
        }
    }
    let mut sums: Vec<(Key, Sum)> = sums.into_iter().collect();
    // Stable: of equal ones in the order of threads.
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.total));
    let dropped = sums.len().saturating_sub(MOST) as u64;
    sums.truncate(MOST);
    let entries = sums.into_iter().map(|(key, sum)| entry(timeline, key, sum)).collect();
    Ok(Waits { entries, dropped, doubtful })
}

/// Shorter holes have room for no thread: they are where events of one instant do not fit together.
const SHORTEST_HOLE: Nanos = Nanos::new(10_000);

/// When it is not known what some CPU did that is known at other times, in order of time, none touching another.
fn holes(timeline: &Timeline, window: Window) -> Vec<Window> {
    let mut holes: Vec<Window> = Vec::new();
    let mut add = |start: BootNanos, end: BootNanos| {
        if end - start >= SHORTEST_HOLE {
            holes.push(Window::new(start, end));
        }
    };
    for cpu in timeline.cpus.iter().filter(|cpu| !cpu.sched.is_empty()) {
        let mut known_until = window.start;
        for slice in cpu.sched.iter() {
            add(known_until, slice.window.start);
            known_until = known_until.max(slice.window.end);
        }
        add(known_until, window.end);
    }
    holes.sort_unstable_by_key(|hole| hole.start);
    holes.dedup_by(|later, earlier| {
        let touches = later.start <= earlier.end;
        if touches {
            earlier.end = earlier.end.max(later.end);
        }
        touches
    });
    holes
}

fn is_in_any(holes: &[Window], wait: Window) -> bool {
    let after = holes.partition_point(|hole| hole.end <= wait.start);
    holes.get(after).is_some_and(|hole| hole.start < wait.end)
}

/// Times and CPUs of the wake-ups of each thread, in order of time.
fn by_thread(wakeups: &Wakeups) -> FxHashMap<ThreadId, Vec<(BootNanos, usize)>> {
    let mut found: FxHashMap<ThreadId, Vec<(BootNanos, usize)>> = FxHashMap::default();
    let all = wakeups.time.iter().zip(&wakeups.cpu).zip(&wakeups.thread);
    for ((time, cpu), thread) in all {
        found.entry(*thread).or_default().push((*time, cpu.0 as usize));
    }
    for wakes in found.values_mut() {
        wakes.sort_unstable();
    }
    found
}

/// Adds the parts of one wait: the sleep until it was woken, and the wait for a CPU from there on.
fn of_wait(
    timeline: &Timeline,
    thread: ThreadId,
    (state, wait): (u16, Window),
    (wakes, reasons): (&[(BootNanos, usize)], &[BlockedReason]),
    add: &mut impl FnMut(Key, Window),
) {
    let kind = WaitKind::from_state(state);
    if kind == WaitKind::Runnable {
        return add((thread, kind, None, None), wait);
    }
    let first = wakes.partition_point(|(time, _)| *time < wait.start);
    let wake = wakes.get(first).copied().filter(|(time, _)| *time <= wait.end);
    let reason = reason(reasons, wait);
    let function = reason.and_then(|it| it.function);
    let asleep = |waker| (thread, with_disk(kind, reason), function, waker);
    let Some((woken, cpu)) = wake else { return add(asleep(None), wait) };
    let waker = timeline.cpus.get(cpu).and_then(|cpu| waker(cpu, woken));
    add(asleep(waker), Window::new(wait.start, woken));
    add((thread, WaitKind::Runnable, None, None), Window::new(woken, wait.end));
}

/// The kernel's note on a wait.
fn reason(reasons: &[BlockedReason], wait: Window) -> Option<BlockedReason> {
    let first = reasons.partition_point(|it| it.time < wait.start);
    reasons.get(first).copied().filter(|it| it.time <= wait.end)
}

const fn with_disk(kind: WaitKind, reason: Option<BlockedReason>) -> WaitKind {
    match (kind, reason) {
        (WaitKind::Blocked, Some(BlockedReason { is_io: true, .. })) => WaitKind::Disk,
        _ => kind,
    }
}

/// The thread that ran on a CPU at an instant.
fn waker(cpu: &CpuTimeline, time: BootNanos) -> Option<Waker> {
    let interrupts = &cpu.interrupts;
    let after = interrupts.start.partition_point(|start| *start <= time);
    // A hard one can lie within a soft one, not deeper.
    for at in (after.saturating_sub(2)..after).rev() {
        if interrupts.end.get(at).is_some_and(|end| *end >= time) {
            return interrupts.name.get(at).map(|name| Waker::Interrupt(*name));
        }
    }
    let slice = cpu.sched.get(cpu.sched.first_ending_after(time))?;
    match slice.thread {
        _ if slice.window.start > time => None,
        thread if thread.is_idle() => Some(Waker::Idle),
        thread => Some(Waker::Thread(thread)),
    }
}

fn add(sums: &mut BTreeMap<Key, Sum>, key: Key, part: Window) {
    let length = part.duration();
    if length <= Nanos::ZERO {
        return;
    }
    let sum = sums.entry(key).or_default();
    sum.count += 1;
    sum.total += length;
    if length > sum.longest {
        sum.longest = length;
        sum.longest_at = part.start;
    }
}

fn entry(timeline: &Timeline, key: Key, sum: Sum) -> WaitEntry {
    let (thread, kind, function, waker) = key;
    let (pid, process) = process(timeline, thread);
    let text = |name: NameId| timeline.names.get(name).to_owned();
    let woken_by = waker.map(|waker| match waker {
        Waker::Thread(by) => {
            let (_, of) = self::process(timeline, by);
            let name = name(timeline, by);
            if of.is_empty() || of == name { name } else { format!("{name} of {of}") }
        }
        Waker::Interrupt(name) => text(name),
        Waker::Idle => "an interrupt".to_owned(),
    });
    WaitEntry {
        pid,
        process,
        tid: timeline.tasks.threads.get(thread.index()).map_or(0, |it| it.tid.0),
        thread: name(timeline, thread),
        kind,
        function: function.map(text),
        woken_by,
        count: sum.count,
        total: sum.total,
        longest: sum.longest,
        longest_at: sum.longest_at,
    }
}

fn process(timeline: &Timeline, thread: ThreadId) -> (Option<u32>, String) {
    let facts = timeline.tasks.threads.get(thread.index());
    let process = facts.and_then(|it| it.process);
    let process = process.and_then(|id| timeline.tasks.processes.get(id.index()));
    let name = process.and_then(|it| it.name).map_or("", |name| timeline.names.get(name));
    (process.map(|it| it.pid.0), name.to_owned())
}

fn name(timeline: &Timeline, thread: ThreadId) -> String {
    let facts = timeline.tasks.threads.get(thread.index());
    let name = facts.and_then(|it| it.name).map_or("", |name| timeline.names.get(name));
    name.to_owned()
}
