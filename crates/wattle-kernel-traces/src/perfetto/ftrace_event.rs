//! Kernel events (`FtraceEvent`).

use wattle_timeline::{IdleState, Severity, SuspendStep};
use wattle_units::{BootNanos, Hertz};
use wattle_wire::{Fields, Value, read_varint};

use super::Reader;
use super::ftrace::{Bundle, HeldEvents};
use super::generic_event::EventContext;
use crate::kernel::{
    Applied, BlockRequest, BlockStep, CLONE_THREAD, FileStep, GpuWork, Judgement, KernelEvent,
    OOM_SCORE, SOFT_IRQS, TracedFile, devfreq_frequency, print, suspend_resume, task_state,
};
use crate::perfetto_packets::FtraceEvent;

/// `FtraceEvent` (`ftrace_event.proto`).
mod event {
    pub const PRINT: u32 = 3;
    pub const CPU_FREQUENCY: u32 = 11;
    pub const CPU_FREQUENCY_LIMITS: u32 = 12;
    pub const CPU_IDLE: u32 = 13;
    pub const CLOCK_ENABLE: u32 = 14;
    pub const CLOCK_DISABLE: u32 = 15;
    pub const CLOCK_SET_RATE: u32 = 16;
    pub const SCHED_WAKEUP: u32 = 17;
    pub const SCHED_BLOCKED_REASON: u32 = 18;
    pub const IPI_ENTRY: u32 = 21;
    pub const IPI_EXIT: u32 = 22;
    pub const SOFTIRQ_ENTRY: u32 = 24;
    pub const SOFTIRQ_EXIT: u32 = 25;
    pub const IRQ_HANDLER_ENTRY: u32 = 36;
    pub const IRQ_HANDLER_EXIT: u32 = 37;
    pub const EXT4_DA_WRITE_BEGIN: u32 = 41;
    pub const EXT4_SYNC_FILE_ENTER: u32 = 43;
    pub const EXT4_SYNC_FILE_EXIT: u32 = 44;
    pub const BLOCK_RQ_ISSUE: u32 = 45;
    pub const SUSPEND_RESUME: u32 = 113;
    pub const SCHED_WAKEUP_NEW: u32 = 114;
    pub const BLOCK_RQ_COMPLETE: u32 = 125;
    pub const BLOCK_RQ_INSERT: u32 = 126;
    pub const EXT4_WRITE_BEGIN: u32 = 219;
    pub const EXT4_WRITEPAGES: u32 = 232;
    pub const EXT4_WRITEPAGES_RESULT: u32 = 233;
    pub const TASK_NEWTASK: u32 = 235;
    pub const TASK_RENAME: u32 = 236;
    pub const SCHED_PROCESS_EXIT: u32 = 238;
    pub const SCHED_PROCESS_FREE: u32 = 240;
    pub const F2FS_SUBMIT_WRITE_PAGE: u32 = 254;
    pub const F2FS_SYNC_FILE_ENTER: u32 = 255;
    pub const F2FS_SYNC_FILE_EXIT: u32 = 256;
    pub const F2FS_WRITE_BEGIN: u32 = 271;
    pub const OOM_SCORE_ADJ_UPDATE: u32 = 326;
    pub const GENERIC: u32 = 327;
    pub const GPU_FREQUENCY: u32 = 332;
    pub const CPUHP_EXIT: u32 = 343;
    pub const CPUHP_MULTI_ENTER: u32 = 344;
    pub const CPUHP_ENTER: u32 = 345;
    pub const WAKEUP_SOURCE_ACTIVATE: u32 = 404;
    pub const WAKEUP_SOURCE_DEACTIVATE: u32 = 405;
    pub const ANDROID_FS_DATAREAD_START: u32 = 432;
    pub const ANDROID_FS_DATAWRITE_START: u32 = 434;
    pub const ANDROID_FS_FSYNC_START: u32 = 436;
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

impl Reader<'_> {
    /// Reads one event of a bundle; its time, if it is used now.
    #[inline]
    pub(super) fn ftrace_event(
        &mut self,
        bundle: &Bundle,
        event: FtraceEvent<'_>,
    ) -> Option<BootNanos> {
        let time = self.event_time(bundle, event.timestamp)?;
        match self.held.events.judge(bundle.cpu, time.value()) {
            Judgement::Plausible => {}
            other => {
                let held = || HeldEvents { bundle: *bundle, events: event.into() };
                if !self.settle(other, time, held) {
                    return None;
                }
            }
        }
        self.event_at(bundle, time, event);
        Some(time)
    }

