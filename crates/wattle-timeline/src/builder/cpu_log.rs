//! One CPU while it is being read.

use wattle_units::{BootNanos, Hertz};

use super::hotplug::Hotplug;
use super::task_lives::ThreadTable;
use crate::{
    CpuTimeline, IdleState, InterruptKind, InterruptSlice, InterruptSlices, NameId, SchedSlice,
    SchedSlices, Steps, TaskState, ThreadId, Window,
};

/// CPUs with higher numbers are taken not to exist; the largest systems that run Linux have fewer.
pub const MAX_CPUS: u32 = 4096;

/// Nanoseconds by which a switch may lie before the one that came before it on its CPU.
const STEP_BACK: i64 = 1_000_000;

/// Switches that lie before those that came before them on their CPU, which recorders do not write. (Other events may come from two
/// recorders.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StepsBack {
    pub count: u64,
    /// The longest step, nanoseconds.
    pub longest: i64,
}

impl StepsBack {
    /// Looks at an event's time and that of the one before.
    #[inline]
    fn judge(&mut self, before: i64, time: i64) {
        if time < before.saturating_sub(STEP_BACK) {
            self.count += 1;
            self.longest = self.longest.max(before.saturating_sub(time));
        }
    }

    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        self.longest = self.longest.max(other.longest);
    }
}

/// The thread that is on the CPU.
#[derive(Clone, Copy, Debug)]
struct OnCpu {
    tid: u32,
    /// Since when; `None` while only its number is known, from the first record of a compact stream.
    since: Option<i64>,
}

#[derive(Debug, Default)]
pub(crate) struct CpuLog {
    /// Threads by their kernel number until the end.
    sched: SchedSlices,
    on_cpu: Option<OnCpu>,
    /// Last event of this CPU's stream.
    last: i64,
    pub steps_back: StepsBack,
    interrupts: InterruptSlices,
    open_interrupts: Vec<usize>,
    /// Nobody recorded this CPU's scheduler.
    is_inferred: bool,
    /// It is no CPU of the device, see [`CpuTimeline::is_virtual`].
    is_virtual: bool,
    frequency: Vec<(BootNanos, Hertz)>,
    /// First frequency that came from an event, not from a poll.
    first_event_frequency: Option<i64>,
    is_polled: bool,
    idle: Vec<(BootNanos, IdleState)>,
    limits: Vec<(BootNanos, (Hertz, Hertz))>,
    pub hotplug: Hotplug,
}

impl CpuLog {
    #[inline]
    pub fn touch(&mut self, time: i64) {
        self.last = self.last.max(time);
    }

    /// A switch whose record names both threads. Whether the stream fits together.
    pub fn switch(&mut self, time: i64, prev: u32, prev_state: TaskState, next: u32) -> bool {
        let fits = self.on_cpu.is_none_or(|on| on.tid == prev);
        if fits {
            self.close(time, Some(prev_state));
        } else {
            self.close_at_last();
        }
        self.on_cpu = Some(OnCpu { tid: next, since: Some(time) });
        self.touch(time);
        fits
    }

    /// A switch whose record names the next thread only. The first one of a stream opens no slice: who
    /// it took the CPU from is not known. (Perfetto counts the same way.)
    #[inline]
    pub fn switch_to(&mut self, time: i64, prev_state: TaskState, next: u32) {
        let is_first = self.on_cpu.is_none();
        self.close(time, Some(prev_state));
        self.on_cpu = Some(OnCpu { tid: next, since: (!is_first).then_some(time) });
        self.touch(time);
    }

    /// Whether anything told who was on it.
    pub fn has_scheduler(&self) -> bool {
        self.on_cpu.is_some() || !self.sched.is_empty()
    }

    /// Whether anything told its clock or its idle states.
    pub fn has_states(&self) -> bool {
        !self.frequency.is_empty() || !self.idle.is_empty()
    }

    /// The thread ran for all of the window, perhaps here; on a virtual CPU where nothing is known of real ones.
    pub fn inferred_run(&mut self, window: Window, tid: u32, is_virtual: bool) {
        self.is_inferred = true;
        self.is_virtual = is_virtual;
        // Why it left is not said.
        let end_state = Some(TaskState(0));
        self.sched.push(SchedSlice { window, thread: ThreadId(tid), end_state });
    }

    /// A thread comes; who was there before is not said. Nothing new if it is there already.
    pub fn comes(&mut self, time: i64, tid: u32) {
        if self.on_cpu.is_some_and(|on| on.tid == tid && on.since.is_some()) {
            return;
        }
        self.close_at_last();
        self.on_cpu = Some(OnCpu { tid, since: Some(time) });
        self.touch(time);
    }

    /// A thread leaves; who comes after it is not said.
    pub fn leaves(&mut self, time: i64, tid: u32, state: TaskState) {
        if self.on_cpu.is_some_and(|on| on.tid == tid) {
            self.close(time, Some(state));
        } else {
            self.close_at_last();
        }
        self.on_cpu = Some(OnCpu { tid, since: None });
        self.touch(time);
    }

