//! Buffers of CPUs, and events in them.

use super::{EtlForm, Payload, PointerSize};

/// `WMI_BUFFER_HEADER` in bytes.
pub(super) const BUFFER_HEADER: usize = 72;
/// `ETW_BUFFER_STATE_FLUSH`… what buffers in files have.
const STATE: u32 = 3;
/// The logger's number.
const LOGGER: u16 = 3;

/// Kind of an event: the type and group of a hook id, and the version of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hook {
    /// `EVENT_TRACE_GROUP_*`, its high byte.
    pub group: u8,
    /// `EVENT_TRACE_TYPE_*`, `PERFINFO_LOG_TYPE_*`.
    pub kind: u8,
    pub version: u16,
}

/// Kind of an event of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ModernEvent {
    /// The provider's GUID, as files have it.
    pub provider: [u8; 16],
    pub id: u16,
    pub version: u8,
}

/// Place and time of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub core: u32,
    pub ticks: i64,
    pub pid: u32,
    pub tid: u32,
}

/// The log: one buffer of each CPU is being filled, full ones are in the order in which they came to be so.
#[derive(Debug)]
pub(super) struct Log {
    form: EtlForm,
    filling: Vec<Vec<u8>>,
    full: Vec<Vec<u8>>,
    now: i64,
}

impl Log {
    pub fn new(form: EtlForm, cores: u32, now: i64) -> Self {
        Self { form, filling: vec![Vec::new(); cores as usize], full: Vec::new(), now }
    }

    pub const fn form(&self) -> EtlForm {
        self.form
    }

    pub const fn payload(&self) -> Payload {
        Payload::new(self.form.pointers)
    }

    /// An event with a `PERFINFO_TRACE_HEADER`: no word of process and thread.
    pub fn short(&mut self, hook: Hook, core: u32, ticks: i64, payload: Payload) {
        let header = Payload::new(self.form.pointers)
            .u16(hook.version)
            .u8(match self.form.pointers {
                PointerSize::Four => 0x10,
                PointerSize::Eight => 0x11,
            })
            .u8(0xC0)
            .u16((payload.len() + 16) as u16)
            .u8(hook.kind)
            .u8(hook.group)
            .i64(ticks);
        self.event(core, ticks, header.raw(&payload.bytes()));
    }

    /// An event with a `SYSTEM_TRACE_HEADER`.
    pub fn long(&mut self, hook: Hook, place: Place, payload: Payload) {
        let event = system_event(self.form.pointers, hook, place, payload);
        self.event(place.core, place.ticks, event);
    }

    /// An event with an `EVENT_HEADER`.
    pub fn modern(&mut self, event: ModernEvent, place: Place, payload: Payload) {
        let (kind, width) = match self.form.pointers {
            PointerSize::Four => (0x12, 0x20),
            PointerSize::Eight => (0x13, 0x40),
        };
        let header = Payload::new(self.form.pointers)
            .u16((payload.len() + 80) as u16)
            .u8(kind)
            .u8(0xC0)
            // `Flags`, `EventProperty`.
            .u16(width)
            .u16(0)
            .u32(place.tid)
            .u32(place.pid)
            .i64(place.ticks)
            .raw(&event.provider)
            // `EventDescriptor`: `Id`, `Version`, `Channel`, `Level`, `Opcode`, `Task`, `Keyword`.
            .u16(event.id)
            .u8(event.version)
            .u8(16)
            .u8(4)
            .u8(0)
            .u16(0)
            .i64(4)
            // `KernelTime`, `UserTime`, `ActivityId`.
            .i64(0)
            .i64(0)
            .i64(0);
        self.event(place.core, place.ticks, header.raw(&payload.bytes()));
    }

    fn event(&mut self, core: u32, ticks: i64, event: Payload) {
        self.now = self.now.max(ticks);
        let event = event.align(8).bytes();
        let room = self.form.buffer_size as usize - BUFFER_HEADER;
        let filling = &mut self.filling[core as usize];
        if filling.len() + event.len() > room {
            let events = std::mem::take(filling);
            self.flush(core, &events);
        }
        self.filling[core as usize].extend_from_slice(&event);
    }

    fn flush(&mut self, core: u32, events: &[u8]) {
        let sequence = self.full.len() as i64 + 1;
        self.full.push(buffer(
            self.form,
            BufferFacts { core, sequence, ticks: self.now, flags: 0x20, kind: 0 },
            events,
        ));
    }

    /// All buffers, those that are not full last.
    pub fn finish(mut self, now: i64) -> Vec<Vec<u8>> {
        self.now = self.now.max(now);
        for (core, events) in std::mem::take(&mut self.filling).into_iter().enumerate() {
            if !events.is_empty() {
                self.flush(core as u32, &events);
            }
        }
        self.full
    }
}

/// Contents of a buffer's header.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferFacts {
    pub core: u32,
    pub sequence: i64,
    pub ticks: i64,
    pub flags: u16,
    /// `ETW_BUFFER_TYPE_*`.
    pub kind: u16,
}

/// A `SYSTEM_TRACE_HEADER` and what follows.
pub(super) fn system_event(
    pointers: PointerSize,
    hook: Hook,
    place: Place,
    payload: Payload,
) -> Payload {
    Payload::new(pointers)
        .u16(hook.version)
        .u8(match pointers {
            PointerSize::Four => 0x01,
            PointerSize::Eight => 0x02,
        })
        .u8(0xC0)
        .u16((payload.len() + 32) as u16)
        .u8(hook.kind)
        .u8(hook.group)
        .u32(place.tid)
        .u32(place.pid)
        .i64(place.ticks)
        // `KernelTime`, `UserTime`.
        .u32(0)
        .u32(0)
        .raw(&payload.bytes())
}

/// `WMI_BUFFER_HEADER`, the events, and nothing (0xFF) up to the buffer's size.
pub(super) fn buffer(form: EtlForm, facts: BufferFacts, events: &[u8]) -> Vec<u8> {
    let used = (BUFFER_HEADER + events.len()) as u32;
    let header = Payload::new(form.pointers)
        .u32(form.buffer_size)
        .u32(used)
        .u32(used)
        // `ReferenceCount`.
        .u32(0)
        .i64(facts.ticks)
        .i64(facts.sequence)
        // `ClockType` and `Frequency`: zero in files.
        .i64(0)
        // `ETW_BUFFER_CONTEXT`: `ProcessorNumber`, `Alignment`, `LoggerId`.
        .u8(facts.core as u8)
        .u8(0)
        .u16(LOGGER)
        .u32(STATE)
        .u32(used)
        .u16(facts.flags)
        .u16(facts.kind)
        .i64(0)
        .i64(0);
    let mut bytes = header.raw(events).bytes();
    bytes.resize(form.buffer_size as usize, 0xFF);
    bytes
}
