//! Scheduling, clocks, idle states and interrupts of CPUs while a recording is read, and suspend of the device.

use wattle_units::{BootNanos, Hertz};

use super::cpu_log::{CpuLog, MAX_CPUS, StepsBack};
use super::extent::Extent;
use super::one_cpu;
use super::run_log::RunLog;
use super::suspend::{SuspendLog, SuspendStep};
use super::task_lives::ThreadTable;
use super::task_log::TaskLog;
use crate::{
    BlockedReason, CpuId, DeviceWake, IdleState, InterruptKind, NameId, Note, Severity, Suspend,
    TaskState, ThreadId, Timeline, Wakeups, Window,
};

/// Nanoseconds for which one CPU may go on alone without a question: ten seconds.
const LONG_ALONE: u64 = 10_000_000_000;

#[derive(Debug, Default)]
pub(crate) struct CpuLogs {
    cpus: Vec<CpuLog>,
    /// Events of CPUs beyond [`MAX_CPUS`].
    refused: u64,
    /// Threads by their kernel number until the end.
    wakeups: Wakeups,
    /// Threads by their kernel number until the end.
    blocked: Vec<BlockedReason>,
    runs: RunLog,
    suspend: SuspendLog,
    wakes: Vec<DeviceWake>,
    /// Of switches, since somebody asked for it.
    switched: Extent,
}

impl CpuLogs {
    #[inline]
    fn cpu(&mut self, cpu: u32) -> Option<&mut CpuLog> {
        if cpu >= MAX_CPUS {
            self.refused += 1;
            return None;
        }
        let index = cpu as usize;
        if index >= self.cpus.len() {
            self.cpus.resize_with(index + 1, CpuLog::default);
        }
        self.cpus.get_mut(index)
    }

    pub fn has_scheduler(&self) -> bool {
        self.cpus.iter().any(|cpu| cpu.current().is_some())
    }

    pub fn current(&self, cpu: u32) -> Option<u32> {
        self.cpus.get(cpu as usize)?.current()
    }

    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// From the first to the last switch since the last call.
    pub fn take_switch_span(&mut self) -> Option<Window> {
        let span = std::mem::take(&mut self.switched).span();
        span.map(|(first, last)| Window::new(first, last))
    }

    /// `from` is when all streams of CPUs are complete; the timeline's window is known already.
    pub fn finish(mut self, timeline: &mut Timeline, from: BootNanos, threads: &ThreadTable<'_>) {
        for (time, thread) in self.wakeups.time.iter().zip(&mut self.wakeups.thread) {
            *thread = threads.thread(thread.0, time.value());
        }
        let last_wakeup = self.wakeups.time.iter().map(|time| time.value()).max();
        self.wakeups.retain_from(from);
        timeline.wakeups = self.wakeups;
        for reason in &mut self.blocked {
            reason.thread = threads.thread(reason.thread.0, reason.time.value());
        }
        self.blocked.retain(|reason| reason.time >= from);
        self.blocked.sort_by_key(|reason| reason.time);
        timeline.blocked = self.blocked;
        self.runs.finish(&mut self.cpus);
        let window = timeline.window;
        let start = window.start.value();
        timeline.quality.notes.extend(alone_at_the_end(&self.cpus, last_wakeup, start));
        let mut steps_back = StepsBack::default();
        for cpu in &mut self.cpus {
            steps_back.add(cpu.steps_back);
            cpu.end_stream(window.end);
        }
        if steps_back.count > 0 {
            let text = format!(
                "switches of a CPU lie before those that came before them on it, by up to {:.3} s: if times are damaged, durations and \
                 totals are wrong",
                steps_back.longest as f64 / 1e9
            );
            let note = Note::new(Severity::Error, "time-backwards", text);
            timeline.quality.notes.push(note.times(steps_back.count));
        }
        let mut slices: Vec<_> = self.cpus.iter_mut().filter_map(CpuLog::recorded_slices).collect();
        timeline.quality.notes.extend(one_cpu::enforce(&mut slices).note());
        let cpus = self.cpus.into_iter();
        timeline.cpus = cpus.map(|cpu| cpu.finish(window, from, threads)).collect();
        self.wakes.sort_by_key(|wake| wake.time);
        timeline.suspend = Suspend { suspended: self.suspend.finish(), wakes: self.wakes };
    }
}

