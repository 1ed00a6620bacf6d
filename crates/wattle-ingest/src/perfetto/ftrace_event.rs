//! Kernel events (`FtraceEvent`).

use wattle_timeline::{
    GpuWorkPeriod, IdleState, InterruptKind, NameRank, RawScope, Severity, SuspendStep, TaskState,
    Uid, Window,
};
use wattle_units::{BootNanos, Hertz, Nanos};
use wattle_wire::{Fields, Value, read_varint};

use super::Reader;
use super::ftrace::Bundle;

/// `FtraceEvent` (`ftrace_event.proto`).
mod event {
    pub const TIMESTAMP: u32 = 1;
    pub const PID: u32 = 2;
    pub const PRINT: u32 = 3;
    pub const CPU_FREQUENCY: u32 = 11;
    pub const CPU_FREQUENCY_LIMITS: u32 = 12;
    pub const CPU_IDLE: u32 = 13;
    pub const CLOCK_ENABLE: u32 = 14;
    pub const CLOCK_DISABLE: u32 = 15;
    pub const CLOCK_SET_RATE: u32 = 16;
    pub const SCHED_WAKEUP: u32 = 17;
    pub const IPI_ENTRY: u32 = 21;
    pub const IPI_EXIT: u32 = 22;
    pub const SOFTIRQ_ENTRY: u32 = 24;
    pub const SOFTIRQ_EXIT: u32 = 25;
    pub const IRQ_HANDLER_ENTRY: u32 = 36;
    pub const IRQ_HANDLER_EXIT: u32 = 37;
    pub const SUSPEND_RESUME: u32 = 113;
    pub const SCHED_WAKEUP_NEW: u32 = 114;
    pub const TASK_NEWTASK: u32 = 235;
    pub const TASK_RENAME: u32 = 236;
    pub const SCHED_PROCESS_EXIT: u32 = 238;
    pub const SCHED_PROCESS_FREE: u32 = 240;
    pub const GPU_FREQUENCY: u32 = 332;
    pub const CPUHP_EXIT: u32 = 343;
    pub const CPUHP_MULTI_ENTER: u32 = 344;
    pub const CPUHP_ENTER: u32 = 345;
    pub const SUSPEND_RESUME_MINIMAL: u32 = 481;
    pub const GPU_WORK_PERIOD: u32 = 488;
    pub const KGSL_GPU_FREQUENCY: u32 = 509;
    pub const DEVFREQ_FREQUENCY: u32 = 541;
    pub const MALI_GPU_POWER_STATE: u32 = 548;
    pub const GPU_POWER_STATE: u32 = 601;
}

/// `FtraceEvent.sched_switch`.
pub(super) const SCHED_SWITCH: u32 = 4;
/// `FtraceEvent.sched_waking`.
pub(super) const SCHED_WAKING: u32 = 20;

/// Soft interrupts by their number (`include/linux/interrupt.h`).
pub(super) const SOFT_IRQS: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

/// Makes a thread, not a process (`include/uapi/linux/sched.h`).
const CLONE_THREAD: u64 = 0x0001_0000;

/// Under this a bus clock cannot be in hertz.
const DEVFREQ_IN_HERTZ_FROM: u64 = 50_000_000;

/// The state of a thread that left the CPU. Preempted threads carry a flag of their own past the states:
/// `TASK_REPORT_MAX` since Linux 4.14, `TASK_STATE_MAX` of several sizes before.
pub(super) fn task_state(raw: u64) -> TaskState {
    match raw {
        0x100 | 0x800 | 0x1000 => TaskState(0),
        raw => TaskState((raw & 0x7fff) as u16),
    }
}

/// Up to six fields of a small message by number; what is not there is 0 or empty.
#[inline]
pub(super) fn numbers<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut found = [0; N];
    let rest = leading_numbers(bytes, &mut found);
    for field in Fields::new(rest).map_while(Result::ok) {
        if let Some(slot) = found.get_mut(field.number as usize) {
            *slot = field.value.uint();
        }
    }
    found
}