    /// The thread on the CPU, if that is known.
    pub fn current(&self) -> Option<u32> {
        self.on_cpu.map(|on| on.tid)
    }

    /// Events of this CPU were lost after the last one: who ran since is not known.
    pub fn lose(&mut self) {
        self.close_at_last();
        self.drop_open_interrupts();
    }

    fn close(&mut self, end: i64, end_state: Option<TaskState>) {
        let Some(OnCpu { tid, since: Some(since) }) = self.on_cpu else { return };
        self.steps_back.judge(since, end);
        let window = Window::new(BootNanos::new(since), BootNanos::new(end));
        self.sched.push(SchedSlice { window, thread: ThreadId(tid), end_state });
    }

    fn close_at_last(&mut self) {
        self.close(self.last, None);
        // Still the one before the next switch, but not known to be running.
        self.on_cpu = self.on_cpu.map(|on| OnCpu { since: None, ..on });
    }

    pub fn interrupt_begin(&mut self, time: i64, kind: InterruptKind, name: NameId) {
        self.touch(time);
        // A soft interrupt does not interrupt another one: the end of the open one was lost.
        if kind == InterruptKind::Soft {
            self.interrupt_end(time, kind);
        }
        self.open_interrupts.push(self.interrupts.len());
        let window = Window { start: BootNanos::new(time), end: BootNanos::MAX };
        self.interrupts.push(InterruptSlice { window, kind, name });
    }

    /// Ends the innermost one of the kind.
    pub fn interrupt_end(&mut self, time: i64, kind: InterruptKind) {
        self.touch(time);
        let of_kind = |index: &usize| self.interrupts.kind[*index] == kind;
        if let Some(position) = self.open_interrupts.iter().rposition(of_kind) {
            let index = self.open_interrupts.remove(position);
            self.interrupts.end[index] = BootNanos::new(time);
        }
    }

    fn drop_open_interrupts(&mut self) {
        for index in self.open_interrupts.drain(..) {
            self.interrupts.end[index] = self.interrupts.start[index];
        }
    }

    pub fn frequency(&mut self, time: i64, frequency: Hertz) {
        let first = self.first_event_frequency.get_or_insert(time);
        *first = (*first).min(time);
        self.frequency.push((BootNanos::new(time), frequency));
    }

    pub fn polled_frequency(&mut self, time: i64, frequency: Hertz) {
        self.is_polled = true;
        self.frequency.push((BootNanos::new(time), frequency));
    }

    pub fn idle(&mut self, time: i64, state: IdleState) {
        self.idle.push((BootNanos::new(time), state));
    }

    pub fn limits(&mut self, time: i64, min: Hertz, max: Hertz) {
        self.limits.push((BootNanos::new(time), (min, max)));
    }

    /// Ends the slice of the thread that is on the CPU: it is known to run until the last event of this CPU's stream. A CPU with
    /// nothing to run is silent, so the idle task runs on until the end of the recording.
    pub fn end_stream(&mut self, end: BootNanos) {
        let Some(OnCpu { tid, since: Some(since) }) = self.on_cpu else { return };
        let (since, thread) = (BootNanos::new(since), ThreadId(tid));
        if since >= end {
            return;
        }
        let last = BootNanos::new(self.last).clamp(since, end);
        let until = if thread.is_idle() { end } else { last };
        self.sched.push_open(Window { start: since, end: until }, thread);
        self.on_cpu = Some(OnCpu { tid, since: None });
    }

    /// Its last event; `None` if nothing came from it.
    pub fn last_event(&self) -> Option<i64> {
        (self.last > 0).then_some(self.last)
    }

    /// Its last switch.
    pub fn last_switch(&self) -> Option<i64> {
        self.on_cpu.as_ref().and_then(|on_cpu| on_cpu.since)
    }

    /// Slices that something recorded, not those whose CPU is a guess.
    pub fn recorded_slices(&mut self) -> Option<&mut SchedSlices> {
        (!self.is_inferred).then_some(&mut self.sched)
    }

    /// After [`Self::end_stream`].
    pub fn finish(
        mut self,
        window: Window,
        from: BootNanos,
        threads: &ThreadTable<'_>,
    ) -> CpuTimeline {
        for index in self.open_interrupts.drain(..) {
            self.interrupts.end[index] = window.end;
        }
        self.sched.retain_from(from);
        self.interrupts.retain_from(from);
        self.sched.map_threads(|time, tid| threads.thread(tid.0, time.value()));
        let polled_until = self.first_event_frequency.map_or(window.end, BootNanos::new);
        CpuTimeline {
            last_event: self.last_event().map(BootNanos::new),
            sched: self.sched,
            sched_is_inferred: self.is_inferred,
            is_virtual: self.is_virtual,
            frequency: Steps::from_changes(self.frequency),
            frequency_is_polled_before: self.is_polled.then_some(polled_until),
            idle: Steps::from_changes(self.idle),
            online: self.hotplug.finish(window),
            interrupts: self.interrupts.without_empty(),
            frequency_limits: Steps::from_changes(self.limits),
        }
    }
}