/// An error where one CPU, or wake-ups, go on for long when all others have ended: what is damaged in their last block moves all behind
/// it.
fn alone_at_the_end(cpus: &[CpuLog], last_wakeup: Option<i64>, start: i64) -> Option<Note> {
    let mut ends: Vec<i64> = cpus.iter().filter_map(CpuLog::last_event).collect();
    ends.sort_unstable();
    let is_long = |last: i64, before: i64| {
        let gap = last.abs_diff(before);
        last > before && gap > LONG_ALONE && gap / 2 > before.abs_diff(start) / 4
    };
    let last_switch = cpus.iter().filter_map(CpuLog::last_switch).max();
    let (what, last, before) = match (ends.as_slice(), last_wakeup.zip(last_switch)) {
        (_, Some((last, before))) if is_long(last, before) => ("the wake-ups", last, before),
        ([.., _, before, last], _) if is_long(*last, *before) => {
            ("the events of one CPU", *last, *before)
        }
        _ => return None,
    };
    let text = format!(
        "{what} go on for {:.3} s when all else on CPUs has ended: if their times are damaged, durations and totals \
         are wrong",
        last.abs_diff(before) as f64 / 1e9
    );
    Some(Note::new(Severity::Error, "times-apart", text))
}

/// Adds events of CPUs: see [`super::TimelineBuilder::cpus`].
#[derive(Debug)]
pub struct CpuBuilder<'a> {
    pub(super) extent: &'a mut Extent,
    pub(super) tasks: &'a mut TaskLog,
    pub(super) log: &'a mut CpuLogs,
}

/// Scheduling.
impl CpuBuilder<'_> {
    /// A switch whose record names both threads. False if the thread that left was not the one that
    /// had come: events were lost.
    pub fn switch(
        &mut self,
        cpu: u32,
        time: BootNanos,
        prev: u32,
        prev_state: TaskState,
        next: u32,
    ) -> bool {
        self.extent.reach(time);
        self.tasks.mention_thread(time.value(), prev);
        self.tasks.mention_thread(time.value(), next);
        self.log.switched.reach(time);
        self.log.cpu(cpu).is_none_or(|cpu| cpu.switch(time.value(), prev, prev_state, next))
    }

    /// A switch whose record names the next thread only.
    #[inline]
    pub fn switch_to(&mut self, cpu: u32, time: BootNanos, prev_state: TaskState, next: u32) {
        self.log.switched.reach(time);
        if let Some(cpu) = self.cpu_with(cpu, time, next) {
            cpu.switch_to(time.value(), prev_state, next);
        }
    }

    /// A thread comes to the CPU, by a recorder that follows some threads only: who was there before is not known.
    pub fn thread_comes(&mut self, cpu: u32, time: BootNanos, tid: u32) {
        if let Some(cpu) = self.cpu_with(cpu, time, tid) {
            cpu.comes(time.value(), tid);
        }
    }

    /// A thread leaves the CPU, by such a recorder: nobody is known to be there until one comes.
    pub fn thread_leaves(&mut self, cpu: u32, time: BootNanos, tid: u32, state: TaskState) {
        if let Some(cpu) = self.cpu_with(cpu, time, tid) {
            cpu.leaves(time.value(), tid, state);
        }
    }

    /// The thread was on some CPU for all of the window; on which one is not known.
    pub fn run_somewhere(&mut self, window: Window, tid: u32) {
        if window.is_empty() {
            return;
        }
        self.extent.reach(window.start);
        self.extent.reach(window.end);
        self.tasks.mention_thread(window.start.value(), tid);
        self.log.runs.push(window, tid);
    }

    /// A thread was woken by something that ran on `cpu`.
    #[inline]
    pub fn wakeup(&mut self, cpu: u32, time: BootNanos, tid: u32, target: u32) {
        self.extent.reach(time);
        self.tasks.mention_thread(time.value(), tid);
        let wakeups = &mut self.log.wakeups;
        wakeups.time.push(time);
        wakeups.cpu.push(CpuId(cpu));
        wakeups.thread.push(ThreadId(tid));
        wakeups.target.push(CpuId(target));
    }

    /// A thread is woken from a sleep in a function of the kernel, in which it waited for a disk or not.
    pub fn blocked(&mut self, time: BootNanos, tid: u32, is_io: bool, function: Option<NameId>) {
        self.extent.reach(time);
        self.tasks.mention_thread(time.value(), tid);
        self.log.blocked.push(BlockedReason { time, thread: ThreadId(tid), is_io, function });
    }

    /// An event came from this CPU. Where its stream breaks, this is how far it was known.
    #[inline]
    pub fn seen(&mut self, cpu: u32, time: BootNanos) {
        if let Some(cpu) = self.cpu_at(cpu, time) {
            cpu.touch(time.value());
        }
    }

    /// Events of this CPU were lost after its last one.
    pub fn lost_events(&mut self, cpu: u32) {
        if let Some(cpu) = self.log.cpu(cpu) {
            cpu.lose();
        }
    }

    /// The CPU with the number, where something happened at the time.
    #[inline]
    fn cpu_at(&mut self, cpu: u32, time: BootNanos) -> Option<&mut CpuLog> {
        self.extent.reach(time);
        self.log.cpu(cpu)
    }

    /// The CPU with the number, where an event at the time mentions the thread.
    #[inline]
    fn cpu_with(&mut self, cpu: u32, time: BootNanos, tid: u32) -> Option<&mut CpuLog> {
        self.tasks.mention_thread(time.value(), tid);
        self.cpu_at(cpu, time)
    }
}