/// Takes numbers of fields 1 to 15 off the beginning: most kernel events hold nothing else. What is left
/// begins with another kind of field, or with one that cannot be read.
#[inline]
fn leading_numbers<'a>(bytes: &'a [u8], found: &mut [u64]) -> &'a [u8] {
    const LONG_OR_NO_NUMBER: u8 = 0x87;
    let mut position = 0;
    while let Some(tag) = bytes.get(position)
        && tag & LONG_OR_NO_NUMBER == 0
        && *tag != 0
    {
        let mut after = position + 1;
        let Ok(value) = read_varint(bytes, &mut after) else { break };
        position = after;
        if let Some(slot) = found.get_mut(usize::from(tag >> 3)) {
            *slot = value;
        }
    }
    bytes.get(position..).unwrap_or_default()
}

/// The first field with the number as text.
pub(super) fn text(bytes: &[u8], number: u32) -> &[u8] {
    Fields::find(bytes, number).map_or(&[], Value::bytes)
}

/// Timestamp, thread, and number and content of the event.
#[inline]
fn split(bytes: &[u8]) -> Option<(u64, u32, u32, &[u8])> {
    split_usual(bytes).or_else(|| split_any(bytes))
}

/// As every recorder writes it: timestamp, thread, one event, and nothing else.
#[inline]
fn split_usual(bytes: &[u8]) -> Option<(u64, u32, u32, &[u8])> {
    const TIMESTAMP_TAG: u8 = 0x08;
    const PID_TAG: u8 = 0x10;
    let mut position = 1;
    if bytes.first() != Some(&TIMESTAMP_TAG) {
        return None;
    }
    let timestamp = read_varint(bytes, &mut position).ok()?;
    if bytes.get(position) != Some(&PID_TAG) {
        return None;
    }
    position += 1;
    let tid = read_varint(bytes, &mut position).ok()? as u32;
    let tag = read_varint(bytes, &mut position).ok()?;
    let length = read_varint(bytes, &mut position).ok()?;
    let content = bytes.get(position..)?;
    let is_event = tag & 7 == 2 && (3 << 3..1 << 31).contains(&tag);
    (is_event && content.len() as u64 == length).then_some((
        timestamp,
        tid,
        (tag >> 3) as u32,
        content,
    ))
}

fn split_any(bytes: &[u8]) -> Option<(u64, u32, u32, &[u8])> {
    let (mut timestamp, mut tid, mut event) = (0, 0, None);
    for field in Fields::new(bytes).map_while(Result::ok) {
        match field.number {
            event::TIMESTAMP => timestamp = field.value.uint(),
            event::PID => tid = field.value.uint() as u32,
            number => event = Some((number, field.value.bytes())),
        }
    }
    event.map(|(number, bytes)| (timestamp, tid, number, bytes))
}

