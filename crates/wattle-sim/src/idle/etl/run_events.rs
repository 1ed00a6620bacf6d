//! Events of a run: switches, wake-ups, samples, their stacks, and the disk.

use super::event_buffers::{Hook, Log, Place};
use super::rundown::file_object;
use super::{PointerSize, ticks, timer_events};
use crate::idle::idle_run::{DiskRequest, IdleRun, RunSample, RunSwitch, RunWaking};
use crate::idle::{RequestKind, TimerRequest};

const SWITCH: Hook = Hook { group: 0x05, kind: 36, version: 4 };
const READY: Hook = Hook { group: 0x05, kind: 50, version: 2 };
const SAMPLE: Hook = Hook { group: 0x0F, kind: 46, version: 2 };
const STACK: Hook = Hook { group: 0x18, kind: 32, version: 2 };
/// `EVENT_TRACE_TYPE_IO_READ`.
const DISK: Hook = Hook { group: 0x01, kind: 10, version: 3 };

/// `KTHREAD_STATE`.
const READY_STATE: u8 = 1;
const RUNNING_STATE: u8 = 2;
const WAITING_STATE: u8 = 5;
/// `KWAIT_REASON`: `WrUserRequest`, `WrPreempted`.
const USER_REQUEST: u8 = 6;
const PREEMPTED: u8 = 32;

