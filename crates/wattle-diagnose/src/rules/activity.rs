//! When each thread was on a CPU.

use wattle_timeline::{ThreadId, Timeline, Window};
use wattle_units::{BootNanos, Nanos};

/// One stretch of a thread on a CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// When.
    pub(super) window: Window,
    /// Its end.
    pub(super) end: RunEnd,
}

/// The way in which a thread left a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunEnd {
    /// It wanted to go on: it was preempted, or it yielded.
    Runnable,
    /// It waited for something.
    Sleep,
    /// Not recorded.
    Unknown,
}

/// The runs of all threads.
#[derive(Debug)]
pub(super) struct Activity {
    runs: Vec<Run>,
    /// By thread: where its runs begin; one more than there are threads.
    first: Vec<usize>,
}

impl Activity {
    /// `None` where the scheduler was not recorded, or only inferred from samples: then nobody knows how runs ended.
    pub(super) fn new(timeline: &Timeline, window: Window) -> Option<Self> {
        if timeline.is_schedule_inferred() || timeline.cpus.iter().all(|cpu| cpu.sched.is_empty()) {
            return None;
        }
        let threads = timeline.tasks.threads.len();
        let slices = || timeline.cpus.iter().flat_map(|cpu| cpu.sched.iter());
        let is_counted = |thread: ThreadId| !thread.is_idle() && thread.index() < threads;
        let mut first = vec![0_usize; threads + 1];
        for slice in slices().filter(|slice| is_counted(slice.thread)) {
            if let Some(count) = first.get_mut(slice.thread.index() + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut first {
            sum += *count;
            *count = sum;
        }
        let empty = Run { window: Window::default(), end: RunEnd::Unknown };
        let mut runs = vec![empty; sum];
        let mut next = first.clone();
        for slice in slices().filter(|slice| is_counted(slice.thread)) {
            let Some(at) = next.get_mut(slice.thread.index()) else { continue };
            let end = match slice.end_state {
                None => RunEnd::Unknown,
                Some(state) if state.is_runnable() => RunEnd::Runnable,
                Some(_) => RunEnd::Sleep,
            };
            if let Some(run) = runs.get_mut(*at) {
                *run = Run { window: slice.window.intersect(window), end };
            }
            *at += 1;
        }
        let mut activity = Self { runs, first };
        for thread in 0..threads {
            let range = activity.range(thread);
            if let Some(runs) = activity.runs.get_mut(range) {
                runs.sort_by_key(|run| run.window.start);
            }
        }
        Some(activity)
    }

    fn range(&self, thread: usize) -> std::ops::Range<usize> {
        let at = |index: usize| self.first.get(index).copied().unwrap_or(self.runs.len());
        at(thread)..at(thread + 1)
    }

    /// The runs of a thread inside the window, in order of time; those outside of it are empty.
    pub(super) fn runs(&self, thread: ThreadId) -> impl Iterator<Item = Run> + Clone + '_ {
        let runs = self.runs.get(self.range(thread.index())).unwrap_or_default();
        runs.iter().copied().filter(|run| !run.window.is_empty())
    }

    /// When a thread came to a CPU after it had slept.
    pub(super) fn wakes(&self, thread: ThreadId) -> Vec<BootNanos> {
        let runs = self.runs(thread);
        runs.clone()
            .zip(runs.skip(1))
            .filter(|(before, _)| before.end == RunEnd::Sleep)
            .map(|(_, run)| run.window.start)
            .collect()
    }

    /// Time on CPUs inside of a set.
    pub(super) fn cpu(&self, thread: ThreadId, windows: &[Window]) -> Nanos {
        self.runs(thread).map(|run| crate::windows::inside(windows, run.window)).sum()
    }
}