impl Reader<'_> {
    /// Reads one event of a bundle.
    #[inline]
    pub(super) fn ftrace_event(&mut self, bundle: &Bundle, bytes: &[u8]) {
        let Some((timestamp, tid, number, bytes)) = split(bytes) else { return };
        let Some(time) = self.event_time(bundle, timestamp) else { return };
        self.builder.cpu_seen(bundle.cpu, time);
        if tid != 0 {
            self.builder.thread_seen(time, tid);
        }
        if number == event::PRINT {
            // `ip`, then `buf`.
            self.print(time, tid, text(leading_numbers(bytes, &mut []), 2));
            self.counts.event(number, 1);
        } else if self.kernel_event(bundle, time, tid, number, bytes)
            || self.kernel_mark(time, tid, number, bytes)
        {
            self.counts.event(number, 1);
        } else {
            self.counts.unread_event(number);
        }
    }

    /// Events with a reader. Whether there was one.
    #[inline]
    fn kernel_event(
        &mut self,
        bundle: &Bundle,
        time: BootNanos,
        tid: u32,
        number: u32,
        bytes: &[u8],
    ) -> bool {
        let cpu = bundle.cpu;
        match number {
            SCHED_SWITCH => self.sched_switch(bundle, time, bytes),
            SCHED_WAKING => self.sched_waking(cpu, time, bytes, true),
            event::SCHED_WAKEUP | event::SCHED_WAKEUP_NEW => {
                self.sched_waking(cpu, time, bytes, false);
            }
            event::CPU_FREQUENCY => {
                let [_, state, cpu] = numbers(bytes);
                self.builder.frequency(cpu as u32, time, Hertz::from_kilohertz(state));
            }
            event::CPU_FREQUENCY_LIMITS => {
                let [_, min, max, cpu] = numbers(bytes);
                let (min, max) = (Hertz::from_kilohertz(min), Hertz::from_kilohertz(max));
                self.builder.frequency_limits(cpu as u32, time, min, max);
            }
            event::CPU_IDLE => {
                let [_, state, cpu] = numbers(bytes);
                self.builder.idle(cpu as u32, time, IdleState::from_event(state as u32));
            }
            event::CLOCK_SET_RATE => self.clock_counter(time, bytes, "Frequency"),
            event::CLOCK_ENABLE | event::CLOCK_DISABLE => {
                self.clock_counter(time, bytes, "State");
            }
            event::IRQ_HANDLER_ENTRY | event::IPI_ENTRY => {
                self.hard_irq_entry(cpu, time, number, bytes);
            }
            event::IRQ_HANDLER_EXIT | event::IPI_EXIT => {
                self.builder.interrupt_end(cpu, time, InterruptKind::Hard);
            }
            event::SOFTIRQ_ENTRY => {
                let [_, vec] = numbers(bytes);
                let Some(name) = self.well_known.soft_irqs.get(vec as usize) else { return false };
                self.builder.interrupt_begin(cpu, time, InterruptKind::Soft, *name);
            }
            event::SOFTIRQ_EXIT => self.builder.interrupt_end(cpu, time, InterruptKind::Soft),
            event::SUSPEND_RESUME => {
                let [_, _, _, start] = numbers(bytes);
                let step = match text(bytes, 1) {
                    b"timekeeping_freeze" => SuspendStep::Freeze,
                    b"syscore_resume" => SuspendStep::Resume,
                    // Other steps of going to sleep, in which the device is awake.
                    _ => return true,
                };
                self.builder.suspend_step(time, step, start != 0);
            }
            event::SUSPEND_RESUME_MINIMAL => {
                let [_, start] = numbers(bytes);
                self.builder.suspend_step(time, SuspendStep::Minimal, start != 0);
            }
            event::TASK_NEWTASK => self.task_newtask(time, tid, bytes),
            event::TASK_RENAME => {
                let [_, pid] = numbers(bytes);
                let name = self.builder.names.intern_bytes(text(bytes, 3));
                self.builder.thread_renamed(time, pid as u32, name);
            }
            event::SCHED_PROCESS_EXIT => {
                let [_, _, pid] = numbers(bytes);
                self.builder.thread_exited(time, pid as u32);
            }
            event::SCHED_PROCESS_FREE => {
                let [_, _, pid] = numbers(bytes);
                self.builder.thread_freed(time, pid as u32);
            }
            event::CPUHP_ENTER | event::CPUHP_MULTI_ENTER => {
                let [_, hot] = numbers(bytes);
                self.builder.hotplug_step(hot as u32, time, cpu);
            }
            // Steps are told apart by their beginnings alone.
            event::CPUHP_EXIT => {}
            _ => return self.device_event(time, number, bytes),
        }
        true
    }

    /// Events of GPUs and buses. Whether there was a reader.
    fn device_event(&mut self, time: BootNanos, number: u32, bytes: &[u8]) -> bool {
        match number {
            event::GPU_FREQUENCY => {
                let [_, gpu, state] = numbers(bytes);
                self.builder.gpu_frequency(gpu as u32, time, Hertz::from_kilohertz(state));
            }
            event::KGSL_GPU_FREQUENCY => {
                let [_, frequency, gpu] = numbers(bytes);
                self.builder.gpu_frequency(gpu as u32, time, Hertz::from_kilohertz(frequency));
            }
            event::GPU_WORK_PERIOD => {
                let [_, gpu, uid, start, end, active] = numbers(bytes);
                let (start, end) = (start.cast_signed(), end.cast_signed());
                if end < start {
                    self.counts.unread("gpu_work_period that ends before it begins");
                    return true;
                }
                let start = BootNanos::new(start);
                let window = Window::new(start, BootNanos::new(end));
                let active = Nanos::new(active.cast_signed()).clamp(Nanos::ZERO, window.duration());
                let period = GpuWorkPeriod { window, uid: Uid(uid as u32), active };
                self.builder.gpu_work(gpu as u32, period);
            }
            event::MALI_GPU_POWER_STATE => {
                let [_, _, _, to] = numbers(bytes);
                self.builder.gpu_power_state(0, time, to.min(u64::from(u8::MAX)) as u8);
            }
            event::GPU_POWER_STATE => {
                let [_, _, new] = numbers(bytes);
                self.builder.gpu_power_state(0, time, new.min(u64::from(u8::MAX)) as u8);
            }
            event::DEVFREQ_FREQUENCY => {
                let [_, _, frequency] = numbers(bytes);
                let device = self.builder.names.intern_bytes(text(bytes, 1));
                let frequency = if frequency < DEVFREQ_IN_HERTZ_FROM {
                    Hertz::from_kilohertz(frequency)
                } else {
                    Hertz::new(frequency)
                };
                self.builder.devfreq(device, time, frequency);
            }
            _ => return false,
        }
        true
    }

    /// `SchedSwitchFtraceEvent`.
    fn sched_switch(&mut self, bundle: &Bundle, time: BootNanos, bytes: &[u8]) {
        let (mut prev, mut state, mut next) = (0, 0, 0);
        let (mut prev_comm, mut next_comm): (&[u8], &[u8]) = (&[], &[]);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                1 => prev_comm = field.value.bytes(),
                2 => prev = field.value.uint() as u32,
                4 => state = field.value.uint(),
                5 => next_comm = field.value.bytes(),
                6 => next = field.value.uint() as u32,
                _ => {}
            }
        }
        if !self.builder.switch(bundle.cpu, time, prev, task_state(state), next) {
            self.counts.note(Severity::Warning, "switch-mismatch", Some(bundle.offset), || {
                "a thread left a CPU that another one had come to: events were lost between"
                    .to_owned()
            });
        }
        for (tid, comm) in [(next, next_comm), (prev, prev_comm)] {
            if tid != 0 {
                self.builder.thread_comm(time, tid, comm);
            }
        }
    }

    /// `SchedWakingFtraceEvent` and its kin.
    fn sched_waking(&mut self, cpu: u32, time: BootNanos, bytes: &[u8], is_waking: bool) {
        let mut found = [0; 6];
        let mut comm: &[u8] = &[];
        for field in Fields::new(bytes).map_while(Result::ok) {
            match (field.number as usize, field.value) {
                (1, value) => comm = value.bytes(),
                (number, value) => {
                    if let Some(slot) = found.get_mut(number) {
                        *slot = value.uint();
                    }
                }
            }
        }
        let [_, _, pid, _, _, target] = found;
        let tid = pid as u32;
        if tid == 0 {
            return;
        }
        // `sched_wakeup` follows on the target's CPU and says nothing new of who woke whom.
        if is_waking {
            self.builder.wakeup(cpu, time, tid, target as u32);
        }
        self.builder.thread_comm(time, tid, comm);
    }

    /// `TaskNewtaskFtraceEvent`.
    fn task_newtask(&mut self, time: BootNanos, parent: u32, bytes: &[u8]) {
        let [_, pid, _, flags] = numbers(bytes);
        let tid = pid as u32;
        // At boot the kernel makes the idle tasks of its CPUs, which all have the number 0.
        if tid == 0 {
            return;
        }
        let name = self.builder.names.intern_bytes(text(bytes, 2));
        if flags & CLONE_THREAD == 0 {
            self.builder.process_new(time, parent, tid, name);
        } else {
            self.builder.thread_new(time, parent, tid, name);
        }
        self.builder.thread_name(time, tid, name, NameRank::Kernel);
    }

    fn hard_irq_entry(&mut self, cpu: u32, time: BootNanos, number: u32, bytes: &[u8]) {
        let is_ipi = number == event::IPI_ENTRY;
        let handler = text(bytes, if is_ipi { 1 } else { 2 });
        let kind = if is_ipi { "IPI" } else { "IRQ" };
        let name = format!("{kind} ({})", String::from_utf8_lossy(handler));
        let name = self.builder.names.intern(&name);
        self.builder.interrupt_begin(cpu, time, InterruptKind::Hard, name);
    }

    /// `ClockSetRateFtraceEvent` and its kin.
    fn clock_counter(&mut self, time: BootNanos, bytes: &[u8], of: &'static str) {
        let [_, _, state] = numbers(bytes);
        let clock = self.builder.names.intern_bytes(text(bytes, 1));
        let builder = &mut *self.builder;
        let key = *self.clock_counters.entry((clock, of)).or_insert_with(|| {
            let name = format!("{} {of}", builder.names.get(clock));
            let name = builder.names.intern(&name);
            builder.counter_track(RawScope::Global, name)
        });
        self.builder.counter(key, time, state as f64);
    }
}
