//! Stretches of threads on a CPU, where something told of threads and not of CPUs.

use wattle_units::BootNanos;

use super::MAX_CPUS;
use super::cpu_log::CpuLog;
use crate::Window;

/// Stretches whose CPU is not known.
#[derive(Debug, Default)]
pub(crate) struct RunLog {
    runs: Vec<(Window, u32)>,
}

impl RunLog {
    /// The thread was on some CPU for all of the window.
    pub fn push(&mut self, window: Window, tid: u32) {
        self.runs.push((window, tid));
    }

    /// Lays the stretches on CPUs, each on the first one that is free, if nothing else recorded the scheduler.
    pub fn finish(mut self, cpus: &mut Vec<CpuLog>) {
        if self.runs.is_empty() || cpus.iter().any(CpuLog::has_scheduler) {
            return;
        }
        let is_virtual = !cpus.iter().any(CpuLog::has_states);
        if is_virtual {
            cpus.clear();
        }
        self.runs.sort_by_key(|(window, tid)| (window.start, window.end, *tid));
        let mut free: Vec<BootNanos> = Vec::new();
        for (window, tid) in self.runs {
            let lane = free.iter().position(|free| *free <= window.start).unwrap_or(free.len());
            if lane >= MAX_CPUS as usize {
                continue;
            }
            if lane == free.len() {
                free.push(window.end);
            }
            if lane >= cpus.len() {
                cpus.resize_with(lane + 1, CpuLog::default);
            }
            if let (Some(free), Some(cpu)) = (free.get_mut(lane), cpus.get_mut(lane)) {
                *free = window.end;
                cpu.inferred_run(window, tid, is_virtual);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test that looks past the end has failed")]

    use super::*;
    use crate::{TaskState, TimelineBuilder};

    fn window(start: i64, end: i64) -> Window {
        Window::new(BootNanos::new(start), BootNanos::new(end))
    }

    #[test]
    fn stretches_lie_side_by_side_where_they_overlap() {
        let mut builder = TimelineBuilder::new();
        for (start, end, tid) in [(20, 30, 7), (0, 10, 7), (5, 25, 8), (30, 30, 9), (25, 40, 8)] {
            builder.cpus().run_somewhere(window(start, end), tid);
        }
        let timeline = builder.finish();
        let found: Vec<Vec<(i64, i64, u32)>> = timeline
            .cpus
            .iter()
            .map(|cpu| {
                assert!(cpu.sched_is_inferred && cpu.is_virtual);
                let slices = cpu.sched.iter();
                let tid = |thread: crate::ThreadId| timeline.tasks.threads[thread.0 as usize].tid.0;
                slices
                    .map(|s| (s.window.start.value(), s.window.end.value(), tid(s.thread)))
                    .collect()
            })
            .collect();
        assert_eq!(found, [vec![(0, 10, 7), (20, 30, 7)], vec![(5, 25, 8), (25, 40, 8)]]);
    }

    #[test]
    fn a_recorded_scheduler_knows_better() {
        let mut builder = TimelineBuilder::new();
        builder.cpus().switch(0, BootNanos::new(5), 0, TaskState(0), 9);
        builder.cpus().run_somewhere(window(0, 10), 7);
        let timeline = builder.finish();
        assert_eq!(timeline.cpus.len(), 1);
        assert_eq!(timeline.cpus[0].sched.len(), 1);
        assert!(!timeline.cpus[0].sched_is_inferred);
    }
}
