//! Effects of kernel events on a timeline.

use rustc_hash::FxHashMap;
use wattle_timeline::{
    CounterKey, CounterScope, GpuWorkPeriod, InterruptKind, NameId, NameRank, RawScope, StateKind,
    TimelineBuilder, Uid, Window,
};
use wattle_units::{BootNanos, Nanos};

use super::{BlockRequests, GpuWork, KernelEvent};

/// Soft interrupts by their number (`include/linux/interrupt.h`).
pub const SOFT_IRQS: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

/// Outcome of applying an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It was used.
    Used,
    /// Used; the thread that left the CPU was not the one that had come.
    Mismatch,
    /// It says nothing that can be used: why.
    Unread(&'static str),
}

/// A `sched_wakeup` that counts only where no `sched_waking` was recorded.
#[derive(Clone, Copy, Debug)]
struct Woken {
    cpu: u32,
    time: BootNanos,
    tid: u32,
    target: u32,
}

/// State kept from one event to the next.
#[derive(Debug)]
pub struct KernelLog {
    soft_irqs: [NameId; SOFT_IRQS.len()],
    /// Counters of processes by pid and name.
    process_counters: FxHashMap<(u32, NameId), CounterKey>,
    /// Counters of the device by what they belong to and what is counted of it.
    named_counters: FxHashMap<(NameId, &'static str), CounterKey>,
    /// Wake-ups by `sched_wakeup`, while no `sched_waking` was seen; `None` once one was.
    woken: Option<Vec<Woken>>,
    block: BlockRequests,
    /// Wakeup sources that are active, by name: several have the same one.
    active_sources: FxHashMap<NameId, u32>,
}

impl KernelLog {
    /// One for a recording of which nothing was read. [`Self::finish`] must be called at the end.
    pub fn new(builder: &mut TimelineBuilder) -> Self {
        Self {
            soft_irqs: SOFT_IRQS.map(|name| builder.names.intern(name)),
            process_counters: FxHashMap::default(),
            named_counters: FxHashMap::default(),
            woken: Some(Vec::new()),
            block: BlockRequests::default(),
            active_sources: FxHashMap::default(),
        }
    }

    /// Says that the recording holds `sched_waking`, so that `sched_wakeup` says nothing new of who woke whom.
    pub fn has_waking(&mut self) {
        self.woken = None;
    }

    /// Takes in what could not be judged before all was read.
    pub fn finish(&mut self, builder: &mut TimelineBuilder) {
        for woken in self.woken.take().unwrap_or_default() {
            builder.cpus().wakeup(woken.cpu, woken.time, woken.tid, woken.target);
        }
        self.block.finish(builder);
    }

    /// Takes in an event of the thread on the CPU.
    #[inline]
    pub fn apply(
        &mut self,
        builder: &mut TimelineBuilder,
        cpu: u32,
        time: BootNanos,
        tid: u32,
        event: KernelEvent<'_>,
    ) -> Applied {
        match event {
            KernelEvent::Switch { prev, prev_comm, prev_state, next, next_comm } => {
                let fits = builder.cpus().switch(cpu, time, prev, prev_state, next);
                for (tid, comm) in [(next, next_comm), (prev, prev_comm)] {
                    if tid != 0 {
                        builder.tasks().thread_comm(time, tid, comm);
                    }
                }
                if !fits {
                    return Applied::Mismatch;
                }
            }
            KernelEvent::Waking { tid, comm, target } if tid != 0 => {
                self.has_waking();
                builder.cpus().wakeup(cpu, time, tid, target);
                builder.tasks().thread_comm(time, tid, comm);
            }
            KernelEvent::Woken { tid, comm, target } if tid != 0 => {
                // Where `sched_waking` is recorded, this follows on the target's CPU and says nothing new of who woke whom.
                if let Some(woken) = &mut self.woken {
                    woken.push(Woken { cpu, time, tid, target });
                }
                builder.tasks().thread_comm(time, tid, comm);
            }
            KernelEvent::Frequency { cpu, frequency } => {
                builder.cpus().frequency(cpu, time, frequency);
            }
            KernelEvent::FrequencyLimits { cpu, min, max } => {
                builder.cpus().frequency_limits(cpu, time, min, max);
            }
            KernelEvent::Idle { cpu, state } => builder.cpus().idle(cpu, time, state),
            KernelEvent::Counter { name, of, value } => {
                self.named_counter(builder, time, name, of, value);
            }
            KernelEvent::ProcessCounter { pid, name, value } => {
                self.process_counter(builder, time, pid, name, value);
            }
            KernelEvent::HardIrqBegin { kind, handler } => {
                // A pointer to the reason of an inter-processor interrupt does not always lead to a text.
                let name = if handler.is_empty() {
                    builder.names.intern(kind)
                } else {
                    let name = format!("{kind} ({})", String::from_utf8_lossy(handler));
                    builder.names.intern(&name)
                };
                builder.cpus().interrupt_begin(cpu, time, InterruptKind::Hard, name);
            }
            KernelEvent::HardIrqEnd => builder.cpus().interrupt_end(cpu, time, InterruptKind::Hard),
            KernelEvent::SoftIrqBegin { vec } => {
                let Some(name) = self.soft_irqs.get(vec as usize) else {
                    return Applied::Unread("softirq_entry of an unknown number");
                };
                builder.cpus().interrupt_begin(cpu, time, InterruptKind::Soft, *name);
            }
            KernelEvent::SoftIrqEnd => builder.cpus().interrupt_end(cpu, time, InterruptKind::Soft),
            KernelEvent::Suspend { step, is_start } => {
                builder.cpus().suspend_step(time, step, is_start);
            }
            KernelEvent::Mark(mark) => self.mark(builder, time, tid, mark),
            KernelEvent::SyncMark(said) => {
                let text = builder.names.intern_bytes(said);
                builder.energy().sync_mark(time, text);
            }
            KernelEvent::Block { step, request } => {
                if !self.block.add(time, tid, step, request) {
                    return Applied::Unread("requests to disks past those that are kept");
                }
            }
            KernelEvent::File { step, file } => {
                if !self.block.files().add(builder, (time, tid), step, file) {
                    return Applied::Unread("events of files past those that are kept");
                }
            }
            KernelEvent::WakeupSource { name, is_on } => {
                self.wakeup_source(builder, time, name, is_on);
            }
            KernelEvent::Print => return Applied::Unread("print without an atrace mark"),
            other => return apply_rare(builder, cpu, time, tid, other),
        }
        Applied::Used
    }

