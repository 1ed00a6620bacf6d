//! Decisions of the scheduler: which thread was on which CPU, and which thread woke which.

use wattle_units::{BootNanos, Nanos};

use crate::{CpuId, ThreadId, Window};

/// The state a thread was left in when it went off the CPU (`prev_state` of `sched_switch`), as the
/// kernel's number. Which bit means what differs by kernel version; only the sign of sleep is used
/// here: 0 is runnable, that is, preempted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TaskState(pub u16);

impl TaskState {
    /// Still wanted to run.
    pub const fn is_runnable(self) -> bool {
        self.0 == 0
    }
}

/// One stretch of a thread on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedSlice {
    /// Its time. A slice still open at the end of its CPU's stream ends with the last event of that stream, of any kind, and may have
    /// no length; the idle task's ends with the trace's window, because a CPU with nothing to run is silent.
    pub window: Window,
    /// Who; [`ThreadId::IDLE`] for the idle task.
    pub thread: ThreadId,
    /// State in which it left; `None` for a slice whose end was not seen.
    pub end_state: Option<TaskState>,
}

/// The on-CPU slices of one CPU as columns, in order of time, never overlapping. There are gaps
/// where events were lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchedSlices {
    start: Vec<BootNanos>,
    end: Vec<BootNanos>,
    thread: Vec<ThreadId>,
    end_state: Vec<u16>,
}

/// The mark of a slice whose end was not seen.
const OPEN: u16 = u16::MAX;

impl SchedSlices {
    /// Appends a slice. One that would start before the last one's end is cut to start there; what
    /// has no length then is dropped.
    pub fn push(&mut self, slice: SchedSlice) {
        let start = self.end.last().map_or(slice.window.start, |end| slice.window.start.max(*end));
        if slice.window.end <= start {
            return;
        }
        self.start.push(start);
        self.end.push(slice.window.end);
        self.thread.push(slice.thread);
        self.end_state.push(slice.end_state.map_or(OPEN, |state| state.0));
    }

    /// Appends the slice of the thread that was on the CPU when its stream ended. It may have no length: that the thread came is
    /// known.
    pub(crate) fn push_open(&mut self, window: Window, thread: ThreadId) {
        let start = self.end.last().map_or(window.start, |end| window.start.max(*end));
        self.start.push(start);
        self.end.push(window.end.max(start));
        self.thread.push(thread);
        self.end_state.push(OPEN);
    }

    /// Ends a slice earlier. The state in which its thread left is the recorded one, unless no length is left.
    pub(crate) fn end_at(&mut self, index: usize, time: BootNanos) {
        let Some((start, end)) = self.start.get(index).zip(self.end.get_mut(index)) else { return };
        *end = time.clamp(*start, (*end).max(*start));
        if *end == *start
            && let Some(state) = self.end_state.get_mut(index)
        {
            *state = OPEN;
        }
    }

    /// Number of slices.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// One slice.
    pub fn get(&self, index: usize) -> Option<SchedSlice> {
        let state = *self.end_state.get(index)?;
        Some(SchedSlice {
            window: Window { start: self.start[index], end: self.end[index] },
            thread: self.thread[index],
            end_state: (state != OPEN).then_some(TaskState(state)),
        })
    }

    /// All slices in order of time.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = SchedSlice> + Clone + '_ {
        (0..self.len()).map(|i| SchedSlice {
            window: Window { start: self.start[i], end: self.end[i] },
            thread: self.thread[i],
            end_state: (self.end_state[i] != OPEN).then_some(TaskState(self.end_state[i])),
        })
    }

    /// Puts other threads in the place of those that are there, by the start of each slice.
    pub(crate) fn map_threads(&mut self, map: impl Fn(BootNanos, ThreadId) -> ThreadId) {
        for (start, thread) in self.start.iter().zip(&mut self.thread) {
            *thread = map(*start, *thread);
        }
    }

    /// Drops the slices that begin before the instant.
    pub(crate) fn retain_from(&mut self, from: BootNanos) {
        let before = self.start.partition_point(|start| *start < from);
        self.start.drain(..before);
        self.end.drain(..before);
        self.thread.drain(..before);
        self.end_state.drain(..before);
    }

    /// Index of the first slice that ends after the instant.
    pub fn first_ending_after(&self, time: BootNanos) -> usize {
        self.end.partition_point(|end| *end <= time)
    }

    /// Time on this CPU that was not the idle task's, inside the window.
    pub fn busy(&self, window: Window) -> Nanos {
        self.iter()
            .filter(|slice| !slice.thread.is_idle())
            .map(|slice| slice.window.intersect(window).duration())
            .sum()
    }

    /// Bytes held.
    pub fn heap_bytes(&self) -> usize {
        (self.start.capacity() + self.end.capacity()) * 8
            + self.thread.capacity() * 4
            + self.end_state.capacity() * 2
    }
}

/// `sched_waking` events as columns, in order of time per emitting CPU's stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wakeups {
    /// When.
    pub time: Vec<BootNanos>,
    /// The CPU the waker ran on.
    pub cpu: Vec<CpuId>,
    /// The thread that was woken.
    pub thread: Vec<ThreadId>,
    /// The CPU the woken thread was sent to.
    pub target: Vec<CpuId>,
}

impl Wakeups {
    /// Drops the events before the instant.
    pub(crate) fn retain_from(&mut self, from: BootNanos) {
        if self.time.iter().all(|time| *time >= from) {
            return;
        }
        let kept: Vec<usize> = (0..self.len()).filter(|i| self.time[*i] >= from).collect();
        self.cpu = kept.iter().map(|i| self.cpu[*i]).collect();
        self.thread = kept.iter().map(|i| self.thread[*i]).collect();
        self.target = kept.iter().map(|i| self.target[*i]).collect();
        self.time = kept.iter().map(|i| self.time[*i]).collect();
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.time.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }
}
