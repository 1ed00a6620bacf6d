//! Events of `Microsoft-Windows-Kernel-Power` about the clock, as its manifest has them.

use wattle_units::Nanos;

use super::event_buffers::{Log, ModernEvent, Place};
use super::ticks;
use crate::idle::TimerRequest;
use crate::idle::idle_run::IdleRun;

/// `Microsoft-Windows-Kernel-Power`, {331C3B3A-2005-44C2-AC5E-77220C37D6B4}.
const KERNEL_POWER: [u8; 16] = [
    0x3A, 0x3B, 0x1C, 0x33, 0x05, 0x20, 0xC2, 0x44, 0xAC, 0x5E, 0x77, 0x22, 0x0C, 0x37, 0xD6, 0xB4,
];
/// `SystemTimeResolutionChange`, `…Update`, `…Rundown`, `…RequestRundown`.
const CHANGE: ModernEvent = ModernEvent { provider: KERNEL_POWER, id: 63, version: 1 };
const UPDATE: ModernEvent = ModernEvent { provider: KERNEL_POWER, id: 95, version: 0 };
const RUNDOWN: ModernEvent = ModernEvent { provider: KERNEL_POWER, id: 96, version: 1 };
const REQUEST: ModernEvent = ModernEvent { provider: KERNEL_POWER, id: 97, version: 0 };

/// The clock's own period and its finest, in units of 100 ns.
const COARSE: u32 = 156_250;
const FINE: u32 = 5000;

fn units(period: Nanos) -> u32 {
    u32::try_from(period.value() / 100).unwrap_or(COARSE).clamp(FINE, COARSE)
}

/// The clock's period at a time: the finest that anybody asks for.
fn current(requests: &[TimerRequest], at: Nanos) -> u32 {
    let held = requests.iter().filter(|it| it.from <= at && it.to.is_none_or(|to| at < to));
    held.map(|it| units(it.period)).min().unwrap_or(COARSE)
}

/// Lists of what is so when the log begins.
pub(super) fn begin(run: &IdleRun, log: &mut Log) {
    if run.timer_requests.is_empty() {
        return;
    }
    let place = Place { core: 0, ticks: ticks(run.start), pid: 4, tid: 8 };
    let now = current(&run.timer_requests, Nanos::ZERO);
    // `CurrentPeriod`, `MinimumPeriod`, `MaximumPeriod`, and three of the kernel's own requests.
    let head = log.payload().u32(now).u32(FINE).u32(COARSE);
    let payload = head.u32(0).u32(COARSE).u32(0);
    log.modern(RUNDOWN, place, payload);
    for request in run.timer_requests.iter().filter(|it| it.from == Nanos::ZERO) {
        let name = name(run, request.pid);
        // `RequestedPeriod`, `Pid`, `AppNameLength`, `AppName`.
        let head = log.payload().u32(units(request.period)).u32(request.pid);
        let payload = head.u16(name.encode_utf16().count() as u16 + 1).wide(&name);
        log.modern(REQUEST, place, payload);
    }
}

/// Changes of requests, with their times in ticks.
pub(super) fn changes(run: &IdleRun) -> Vec<(i64, TimerRequest, bool)> {
    let at = |after: Nanos| ticks(run.start + after);
    let mut changes = Vec::new();
    for request in &run.timer_requests {
        if request.from > Nanos::ZERO {
            changes.push((at(request.from), *request, true));
        }
        if let Some(to) = request.to.filter(|to| run.start + *to < run.end) {
            changes.push((at(to), *request, false));
        }
    }
    changes
}

/// A process asks, or asks no more.
pub(super) fn change(run: &IdleRun, log: &mut Log, time: i64, request: TimerRequest, asks: bool) {
    let tid = run.threads.iter().find(|it| {
        run.processes.get(usize::from(it.process)).is_some_and(|of| of.pid == request.pid)
    });
    let tid = tid.map_or(0, |it| it.tid);
    let place = Place { core: 0, ticks: time, pid: request.pid, tid };
    let name = name(run, request.pid);
    // `RequestedResolution`, `Pid`, `AppNameLength`, `AppName`, `SubProcessTag`.
    let period = if asks { units(request.period) } else { 0 };
    let head = log.payload().u32(period).u32(request.pid);
    let payload = head.u16(name.encode_utf16().count() as u16 + 1).wide(&name).u32(0);
    log.modern(CHANGE, place, payload);
    let after = if asks { request.from } else { request.to.unwrap_or(request.from) };
    let payload = log.payload().u32(current(&run.timer_requests, after));
    log.modern(UPDATE, place, payload);
}

/// The path of a process's program.
fn name(run: &IdleRun, pid: u32) -> String {
    let process = run.processes.iter().find(|it| it.pid == pid);
    let path = process.and_then(|it| it.modules.first()).map(|it| it.path.clone());
    path.unwrap_or_default()
}
