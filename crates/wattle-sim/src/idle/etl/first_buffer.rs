//! The first buffer: what the log is.

use super::event_buffers::{BufferFacts, Hook, Place, buffer, system_event};
use super::{EtlForm, FREQUENCY, Payload, ticks};
use crate::idle::idle_run::IdleRun;

/// 2024-01-01 00:00 UTC as `FILETIME`: 100 ns since 1601.
const BEGUN: i64 = 133_485_408_000_000_000;
/// `EVENT_TRACE_SYSTEM_LOGGER_MODE | EVENT_TRACE_FILE_MODE_SEQUENTIAL`.
const LOG_FILE_MODE: u32 = 0x0200_0001;
/// `TIME_ZONE_INFORMATION` in bytes.
const TIME_ZONE: usize = 172;

/// The buffer with the header event of group 0 and type 0 (`EventTrace_Header`, `TRACE_LOGFILE_HEADER`).
pub(super) fn first_buffer(run: &IdleRun, form: EtlForm, buffers: u32) -> Vec<u8> {
    let begun = ticks(run.start);
    let length = ticks(run.end) - begun;
    let payload = Payload::new(form.pointers)
        .u32(form.buffer_size)
        // `Version`: 10.0, 1.5; `ProviderVersion`: the build.
        .raw(&[10, 0, 1, 5])
        .u32(19_045)
        .u32(run.cores)
        .i64(BEGUN + length)
        // `TimerResolution`, in 100 ns.
        .u32(156_250)
        .u32(0)
        .u32(LOG_FILE_MODE)
        .u32(buffers)
        .u32(1)
        .u32(form.pointers.bytes() as u32)
        // `EventsLost`, `CpuSpeedInMHz`.
        .u32(0)
        .u32(1800)
        // `LoggerName` and `LogFileName`: pointers that mean nothing in a file; the texts come last.
        .pointer(0)
        .pointer(0)
        .raw(&[0; TIME_ZONE])
        .align(8)
        // `BootTime`, `PerfFreq`, `StartTime`.
        .i64(BEGUN - begun)
        .i64(FREQUENCY)
        .i64(BEGUN)
        // `ReservedFlags`: the clock is the performance counter.
        .u32(1)
        // `BuffersLost`.
        .u32(0)
        .wide("NT Kernel Logger")
        .wide("C:\\idle.etl");
    let hook = Hook { group: 0, kind: 0, version: 2 };
    let place = Place { core: 0, ticks: begun, pid: 4, tid: 8 };
    let event = system_event(form.pointers, hook, place, payload).align(8).bytes();
    // `ETW_BUFFER_TYPE_HEADER`.
    let facts = BufferFacts { core: 0, sequence: 0, ticks: begun, flags: 0x21, kind: 4 };
    buffer(form, facts, &event)
}
