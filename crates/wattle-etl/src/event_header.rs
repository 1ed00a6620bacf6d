//! The headers that events come with.
//!
//! Sources: `ntwmi.h` of phnt (System Informer) for `SYSTEM_TRACE_HEADER`, `PERFINFO_TRACE_HEADER`, `EVENT_INSTANCE_GUID_HEADER` and
//! `MESSAGE_TRACE_HEADER`; `evntrace.h` and `evntcons.h` of the Windows SDK for `EVENT_TRACE_HEADER` and `EVENT_HEADER`.

use super::event_record::{EventKind, EventRecord, Guid};
use super::payload::Payload;

/// `TRACE_HEADER_FLAG`, without which there is no event.
const FLAG: u8 = 0x80;
/// `TRACE_HEADER_EVENT_TRACE`: the third byte says which header it is.
const EVENT_TRACE: u8 = 0x40;
/// `TRACE_MESSAGE`.
const MESSAGE: u8 = 0x10;

/// `TRACE_HEADER_PMC_COUNTERS_MASK` and `TRACE_HEADER_PEBS_INDEX_FLAG` of a kernel event's version: values of hardware counters lie
/// between header and payload.
const COUNTERS: u16 = 0x0700;
const COUNTERS_SHIFT: u16 = 8;
const PEBS_INDEX: u16 = 0x8000;

/// `EVENT_HEADER_FLAG_EXTENDED_INFO`, `EVENT_HEADER_FLAG_32_BIT_HEADER`, `EVENT_HEADER_FLAG_CLASSIC_HEADER`.
const EXTENDED_INFO: u16 = 1;
const HEADER_32_BIT: u16 = 0x20;

/// `TRACE_MESSAGE_*`: what lies before a message's arguments.
mod message {
    pub const SEQUENCE: u16 = 1;
    pub const GUID: u16 = 2;
    pub const COMPONENT_ID: u16 = 4;
    pub const TIMESTAMP: u16 = 8;
    pub const SYSTEM_INFO: u16 = 0x20;
}

/// `TRACE_HEADER_TYPE_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `SYSTEM_TRACE_HEADER`.
    System,
    /// The same without times of the CPU.
    Compact,
    /// `PERFINFO_TRACE_HEADER`.
    PerfInfo,
    /// `EVENT_TRACE_HEADER`.
    Full,
    /// `EVENT_INSTANCE_GUID_HEADER`.
    Instance,
    /// `EVENT_HEADER`.
    Event,
    /// `MESSAGE_TRACE_HEADER`.
    Message,
    /// An error while an event was written, and kinds that are not used: of them only the length is known.
    Other,
}

impl Form {
    #[inline]
    fn new(kind: u8, flags: u8) -> Option<(Self, u8)> {
        if flags & FLAG == 0 {
            return None;
        }
        if flags & EVENT_TRACE == 0 {
            return (flags & MESSAGE != 0).then_some((Self::Message, 8));
        }
        Some(match kind {
            1 => (Self::System, 4),
            2 => (Self::System, 8),
            3 => (Self::Compact, 4),
            4 => (Self::Compact, 8),
            10 => (Self::Full, 4),
            11 => (Self::Instance, 4),
            12..=14 => (Self::Other, 8),
            15 => (Self::Message, 8),
            16 => (Self::PerfInfo, 4),
            17 => (Self::PerfInfo, 8),
            18 => (Self::Event, 4),
            19 => (Self::Event, 8),
            20 => (Self::Full, 8),
            21 => (Self::Instance, 8),
            _ => return None,
        })
    }

    /// Bytes before the payload.
    fn header(self) -> usize {
        match self {
            Self::System => 32,
            Self::Compact => 24,
            Self::PerfInfo => 16,
            Self::Full => 48,
            Self::Instance => 72,
            Self::Event => 80,
            Self::Message | Self::Other => 8,
        }
    }

    /// Returns the offset of the event's total length.
    #[inline]
    fn size_at(self) -> usize {
        if matches!(self, Self::System | Self::Compact | Self::PerfInfo) { 4 } else { 0 }
    }
}

/// Place and time of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    form: Form,
    pointer_size: u8,
    /// Bytes that it has, header included.
    pub size: usize,
    /// In ticks of the log's clock; a message may have none.
    pub time: Option<i64>,
}

impl Place {
    /// The event that begins these bytes; `None` if none does, or not all of it is there.
    #[inline]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let field = Payload::new(bytes, 8);
        let (form, pointer_size) = Form::new(field.u8(2)?, field.u8(3)?)?;
        let size = usize::from(field.u16(form.size_at())?);
        if size < form.header() || size > bytes.len() {
            return None;
        }
        let time = time(form, field);
        Some(Self { form, pointer_size, size, time })
    }

    /// When the event was whose first bytes these are.
    pub fn peek(bytes: &[u8]) -> Option<i64> {
        let field = Payload::new(bytes, 8);
        let (form, _) = Form::new(field.u8(2)?, field.u8(3)?)?;
        time(form, field)
    }
}

