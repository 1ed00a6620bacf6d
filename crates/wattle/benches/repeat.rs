//! A real trace, made long: its repeating packets again and again with shifted clocks.

use wattle_wire::{Fields, Value, Writer};

/// Fields of Perfetto's `TracePacket`.
mod packet {
    pub const FTRACE_EVENTS: u32 = 1;
    pub const TIMESTAMP: u32 = 8;
    pub const SYS_STATS: u32 = 7;
    pub const BATTERY: u32 = 38;
    pub const POWER_RAILS: u32 = 40;
}
/// Fields of `FtraceEventBundle`.
mod bundle {
    pub const EVENT: u32 = 2;
    pub const COMPACT_SCHED: u32 = 4;
    pub const LAST_READ_EVENT_TIMESTAMP: u32 = 9;
    pub const PREVIOUS_BUNDLE_END_TIMESTAMP: u32 = 10;
}
/// Fields of `FtraceEventBundle.CompactSched`.
mod compact {
    pub const SWITCH_TIMESTAMP: u32 = 1;
    pub const WAKING_TIMESTAMP: u32 = 7;
}
/// `FtraceEvent.timestamp`.
const EVENT_TIMESTAMP: u32 = 1;
/// `Trace.packet`.
const PACKET: u32 = 1;

/// The trace `times` times over, each copy `period` nanoseconds after the one before. Packets that a
/// recorder writes once (process tree, packages, configuration) are not repeated. Rail counters go on
/// counting from where the last copy ended only in their clock: their values repeat, which readers see as
/// a reset.
pub fn repeat(trace: &[u8], times: u32, period: u64) -> Vec<u8> {
    let mut out = Writer::new();
    for copy in 0..times {
        for field in Fields::new(trace).flatten() {
            let Value::Len(bytes) = field.value else { continue };
            let repeats = Fields::new(bytes).flatten().any(|field| {
                matches!(
                    field.number,
                    packet::FTRACE_EVENTS
                        | packet::SYS_STATS
                        | packet::BATTERY
                        | packet::POWER_RAILS
                )
            });
            if copy == 0 {
                out.bytes(PACKET, bytes);
            } else if repeats {
                out.message(PACKET, |out| shift_packet(bytes, u64::from(copy) * period, out));
            }
        }
    }
    out.into_bytes()
}

fn shift_packet(bytes: &[u8], by: u64, out: &mut Writer) {
    for field in Fields::new(bytes).flatten() {
        match (field.number, field.value) {
            (packet::TIMESTAMP, Value::Varint(time)) => out.varint(packet::TIMESTAMP, time + by),
            (packet::FTRACE_EVENTS, Value::Len(bytes)) => {
                out.message(packet::FTRACE_EVENTS, |out| shift_bundle(bytes, by, out));
            }
            (number, value) => copy_field(number, value, out),
        }
    }
}

fn shift_bundle(bytes: &[u8], by: u64, out: &mut Writer) {
    for field in Fields::new(bytes).flatten() {
        match (field.number, field.value) {
            (bundle::EVENT, Value::Len(bytes)) => out.message(bundle::EVENT, |out| {
                for field in Fields::new(bytes).flatten() {
                    match (field.number, field.value) {
                        (EVENT_TIMESTAMP, Value::Varint(t)) => out.varint(EVENT_TIMESTAMP, t + by),
                        (number, value) => copy_field(number, value, out),
                    }
                }
            }),
            (bundle::COMPACT_SCHED, Value::Len(bytes)) => {
                out.message(bundle::COMPACT_SCHED, |out| shift_compact(bytes, by, out));
            }
            (
                number
                @ (bundle::LAST_READ_EVENT_TIMESTAMP | bundle::PREVIOUS_BUNDLE_END_TIMESTAMP),
                Value::Varint(time),
            ) => out.varint(number, time + by),
            (number, value) => copy_field(number, value, out),
        }
    }
}

/// Timestamps are packed deltas; only the first is absolute.
fn shift_compact(bytes: &[u8], by: u64, out: &mut Writer) {
    for field in Fields::new(bytes).flatten() {
        match (field.number, field.value) {
            (
                number @ (compact::SWITCH_TIMESTAMP | compact::WAKING_TIMESTAMP),
                Value::Len(packed),
            ) => {
                let mut deltas: Vec<u64> = wattle_wire::PackedVarints::new(packed).collect();
                if let Some(first) = deltas.first_mut() {
                    *first += by;
                }
                out.packed(number, deltas);
            }
            (number, value) => copy_field(number, value, out),
        }
    }
}

fn copy_field(number: u32, value: Value<'_>, out: &mut Writer) {
    match value {
        Value::Varint(value) => out.varint(number, value),
        Value::Len(bytes) => out.bytes(number, bytes),
        Value::I64(value) => out.fixed64(number, value),
        Value::I32(value) => out.fixed32(number, value),
    }
}
