//! Who wakes whom.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_timeline::{CpuId, InterruptKind, ThreadId, Timeline, Window};
use wattle_units::BootNanos;

use crate::windows;

/// The cause of a thread's wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Waker {
    /// An interrupt: a timer or a device. The CPU was idle, or in an interrupt's handler.
    Interrupt,
    /// Another thread.
    Thread(ThreadId),
    /// Nobody is known to have been on the CPU.
    Unknown,
}

/// Wake-ups of threads at idle, by what woke them.
#[derive(Debug, Default)]
pub(super) struct Wakers {
    by_thread: FxHashMap<ThreadId, BTreeMap<Waker, u64>>,
}

impl Wakers {
    /// `None` where wake-ups were not recorded.
    pub(super) fn new(timeline: &Timeline, idle: &[Window]) -> Option<Self> {
        let wakeups = &timeline.wakeups;
        if wakeups.is_empty() {
            return None;
        }
        let mut by_thread: FxHashMap<ThreadId, BTreeMap<Waker, u64>> = FxHashMap::default();
        for ((time, cpu), thread) in wakeups.time.iter().zip(&wakeups.cpu).zip(&wakeups.thread) {
            if windows::around(idle, *time).is_some() {
                let waker = waker(timeline, *cpu, *time);
                *by_thread.entry(*thread).or_default().entry(waker).or_default() += 1;
            }
        }
        Some(Self { by_thread })
    }

    /// Returns the wakers of a thread, with the number of wake-ups by each.
    pub(super) fn of(&self, thread: ThreadId) -> impl Iterator<Item = (Waker, u64)> + '_ {
        let known = self.by_thread.get(&thread).into_iter().flatten();
        known.map(|(waker, count)| (*waker, *count))
    }

    /// Wake-ups of a thread.
    pub(super) fn count(&self, thread: ThreadId) -> u64 {
        self.of(thread).map(|(_, count)| count).sum()
    }

    /// The thread that makes at least a part of a thread's wake-ups.
    pub(super) fn main_thread(&self, thread: ThreadId, share: f64) -> Option<ThreadId> {
        let all = self.count(thread) as f64;
        self.of(thread).find_map(|(waker, count)| match waker {
            Waker::Thread(by) if by != thread && count as f64 >= all * share => Some(by),
            _ => None,
        })
    }
}

/// The cause of a wake-up on a CPU at an instant.
pub(super) fn waker(timeline: &Timeline, cpu: CpuId, time: BootNanos) -> Waker {
    let Some(cpu) = timeline.cpus.get(cpu.index()) else { return Waker::Unknown };
    let started = cpu.interrupts.start.partition_point(|start| *start <= time);
    // Hard interrupts nest a few levels deep at most.
    let nested = started.saturating_sub(4)..started;
    let in_interrupt = nested.into_iter().any(|at| {
        cpu.interrupts.end.get(at).is_some_and(|end| *end > time)
            && cpu.interrupts.kind.get(at) == Some(&InterruptKind::Hard)
    });
    if in_interrupt {
        return Waker::Interrupt;
    }
    let at = cpu.sched.first_ending_after(time);
    match cpu.sched.get(at).filter(|slice| slice.window.contains(time)) {
        Some(slice) if slice.thread.is_idle() => Waker::Interrupt,
        Some(slice) => Waker::Thread(slice.thread),
        None => Waker::Unknown,
    }
}