    /// Takes in an event whose time is right.
    #[inline]
    pub(super) fn event_at(&mut self, bundle: &Bundle, time: BootNanos, event: FtraceEvent<'_>) {
        let FtraceEvent { tid, number, bytes, .. } = event;
        self.builder.cpus().seen(bundle.cpu, time);
        if tid != 0 {
            self.builder.tasks().thread_seen(time, tid);
        }
        let event = if number == event::PRINT {
            // `ip`, then `buf`.
            Some(print(text(leading_numbers(bytes, &mut []), 2)))
        } else {
            kernel_event(number, bytes)
        };
        let Some(event) = event else {
            self.rare_event(EventContext { bundle, time, tid }, number, bytes);
            return;
        };
        match self.kernel.apply(self.builder, bundle.cpu, time, tid, event) {
            Applied::Used => {}
            Applied::Mismatch => self.switch_mismatch(bundle),
            Applied::Unread(what) => self.counts.unread(what),
        }
        self.counts.event(number, 1);
    }

    /// An event that is a driver's mark, or has no message of its own, or is not read.
    fn rare_event(&mut self, context: EventContext<'_>, number: u32, bytes: &[u8]) {
        if number == event::SCHED_BLOCKED_REASON {
            self.blocked_reason(context, bytes);
            self.counts.event(number, 1);
        } else if number == event::GENERIC {
            // Counted by its name.
            self.generic_event(context, bytes);
        } else if self.kernel_mark(context.time, context.tid, number, bytes) {
            self.counts.event(number, 1);
        } else if !self.described_event(context, number, bytes) {
            self.counts.unread_event(number);
        }
    }

    /// `SchedBlockedReasonFtraceEvent`: `pid` 1, `caller` 2 (the number of an interned symbol), `io_wait` 3.
    fn blocked_reason(&mut self, context: EventContext<'_>, bytes: &[u8]) {
        let [_, tid, caller, io_wait] = numbers(bytes);
        if tid == 0 {
            return;
        }
        let symbols = &self.sequence(context.bundle.writer).kernel_symbols;
        let function = symbols.get(&caller).copied();
        self.builder.cpus().blocked(context.time, tid as u32, io_wait != 0, function);
    }

    #[cold]
    pub(super) fn switch_mismatch(&mut self, bundle: &Bundle) {
        self.counts.note(Severity::Warning, "switch-mismatch", Some(bundle.offset), || {
            "a thread left a CPU that another one had come to: events were lost between".to_owned()
        });
    }
}