#[inline]
fn time(form: Form, field: Payload<'_>) -> Option<i64> {
    match form {
        Form::PerfInfo => field.i64(8),
        Form::Message => message_time(field),
        Form::Other => None,
        _ => field.i64(16),
    }
}

fn message_time(field: Payload<'_>) -> Option<i64> {
    let flags = field.u16(6)?;
    if flags & message::TIMESTAMP == 0 {
        return None;
    }
    field.i64(message_start(flags).1)
}

/// Returns the offsets of a message's GUID, time, thread and process numbers, and arguments.
fn message_start(flags: u16) -> (usize, usize, usize, usize) {
    let guid = if flags & message::SEQUENCE == 0 { 8 } else { 12 };
    let time = match flags {
        it if it & message::GUID != 0 => guid + 16,
        it if it & message::COMPONENT_ID != 0 => guid + 4,
        _ => guid,
    };
    let system = if flags & message::TIMESTAMP == 0 { time } else { time + 8 };
    let arguments = if flags & message::SYSTEM_INFO == 0 { system } else { system + 8 };
    (guid, time, system, arguments)
}

fn guid(field: Payload<'_>, at: usize) -> Option<Guid> {
    Some(Guid::from_bytes(*field.bytes.get(at..)?.first_chunk()?))
}

/// An event that has nothing yet.
fn blank<'a>(kind: EventKind, place: Place) -> EventRecord<'a> {
    EventRecord {
        kind,
        provider: Guid::NONE,
        activity: Guid::NONE,
        id: 0,
        version: 0,
        opcode: 0,
        channel: 0,
        level: 0,
        task: 0,
        keyword: 0,
        pid: None,
        tid: None,
        cpu: 0,
        time: 0,
        pointer_size: place.pointer_size,
        extended: &[],
        payload: &[],
        offset: 0,
    }
}

/// The number that headers have where nobody is meant.
fn known(number: u32) -> Option<u32> {
    (number != u32::MAX).then_some(number)
}

/// Reads the event at a place whose bytes these are; its `cpu`, `time` and `offset` are for the caller. `None` for what says nothing
/// but that something went wrong.
#[inline]
pub(super) fn read(place: Place, bytes: &[u8]) -> Option<EventRecord<'_>> {
    let bytes = bytes.get(..place.size)?;
    let field = Payload::new(bytes, place.pointer_size);
    match place.form {
        Form::System | Form::Compact | Form::PerfInfo => kernel(place, field),
        Form::Full | Form::Instance => {
            let mut record = blank(EventKind::Classic, place);
            record.opcode = field.u8(4)?;
            record.level = field.u8(5)?;
            record.version = field.u8(6)?;
            record.tid = known(field.u32(8)?);
            record.pid = known(field.u32(12)?);
            record.provider = guid(field, 24)?;
            record.payload = bytes.get(place.form.header()..)?;
            Some(record)
        }
        Form::Event => modern(place, field),
        Form::Message => {
            let flags = field.u16(6)?;
            let (guid_at, _, system, arguments) = message_start(flags);
            let mut record = blank(EventKind::Message, place);
            record.id = field.u16(4)?;
            if flags & message::GUID != 0 {
                record.provider = guid(field, guid_at)?;
            }
            if flags & message::SYSTEM_INFO != 0 {
                record.tid = field.u32(system);
                record.pid = field.u32(system + 4);
            }
            record.payload = bytes.get(arguments..)?;
            Some(record)
        }
        Form::Other => None,
    }
}