    /// A source is active until the last of its name is not.
    fn wakeup_source(
        &mut self,
        builder: &mut TimelineBuilder,
        time: BootNanos,
        name: &[u8],
        is_on: bool,
    ) {
        let name = builder.names.intern_bytes(name);
        let active = self.active_sources.entry(name).or_default();
        *active = if is_on { active.saturating_add(1) } else { active.saturating_sub(1) };
        let level = u32::from(*active > 0);
        let (kind, scope) = (StateKind::WakeupSource, CounterScope::Global);
        builder.system().state(kind, scope, Some(name), time, level);
    }

    fn named_counter(
        &mut self,
        builder: &mut TimelineBuilder,
        time: BootNanos,
        name: &[u8],
        of: &'static str,
        value: f64,
    ) {
        let name = builder.names.intern_bytes(name);
        let key = *self.named_counters.entry((name, of)).or_insert_with(|| {
            let name = format!("{} {of}", builder.names.get(name));
            let name = builder.names.intern(name.trim_start());
            builder.system().counter_track(RawScope::Global, name)
        });
        builder.system().counter(key, time, value);
    }

    pub(super) fn process_counter(
        &mut self,
        builder: &mut TimelineBuilder,
        time: BootNanos,
        pid: u32,
        name: &[u8],
        value: f64,
    ) {
        let id = builder.names.intern_bytes(name);
        // The screen's state and the battery's are the device's, whoever writes them.
        let is_global = name == b"ScreenState" || name.starts_with(b"battery_stats.");
        if !is_global {
            builder.tasks().process_seen(time, pid);
        }
        let key = *self.process_counters.entry((pid, id)).or_insert_with(|| {
            let scope = if is_global { RawScope::Global } else { RawScope::Process(pid) };
            builder.system().counter_track(scope, id)
        });
        builder.system().counter(key, time, value);
    }
}

fn gpu_work(builder: &mut TimelineBuilder, work: GpuWork) -> Applied {
    if work.end < work.start {
        return Applied::Unread("gpu_work_period that ends before it begins");
    }
    let window = Window::new(BootNanos::new(work.start), BootNanos::new(work.end));
    let active = Nanos::new(work.active).clamp(Nanos::ZERO, window.duration());
    builder.hardware().gpu_work(work.gpu, GpuWorkPeriod { window, uid: Uid(work.uid), active });
    Applied::Used
}

fn apply_rare(
    builder: &mut TimelineBuilder,
    cpu: u32,
    time: BootNanos,
    tid: u32,
    event: KernelEvent<'_>,
) -> Applied {
    match event {
        KernelEvent::NewTask { tid: new, comm, is_thread } if new != 0 => {
            let name = builder.names.intern_bytes(comm);
            if is_thread {
                builder.tasks().thread_new(time, tid, new, name);
            } else {
                builder.tasks().process_new(time, tid, new, name);
            }
            builder.tasks().thread_name(time, new, name, NameRank::Kernel);
        }
        KernelEvent::Named { tid, comm } => builder.tasks().thread_comm(time, tid, comm),
        KernelEvent::Rename { tid, comm } => {
            let name = builder.names.intern_bytes(comm);
            builder.tasks().thread_renamed(time, tid, name);
        }
        KernelEvent::Exit { tid } => builder.tasks().thread_exited(time, tid),
        KernelEvent::Free { tid } => builder.tasks().thread_freed(time, tid),
        KernelEvent::HotplugStep { cpu: hot } => builder.cpus().hotplug_step(hot, time, cpu),
        KernelEvent::Blocked { tid, is_io, caller } if tid != 0 => {
            let end = caller.iter().position(|byte| *byte == b'+').unwrap_or(caller.len());
            let function = caller.get(..end).filter(|name| !name.is_empty());
            let function = function.map(|name| builder.names.intern_bytes(name));
            builder.cpus().blocked(time, tid, is_io, function);
        }
        KernelEvent::GpuFrequency { gpu, frequency } => {
            builder.hardware().gpu_frequency(gpu, time, frequency);
        }
        KernelEvent::GpuWork(work) => return gpu_work(builder, work),
        KernelEvent::GpuPowerState { state } => {
            builder.hardware().gpu_power_state(0, time, state.min(u64::from(u8::MAX)) as u8);
        }
        KernelEvent::Devfreq { device, frequency } => {
            let device = builder.names.intern_bytes(device);
            builder.hardware().devfreq(device, time, frequency);
        }
        // At boot the kernel makes the idle tasks of its CPUs, which all have the number 0.
        _ => {}
    }
    Applied::Used
}