/// The event with this number; `None` if it is not known, or not usable.
#[inline]
fn kernel_event(number: u32, bytes: &[u8]) -> Option<KernelEvent<'_>> {
    Some(match number {
        SCHED_SWITCH => sched_switch(bytes),
        SCHED_WAKING => {
            let (tid, comm, target) = sched_waking(bytes);
            KernelEvent::Waking { tid, comm, target }
        }
        event::SCHED_WAKEUP | event::SCHED_WAKEUP_NEW => {
            let (tid, comm, target) = sched_waking(bytes);
            KernelEvent::Woken { tid, comm, target }
        }
        event::CPU_FREQUENCY => {
            let [_, state, cpu] = numbers(bytes);
            KernelEvent::Frequency { cpu: cpu as u32, frequency: Hertz::from_kilohertz(state) }
        }
        event::CPU_FREQUENCY_LIMITS => {
            let [_, min, max, cpu] = numbers(bytes);
            let (min, max) = (Hertz::from_kilohertz(min), Hertz::from_kilohertz(max));
            KernelEvent::FrequencyLimits { cpu: cpu as u32, min, max }
        }
        event::CPU_IDLE => {
            let [_, state, cpu] = numbers(bytes);
            KernelEvent::Idle { cpu: cpu as u32, state: IdleState::from_event(state as u32) }
        }
        event::CLOCK_SET_RATE => clock_counter(bytes, "Frequency"),
        event::CLOCK_ENABLE | event::CLOCK_DISABLE => clock_counter(bytes, "State"),
        event::OOM_SCORE_ADJ_UPDATE => {
            let [_, _, score, pid] = numbers(bytes);
            let value = f64::from(score as i32);
            KernelEvent::ProcessCounter { pid: pid as u32, name: OOM_SCORE, value }
        }
        event::IRQ_HANDLER_ENTRY => {
            KernelEvent::HardIrqBegin { kind: "IRQ", handler: text(bytes, 2) }
        }
        event::IPI_ENTRY => KernelEvent::HardIrqBegin { kind: "IPI", handler: text(bytes, 1) },
        event::IRQ_HANDLER_EXIT | event::IPI_EXIT => KernelEvent::HardIrqEnd,
        event::SOFTIRQ_ENTRY => {
            let [_, vec] = numbers(bytes);
            let vec = u32::try_from(vec).ok().filter(|vec| (*vec as usize) < SOFT_IRQS.len())?;
            KernelEvent::SoftIrqBegin { vec }
        }
        event::SOFTIRQ_EXIT => KernelEvent::SoftIrqEnd,
        event::SUSPEND_RESUME => {
            let [_, _, _, start] = numbers(bytes);
            suspend_resume(text(bytes, 1), start != 0)
        }
        event::SUSPEND_RESUME_MINIMAL => {
            let [_, start] = numbers(bytes);
            KernelEvent::Suspend { step: SuspendStep::Minimal, is_start: start != 0 }
        }
        event::WAKEUP_SOURCE_ACTIVATE => {
            KernelEvent::WakeupSource { name: text(bytes, 1), is_on: true }
        }
        event::WAKEUP_SOURCE_DEACTIVATE => {
            KernelEvent::WakeupSource { name: text(bytes, 1), is_on: false }
        }
        event::TASK_NEWTASK => {
            let [_, pid, _, flags] = numbers(bytes);
            let is_thread = flags & CLONE_THREAD != 0;
            KernelEvent::NewTask { tid: pid as u32, comm: text(bytes, 2), is_thread }
        }
        event::TASK_RENAME => {
            let [_, pid] = numbers(bytes);
            KernelEvent::Rename { tid: pid as u32, comm: text(bytes, 3) }
        }
        event::SCHED_PROCESS_EXIT => {
            let [_, _, pid] = numbers(bytes);
            KernelEvent::Exit { tid: pid as u32 }
        }
        event::SCHED_PROCESS_FREE => {
            let [_, _, pid] = numbers(bytes);
            KernelEvent::Free { tid: pid as u32 }
        }
        event::CPUHP_ENTER | event::CPUHP_MULTI_ENTER => {
            let [_, hot] = numbers(bytes);
            KernelEvent::HotplugStep { cpu: hot as u32 }
        }
        // Steps are told apart by their beginnings alone.
        event::CPUHP_EXIT => KernelEvent::Nothing,
        _ => return device_event(number, bytes),
    })
}

/// `BlockRqIssueFtraceEvent` and its kin.
fn block_request(step: BlockStep, bytes: &[u8]) -> KernelEvent<'_> {
    let [_, device, sector, sectors] = numbers(bytes);
    match BlockRequest::new(device, (sector, sectors as u32), text(bytes, 5)) {
        Some(request) => KernelEvent::Block { step, request },
        None => KernelEvent::Nothing,
    }
}

/// `Ext4DaWriteBeginFtraceEvent` and its kin, of ext4 and f2fs: device and inode come first.
fn file(step: FileStep, bytes: &[u8]) -> KernelEvent<'_> {
    let [_, _, inode] = numbers(bytes);
    KernelEvent::File { step, file: TracedFile { inode, path: None } }
}