#[inline]
fn kernel(place: Place, field: Payload<'_>) -> Option<EventRecord<'_>> {
    let version = field.u16(0)?;
    let mut record = blank(EventKind::Kernel { group: field.u8(7)? }, place);
    record.version = version.to_le_bytes()[0];
    record.opcode = field.u8(6)?;
    if place.form != Form::PerfInfo {
        record.tid = known(field.u32(8)?);
        record.pid = known(field.u32(12)?);
    }
    let counters = usize::from((version & COUNTERS) >> COUNTERS_SHIFT)
        + usize::from(version & PEBS_INDEX != 0);
    record.payload = field.bytes.get(place.form.header() + counters * 8..)?;
    Some(record)
}

fn modern(place: Place, field: Payload<'_>) -> Option<EventRecord<'_>> {
    let flags = field.u16(4)?;
    let mut record = blank(EventKind::Modern, place);
    record.tid = known(field.u32(8)?);
    record.pid = known(field.u32(12)?);
    record.provider = guid(field, 24)?;
    record.id = field.u16(40)?;
    record.version = field.u8(42)?;
    record.channel = field.u8(43)?;
    record.level = field.u8(44)?;
    record.opcode = field.u8(45)?;
    record.task = field.u16(46)?;
    record.keyword = field.u64(48)?;
    record.activity = guid(field, 64)?;
    if flags & HEADER_32_BIT != 0 {
        record.pointer_size = 4;
    }
    let after = field.bytes.get(place.form.header()..)?;
    let extended = if flags & EXTENDED_INFO == 0 { 0 } else { extended_size(after) };
    record.extended = after.get(..extended)?;
    record.payload = after.get(extended..)?;
    Some(record)
}

/// Bytes of the extended data items: each `Reserved1`, `ExtType`, `Linkage`, `DataSize` (16 bits each) and its data, filled up to
/// eight bytes. The lowest bit of `Linkage` says that another follows.
fn extended_size(bytes: &[u8]) -> usize {
    let field = Payload::new(bytes, 8);
    let mut at = 0;
    while let (Some(linkage), Some(size)) = (field.u16(at + 4), field.u16(at + 6)) {
        let end = at + 8 + usize::from(size).next_multiple_of(8);
        if end > bytes.len() {
            return at;
        }
        at = end;
        if linkage & 1 == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An event of a kind, of 16 bytes beside its header; the bytes count up, so that a field's value tells where it lies.
    fn event(kind: u8, flags: u8, header: usize, set: &[(usize, u8)]) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..header + 16).map(|at| at as u8).collect();
        bytes[2] = kind;
        bytes[3] = flags;
        let size = (header + 16) as u8;
        let size_at = if matches!(kind, 1..=4 | 16 | 17) && flags == 0xc0 { 4 } else { 0 };
        bytes[size_at] = size;
        bytes[size_at + 1] = 0;
        for (at, value) in set {
            bytes[*at] = *value;
        }
        bytes
    }

    /// Checks the places of time, thread, process and payload; `None` for a field that an event does not have.
    #[track_caller]
    fn check(
        bytes: &[u8],
        pointer: u8,
        (time, tid, pid, payload): (Option<u8>, Option<u8>, Option<u8>, u8),
    ) {
        let place = Place::read(bytes).unwrap();
        let record = read(place, bytes).unwrap();
        let first = |value: u64| value.to_le_bytes()[0];
        assert_eq!(place.time.map(|it| first(it.cast_unsigned())), time);
        assert_eq!(record.tid.map(|it| first(u64::from(it))), tid);
        assert_eq!(record.pid.map(|it| first(u64::from(it))), pid);
        assert_eq!(record.payload.first(), Some(&payload));
        assert_eq!(record.pointer_size, pointer);
        assert_eq!(Place::peek(bytes), place.time);
        for length in 0..bytes.len() {
            assert_eq!(Place::read(&bytes[..length]), None, "cut at {length}");
        }
    }

    #[test]
    fn every_header_has_its_layout() {
        for (kind, pointer) in [(1, 4), (2, 8)] {
            check(
                &event(kind, 0xc0, 32, &[(0, 2), (1, 0)]),
                pointer,
                (Some(16), Some(8), Some(12), 32),
            );
        }
        for (kind, pointer) in [(3, 4), (4, 8)] {
            check(
                &event(kind, 0xc0, 24, &[(0, 2), (1, 0)]),
                pointer,
                (Some(16), Some(8), Some(12), 24),
            );
        }
        for (kind, pointer) in [(16, 4), (17, 8)] {
            check(&event(kind, 0xc0, 16, &[(0, 2), (1, 0)]), pointer, (Some(8), None, None, 16));
        }
        for (kind, pointer) in [(10, 4), (20, 8)] {
            check(&event(kind, 0xc0, 48, &[]), pointer, (Some(16), Some(8), Some(12), 48));
        }
        for (kind, pointer) in [(11, 4), (21, 8)] {
            check(&event(kind, 0xc0, 72, &[]), pointer, (Some(16), Some(8), Some(12), 72));
        }
        for (kind, pointer) in [(18, 4), (19, 8)] {
            let plain = event(kind, 0xc0, 80, &[(4, 0), (5, 0)]);
            check(&plain, pointer, (Some(16), Some(8), Some(12), 80));
        }
    }

    #[test]
    fn counters_lie_between_header_and_payload() {
        let one = event(17, 0xc0, 16, &[(0, 2), (1, 1)]);
        check(&one, 8, (Some(8), None, None, 24));
    }

    #[test]
    fn extended_items_lie_between_header_and_payload() {
        // One item of three bytes, filled up to eight; none follows.
        let item = [(4, 1), (5, 0), (80 + 4, 0), (80 + 5, 0), (80 + 6, 3), (80 + 7, 0)];
        let mut bytes = event(19, 0xc0, 88, &item);
        bytes[0] = 104;
        let record = read(Place::read(&bytes).unwrap(), &bytes).unwrap();
        assert_eq!((record.extended.len(), record.payload), (16, &bytes[96..]));
    }

    #[test]
    fn messages_have_what_their_flags_say() {
        let flags = message::SEQUENCE | message::GUID | message::TIMESTAMP | message::SYSTEM_INFO;
        let all = event(0, 0x90, 8 + 4 + 16 + 8 + 8, &[(6, flags as u8), (7, 0)]);
        check(&all, 8, (Some(28), Some(36), Some(40), 44));
        let bare = event(0, 0x90, 8, &[(6, 0), (7, 0)]);
        check(&bare, 8, (None, None, None, 8));
    }

    #[test]
    fn what_is_no_event_is_none() {
        for (kind, flags) in [(2, 0), (2, 0x40), (0xff, 0xff), (99, 0xc0), (0, 0x80)] {
            assert_eq!(Place::read(&event(kind, flags, 32, &[])), None, "{kind} {flags:#x}");
        }
    }
}
