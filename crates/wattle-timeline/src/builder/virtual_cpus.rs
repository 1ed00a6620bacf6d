//! Virtual CPUs: they take what threads are known to have run where nothing says on which CPU.
//!
//! Stretches of threads on a CPU are laid side by side, each on the first virtual CPU that is free, so that there are as many as
//! ran at one time. Power models and attribution then go their usual way; what a virtual CPU draws is that of any core of the
//! device.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use wattle_units::{BootNanos, Hertz};

use super::MAX_CPUS;
use crate::{CpuTimeline, SchedSlice, TaskState, ThreadId, Timeline, Window};

/// A stretch of a thread on some CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub window: Window,
    pub thread: ThreadId,
    /// The clock of the CPU that it was on, where cycles show it.
    pub clock: Option<Hertz>,
}

/// The stretches of all threads.
#[derive(Debug, Default)]
pub(super) struct VirtualCpus {
    stretches: Vec<Stretch>,
}

impl VirtualCpus {
    /// Adds a stretch. Those of one thread must not overlap.
    pub fn push(&mut self, stretch: Stretch) {
        if !stretch.window.is_empty() {
            self.stretches.push(stretch);
        }
    }

    /// Whether there is no stretch.
    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// Puts virtual CPUs in the place of those of the timeline, of which nothing is known, and widens its window to the first
    /// stretch.
    pub fn lay(mut self, timeline: &mut Timeline) {
        self.stretches.sort_by_key(|it| (it.window.start, it.window.end, it.thread));
        let mut cpus: Vec<CpuTimeline> = Vec::new();
        let mut free: BTreeSet<usize> = BTreeSet::new();
        let mut taken: BinaryHeap<Reverse<(BootNanos, usize)>> = BinaryHeap::new();
        for stretch in self.stretches {
            let Window { start, end } = stretch.window;
            while let Some(Reverse((until, cpu))) = taken.peek().copied()
                && until <= start
            {
                taken.pop();
                free.insert(cpu);
            }
            let index = free.pop_first().unwrap_or(cpus.len());
            if index >= MAX_CPUS as usize {
                continue;
            }
            if index == cpus.len() {
                cpus.push(CpuTimeline {
                    sched_is_inferred: true,
                    is_virtual: true,
                    ..CpuTimeline::default()
                });
            }
            let Some(cpu) = cpus.get_mut(index) else { continue };
            if let Some(clock) = stretch.clock {
                cpu.frequency.push(start, clock);
            }
            // Runnable: nothing says why the thread left.
            let end_state = Some(TaskState(0));
            cpu.sched.push(SchedSlice {
                window: stretch.window,
                thread: stretch.thread,
                end_state,
            });
            taken.push(Reverse((end, index)));
        }
        let first = cpus.iter().filter_map(|cpu| cpu.sched.get(0)).map(|slice| slice.window.start);
        if let Some(first) = first.min() {
            timeline.window.start = timeline.window.start.min(first);
        }
        timeline.cpus = cpus;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stretches as (start, end, thread), and the virtual CPUs that they are laid on.
    #[track_caller]
    fn check(stretches: &[(i64, i64, u32)], expected: &[&[(i64, i64, u32)]]) {
        let mut all = VirtualCpus::default();
        for (start, end, thread) in stretches {
            let window = Window::new(BootNanos::new(*start), BootNanos::new(*end));
            all.push(Stretch { window, thread: ThreadId(*thread), clock: None });
        }
        let mut timeline = Timeline::default();
        all.lay(&mut timeline);
        let found: Vec<Vec<_>> = timeline
            .cpus
            .iter()
            .map(|cpu| {
                assert!(cpu.is_virtual && cpu.sched_is_inferred);
                let slices = cpu.sched.iter();
                slices
                    .map(|it| (it.window.start.value(), it.window.end.value(), it.thread.0))
                    .collect()
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn there_are_as_many_as_run_at_one_time() {
        check(&[], &[]);
        check(&[(0, 10, 1), (10, 20, 2)], &[&[(0, 10, 1), (10, 20, 2)]]);
        check(
            &[(20, 30, 1), (0, 12, 1), (5, 15, 2), (13, 18, 3), (7, 7, 9)],
            &[&[(0, 12, 1), (13, 18, 3), (20, 30, 1)], &[(5, 15, 2)]],
        );
    }
}