/// `AndroidFsDatareadStartFtraceEvent` and its kin, by the places of inode and path.
fn android_file(step: FileStep, (inode, path): (u32, u32), bytes: &[u8]) -> KernelEvent<'_> {
    let inode = Fields::find(bytes, inode).map_or(0, Value::uint);
    KernelEvent::File { step, file: TracedFile { inode, path: Some(text(bytes, path)) } }
}

/// Events of GPUs, buses and disks.
fn device_event(number: u32, bytes: &[u8]) -> Option<KernelEvent<'_>> {
    Some(match number {
        event::GPU_FREQUENCY => {
            let [_, gpu, state] = numbers(bytes);
            KernelEvent::GpuFrequency { gpu: gpu as u32, frequency: Hertz::from_kilohertz(state) }
        }
        event::KGSL_GPU_FREQUENCY => {
            let [_, frequency, gpu] = numbers(bytes);
            let frequency = Hertz::from_kilohertz(frequency);
            KernelEvent::GpuFrequency { gpu: gpu as u32, frequency }
        }
        event::GPU_WORK_PERIOD => {
            let [_, gpu, uid, start, end, active] = numbers(bytes);
            let (start, end, active) =
                (start.cast_signed(), end.cast_signed(), active.cast_signed());
            KernelEvent::GpuWork(GpuWork { gpu: gpu as u32, uid: uid as u32, start, end, active })
        }
        event::MALI_GPU_POWER_STATE => {
            let [_, _, _, state] = numbers(bytes);
            KernelEvent::GpuPowerState { state }
        }
        event::GPU_POWER_STATE => {
            let [_, _, state] = numbers(bytes);
            KernelEvent::GpuPowerState { state }
        }
        event::BLOCK_RQ_INSERT => block_request(BlockStep::Inserted, bytes),
        event::BLOCK_RQ_ISSUE => block_request(BlockStep::Issued, bytes),
        event::BLOCK_RQ_COMPLETE => block_request(BlockStep::Completed, bytes),
        event::EXT4_DA_WRITE_BEGIN | event::EXT4_WRITE_BEGIN | event::F2FS_WRITE_BEGIN => {
            file(FileStep::Written, bytes)
        }
        event::EXT4_WRITEPAGES | event::F2FS_SUBMIT_WRITE_PAGE => file(FileStep::WritesOut, bytes),
        event::EXT4_SYNC_FILE_ENTER | event::F2FS_SYNC_FILE_ENTER => file(FileStep::Begins, bytes),
        event::EXT4_WRITEPAGES_RESULT | event::EXT4_SYNC_FILE_EXIT | event::F2FS_SYNC_FILE_EXIT => {
            file(FileStep::Ends, bytes)
        }
        event::ANDROID_FS_DATAREAD_START => android_file(FileStep::Begins, (4, 6), bytes),
        event::ANDROID_FS_DATAWRITE_START => android_file(FileStep::Written, (4, 6), bytes),
        event::ANDROID_FS_FSYNC_START => android_file(FileStep::Begins, (3, 4), bytes),
        event::DEVFREQ_FREQUENCY => {
            let [_, _, frequency] = numbers(bytes);
            let frequency = devfreq_frequency(frequency);
            KernelEvent::Devfreq { device: text(bytes, 1), frequency }
        }
        _ => return None,
    })
}

/// `SchedSwitchFtraceEvent`.
#[inline]
fn sched_switch(bytes: &[u8]) -> KernelEvent<'_> {
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
    KernelEvent::Switch { prev, prev_comm, prev_state: task_state(state), next, next_comm }
}

/// `SchedWakingFtraceEvent` and its kin: thread, its name, target CPU.
#[inline]
fn sched_waking(bytes: &[u8]) -> (u32, &[u8], u32) {
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
    (pid as u32, comm, target as u32)
}

/// `ClockSetRateFtraceEvent` and its kin.
fn clock_counter<'a>(bytes: &'a [u8], of: &'static str) -> KernelEvent<'a> {
    let [_, _, state] = numbers(bytes);
    KernelEvent::Counter { name: text(bytes, 1), of, value: state as f64 }
}
