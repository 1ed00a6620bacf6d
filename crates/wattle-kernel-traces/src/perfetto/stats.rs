//! The recorder's statistics about itself: losses, and the time of its start.

use rustc_hash::FxHashMap;
use wattle_timeline::Severity;
use wattle_units::BootNanos;
use wattle_wire::{Fields, Value};

use super::Reader;

/// `FtraceStats` (`ftrace_stats.proto`).
mod ftrace {
    pub const PHASE: u32 = 1;
    pub const CPU_STATS: u32 = 2;
    pub const PHASE_END: u64 = 2;
    /// `FtraceCpuStats`.
    pub const CPU: u32 = 1;
    pub const OVERRUN: u32 = 3;
    pub const COMMIT_OVERRUN: u32 = 4;
    pub const DROPPED_EVENTS: u32 = 8;
}

/// `TraceStats.BufferStats` (`trace_stats.proto`): chunks and packets that were lost.
const BUFFER_LOSSES: [u32; 4] = [
    3,  // chunks_overwritten
    18, // chunks_discarded
    9,  // abi_violations
    19, // trace_writer_packet_loss
];

/// Losses at the start, and those that were counted already.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Lost events of each CPU at the start, by the kernel's count.
    overruns: FxHashMap<u32, u64>,
    /// Losses of the recorder's buffers that were counted already.
    of_buffers: u64,
}

impl Reader<'_> {
    /// `FtraceStats`: the kernel's count of lost events, from boot; what was lost is end minus start.
    pub(super) fn ftrace_stats(&mut self, writer: u32, bytes: &[u8]) {
        let phase = Fields::find(bytes, ftrace::PHASE).map_or(0, Value::uint);
        if phase == ftrace::PHASE_END {
            self.end.ended(writer);
        }
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number != ftrace::CPU_STATS {
                continue;
            }
            let (mut cpu, mut lost) = (0, 0u64);
            for field in Fields::new(field.value.bytes()).map_while(Result::ok) {
                match field.number {
                    ftrace::CPU => cpu = field.value.uint() as u32,
                    ftrace::OVERRUN | ftrace::COMMIT_OVERRUN | ftrace::DROPPED_EVENTS => {
                        lost = lost.saturating_add(field.value.uint());
                    }
                    _ => {}
                }
            }
            if phase == ftrace::PHASE_END {
                let before = self.losses.overruns.remove(&cpu).unwrap_or(0);
                let lost = lost.saturating_sub(before);
                self.counts.lost_events = self.counts.lost_events.saturating_add(lost);
                if lost > 0 {
                    self.counts.note(Severity::Warning, "ftrace-overrun", None, || {
                        format!("the kernel lost {lost} events of CPU {cpu}")
                    });
                }
            } else if self.losses.overruns.len() < wattle_import::limits::MAX_INTERNED {
                self.losses.overruns.insert(cpu, lost);
            }
        }
    }

    /// `TraceStats`.
    pub(super) fn trace_stats(&mut self, bytes: &[u8]) {
        let mut lost = 0u64;
        for field in Fields::new(bytes).map_while(Result::ok).filter(|f| f.number == 1) {
            for field in Fields::new(field.value.bytes()).map_while(Result::ok) {
                if BUFFER_LOSSES.contains(&field.number) {
                    lost = lost.saturating_add(field.value.uint());
                }
            }
        }
        // Each snapshot counts from the beginning.
        let news = lost.saturating_sub(self.losses.of_buffers);
        self.losses.of_buffers = self.losses.of_buffers.max(lost);
        self.counts.lost_events = self.counts.lost_events.saturating_add(news);
        if news > 0 {
            self.counts.note(Severity::Warning, "buffer-losses", None, || {
                "the recorder's buffers lost chunks or packets (overwritten or discarded)"
                    .to_owned()
            });
        }
    }

    /// `TracingServiceEvent`.
    pub(super) fn service_event(&mut self, time: BootNanos, bytes: &[u8]) {
        const TRACING_STARTED: u32 = 2;
        if Fields::find(bytes, TRACING_STARTED).is_some_and(Value::bool) {
            self.started = time;
        }
    }
}
