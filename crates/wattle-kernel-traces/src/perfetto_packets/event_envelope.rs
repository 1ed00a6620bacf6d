//! `FtraceEvent`: time and thread of a kernel event, and which one it is.

use wattle_wire::{Fields, read_varint};

/// `FtraceEvent` (`ftrace_event.proto`): what all events have, and those that say what a CPU does.
mod field {
    pub const TIMESTAMP: u32 = 1;
    pub const PID: u32 = 2;
    pub const SCHED_SWITCH: u32 = 4;
    pub const CPU_FREQUENCY: u32 = 11;
    pub const CPU_IDLE: u32 = 13;
}

/// A kernel event, before it is known what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FtraceEvent<'a> {
    /// Its time, in the clock of its bundle.
    pub timestamp: u64,
    /// The thread that was on the CPU.
    pub tid: u32,
    /// Number of the event in `FtraceEvent`; [`ftrace_event_name`](super::ftrace_event_name) has its name.
    pub number: u32,
    /// The message of the event.
    pub bytes: &'a [u8],
}

impl<'a> FtraceEvent<'a> {
    /// Reads what all events have; `None` if it is no event.
    #[inline]
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        Self::parse_usual(bytes).or_else(|| Self::parse_any(bytes))
    }

    /// As every recorder writes it: timestamp, thread, one event, and nothing else.
    #[inline]
    fn parse_usual(bytes: &'a [u8]) -> Option<Self> {
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
        let event = Self { timestamp, tid, number: (tag >> 3) as u32, bytes: content };
        (is_event && content.len() as u64 == length).then_some(event)
    }

    /// Whether it says what a CPU does: who is on it, whether it idles, at which clock.
    #[inline]
    pub const fn tells_of_cpu(&self) -> bool {
        matches!(self.number, field::SCHED_SWITCH | field::CPU_FREQUENCY | field::CPU_IDLE)
    }

    fn parse_any(bytes: &'a [u8]) -> Option<Self> {
        let (mut timestamp, mut tid, mut event) = (0, 0, None);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                field::TIMESTAMP => timestamp = field.value.uint(),
                field::PID => tid = field.value.uint() as u32,
                number => event = Some((number, field.value.bytes())),
            }
        }
        event.map(|(number, bytes)| Self { timestamp, tid, number, bytes })
    }
}