/// Something that is an event.
#[derive(Clone, Copy)]
enum Doing<'a> {
    Waking(&'a RunWaking),
    Switch(&'a RunSwitch),
    Sample(&'a RunSample),
    DiskBegin(usize, &'a DiskRequest),
    DiskEnd(usize, &'a DiskRequest),
    /// A process asks for a finer clock, or does so no more.
    Timer(TimerRequest, bool),
}

/// Everything, in order of time.
pub(super) fn write(run: &IdleRun, log: &mut Log) {
    let mut doings: Vec<(i64, Doing<'_>)> = Vec::new();
    doings.extend(
        run.disk
            .iter()
            .enumerate()
            .map(|(index, it)| (ticks(it.begin), Doing::DiskBegin(index, it))),
    );
    doings.extend(run.samples.iter().map(|it| (ticks(it.time), Doing::Sample(it))));
    let done = run.disk.iter().enumerate().filter(|(_, it)| it.end < run.end);
    doings.extend(done.map(|(index, it)| (ticks(it.end), Doing::DiskEnd(index, it))));
    doings.extend(run.wakings.iter().map(|it| (ticks(it.time), Doing::Waking(it))));
    let timers = timer_events::changes(run).into_iter();
    doings.extend(timers.map(|(time, request, asks)| (time, Doing::Timer(request, asks))));
    doings.extend(run.switches.iter().map(|it| (ticks(it.time), Doing::Switch(it))));
    // Stable: of one tick, what asks the disk comes before the switch away.
    doings.sort_by_key(|(time, _)| *time);
    for (time, doing) in doings {
        match doing {
            Doing::Waking(waking) => {
                let tid = run.threads[waking.thread as usize].tid;
                // `TThreadId`, `AdjustReason`, `AdjustIncrement`, `Flag`, `Reserved`.
                let payload = log.payload().u32(tid).raw(&[1, 0, 0, 0]);
                log.short(READY, waking.core, time, payload);
            }
            Doing::Switch(it) => switch(run, log, time, it),
            Doing::Sample(it) => sample(run, log, time, it),
            Doing::DiskBegin(index, it) => disk_begin(run, log, index, it),
            Doing::DiskEnd(index, it) => disk_end(run, log, index, it),
            Doing::Timer(request, asks) => timer_events::change(run, log, time, request, asks),
        }
    }
}

/// `CSwitch`, and the stack of the thread that comes: where it was when it went.
fn switch(run: &IdleRun, log: &mut Log, time: i64, switch: &RunSwitch) {
    let tid = |thread: Option<u32>| thread.map_or(0, |it| run.threads[it as usize].tid);
    let (state, reason) = match (switch.from, switch.sleeps) {
        (None, _) => (RUNNING_STATE, 0),
        (Some(_), true) => (WAITING_STATE, USER_REQUEST),
        (Some(_), false) => (READY_STATE, PREEMPTED),
    };
    let priority = |thread: Option<u32>| if thread.is_some() { 8 } else { 0 };
    let payload = log
        .payload()
        .u32(tid(switch.to))
        .u32(tid(switch.from))
        .u8(priority(switch.to))
        .u8(priority(switch.from))
        // `PreviousCState`, `SpareByte`.
        .u8(u8::from(switch.from.is_none()))
        .u8(0)
        .u8(reason)
        // `OldThreadWaitMode` (before version 3) or `ThreadFlags`.
        .u8(1)
        .u8(state)
        // `OldThreadWaitIdealProcessor`, `NewThreadWaitTime`, `Reserved`.
        .u8(switch.core as u8)
        .u32(1)
        .u32(0);
    let version = log.form().switch_version;
    log.short(Hook { version, ..SWITCH }, switch.core, time, payload);
    if let (Some(thread), Some(stack_of)) = (switch.to, switch.to_stack) {
        stack(run, log, (switch.core, time), thread, stack_of);
    }
}

/// `SampledProfile`: `InstructionPointer`, `ThreadId`, `Count`, `Reserved`.
fn sample(run: &IdleRun, log: &mut Log, time: i64, sample: &RunSample) {
    let frames = addresses(run, sample.thread, sample.stack);
    let pointer = frames.first().map_or(0, |(address, _)| *address);
    let tid = run.threads[sample.thread as usize].tid;
    let payload = log.payload().pointer(pointer).u32(tid).u16(1).u16(0);
    log.short(SAMPLE, sample.core, time, payload);
    stack(run, log, (sample.core, time), sample.thread, sample.stack);
}

/// `StackWalk_Event`: `EventTimeStamp`, `StackProcess`, `StackThread`, addresses from the innermost frame on. A Windows of 64 bits walks
/// the kernel's frames and the program's apart, and writes an event for each of them.
fn stack(run: &IdleRun, log: &mut Log, (core, time): (u32, i64), thread: u32, of: u32) {
    let frames = addresses(run, thread, of);
    let kernel = frames.iter().take_while(|(_, is_kernel)| *is_kernel).count();
    let parts = match log.form().pointers {
        PointerSize::Four => vec![&frames[..]],
        PointerSize::Eight => vec![&frames[..kernel], &frames[kernel..]],
    };
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let (pid, tid) = (run.process(thread).pid, run.threads[thread as usize].tid);
        let head = log.payload().i64(time).u32(pid).u32(tid);
        let payload = part.iter().fold(head, |payload, (address, _)| payload.pointer(*address));
        log.short(STACK, core, time, payload);
    }
}

/// Addresses from the innermost frame on, and whether they are the kernel's.
fn addresses(run: &IdleRun, thread: u32, stack: u32) -> Vec<(u64, bool)> {
    let modules = &run.process(thread).modules;
    let frames = run.stacks[stack as usize].iter().rev();
    frames
        .map(|frame| {
            let module = &modules[usize::from(frame.module)];
            (module.base + frame.offset, module.is_kernel)
        })
        .collect()
}

/// `Irp` of an operation: what its beginning and its end have in common. They are used again.
const fn irp(index: usize) -> u64 {
    0xFFFF_A100_0000_2000 + 0x200 * (index % 64) as u64
}

/// The event of an operation's end; that of its beginning is two more, of a flush one more.
const fn disk_type(kind: RequestKind) -> u8 {
    match kind {
        RequestKind::Read => DISK.kind,
        RequestKind::Write => DISK.kind + 1,
        RequestKind::Flush => DISK.kind + 4,
    }
}

/// `DiskIo_TypeGroup2` (`ReadInit`, `WriteInit`, `FlushInit`): `Irp`, `IssuingThreadId`.
fn disk_begin(run: &IdleRun, log: &mut Log, index: usize, it: &DiskRequest) {
    let tid = run.threads[it.thread as usize].tid;
    let payload = log.payload().pointer(irp(index)).u32(tid);
    let begins = if it.kind == RequestKind::Flush { 1 } else { 2 };
    let hook = Hook { kind: disk_type(it.kind) + begins, ..DISK };
    let place =
        Place { core: it.core, ticks: ticks(it.begin), pid: run.process(it.thread).pid, tid };
    log.long(hook, place, payload);
}

/// `DiskIo_TypeGroup1` (`Read`, `Write`), `DiskIo_TypeGroup3` (`Flush`).
fn disk_end(run: &IdleRun, log: &mut Log, index: usize, it: &DiskRequest) {
    // Completed by an interrupt, on whichever thread was there: the idle one.
    let place = Place { core: it.core, ticks: ticks(it.end), pid: 0, tid: 0 };
    let hook = Hook { kind: disk_type(it.kind), ..DISK };
    let (response, tid) = (ticks(it.end) - ticks(it.begin), run.threads[it.thread as usize].tid);
    if it.kind == RequestKind::Flush {
        // `DiskNumber`, `IrpFlags`, `HighResResponseTime`, `Irp`, `IssuingThreadId`.
        let head = log.payload().u32(0).u32(0x0006_0000).i64(response);
        let payload = head.pointer(irp(index)).u32(tid);
        log.long(hook, place, payload);
        return;
    }
    let payload = log
        .payload()
        // `DiskNumber`, `IrpFlags`, `TransferSize`, `Reserved`.
        .u32(0)
        .u32(0x0006_0043)
        .u32(it.bytes)
        .u32(0)
        .i64(it.offset)
        .pointer(file_object(it.file))
        .pointer(irp(index))
        // `HighResResponseTime`, `IssuingThreadId`.
        .i64(response)
        .u32(tid);
    log.long(hook, place, payload);
}