/// States of CPUs and of the device as a whole.
impl CpuBuilder<'_> {
    /// The CPU runs at this frequency from now on.
    pub fn frequency(&mut self, cpu: u32, time: BootNanos, frequency: Hertz) {
        if let Some(cpu) = self.cpu_at(cpu, time) {
            cpu.frequency(time.value(), frequency);
        }
    }

    /// The CPU was found at this frequency; when it was set is not known.
    pub fn polled_frequency(&mut self, cpu: u32, time: BootNanos, frequency: Hertz) {
        if let Some(cpu) = self.cpu_at(cpu, time) {
            cpu.polled_frequency(time.value(), frequency);
        }
    }

    /// Limits on the CPU's frequency.
    pub fn frequency_limits(&mut self, cpu: u32, time: BootNanos, min: Hertz, max: Hertz) {
        if let Some(cpu) = self.cpu_at(cpu, time) {
            cpu.limits(time.value(), min, max);
        }
    }

    /// The CPU enters an idle state, or leaves idling.
    #[inline]
    pub fn idle(&mut self, cpu: u32, time: BootNanos, state: IdleState) {
        if let Some(cpu) = self.cpu_at(cpu, time) {
            cpu.idle(time.value(), state);
        }
    }

    /// A step of taking `cpu` up or down was done on `by`.
    pub fn hotplug_step(&mut self, cpu: u32, time: BootNanos, by: u32) {
        if let Some(log) = self.cpu_at(cpu, time) {
            log.hotplug.step(time.value(), cpu != by);
        }
    }

    /// An interrupt handler begins.
    pub fn interrupt_begin(
        &mut self,
        cpu: u32,
        time: BootNanos,
        kind: InterruptKind,
        name: NameId,
    ) {
        if let Some(cpu) = self.cpu_at(cpu, time) {
            cpu.interrupt_begin(time.value(), kind, name);
        }
    }

    /// The innermost interrupt handler of the kind ends.
    pub fn interrupt_end(&mut self, cpu: u32, time: BootNanos, kind: InterruptKind) {
        if let Some(cpu) = self.cpu_at(cpu, time) {
            cpu.interrupt_end(time.value(), kind);
        }
    }

    /// A step of suspending or resuming the device.
    pub fn suspend_step(&mut self, time: BootNanos, step: SuspendStep, is_start: bool) {
        self.extent.reach(time);
        self.log.suspend.step(time.value(), step, is_start);
    }

    /// The device was woken.
    pub fn device_wake(&mut self, wake: DeviceWake) {
        self.extent.reach(wake.time);
        self.log.wakes.push(wake);
    }
}
