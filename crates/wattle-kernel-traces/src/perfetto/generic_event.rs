//! Kernel events that Perfetto has no message for: with the names of their fields in every event (`GenericFtraceEvent`), or once in a
//! description of the bundle (`GenericEventDescriptor`, Perfetto 50 and later).
//!
//! What an event of a name means is the same as in a text or in trace-cmd's files, so they go through [`crate::kernel`].

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wattle_timeline::Severity;
use wattle_units::BootNanos;
use wattle_wire::{Fields, Value};

use super::Reader;
use super::ftrace::Bundle;
use crate::kernel::{Applied, EventFields, EventKind, KernelEvent, decode};
use crate::limits::{MAX_EVENT_FIELDS, MAX_EVENT_NAMES};

/// `GenericFtraceEvent` (`generic.proto`).
mod event {
    pub const EVENT_NAME: u32 = 1;
    pub const FIELD: u32 = 2;
    /// `GenericFtraceEvent.Field`.
    pub const NAME: u32 = 1;
    pub const STR_VALUE: u32 = 3;
    pub const INT_VALUE: u32 = 4;
    pub const UINT_VALUE: u32 = 5;
}

/// `FtraceEventBundle.GenericEventDescriptor` (`ftrace_event_bundle.proto`).
mod descriptor {
    pub const FIELD_ID: u32 = 1;
    pub const EVENT_DESCRIPTOR: u32 = 2;
    /// `DescriptorProto` (`descriptor.proto`).
    pub const NAME: u32 = 1;
    pub const FIELD: u32 = 2;
    /// `FieldDescriptorProto`.
    pub const FIELD_NAME: u32 = 1;
    pub const FIELD_NUMBER: u32 = 3;
}

/// The most fields that are read of any event.
const MAX_PLACES: usize = 5;

/// The values of one event, by the places of [`EventKind::fields`].
#[derive(Clone, Copy, Debug, Default)]
struct Values<'a>([Option<Value<'a>>; MAX_PLACES]);

impl<'a> EventFields<'a> for Values<'a> {
    fn number(&self, place: usize) -> Option<u64> {
        match self.0.get(place).copied().flatten()? {
            Value::Len(_) => None,
            value => Some(value.uint()),
        }
    }

    fn text(&self, place: usize) -> Option<&'a [u8]> {
        match self.0.get(place).copied().flatten()? {
            Value::Len(text) => Some(text),
            _ => None,
        }
    }
}

/// The place of a field with this name.
fn place(kind: EventKind, name: &[u8]) -> Option<usize> {
    let is_named = |names: &&str| names.split('|').any(|known| known.as_bytes() == name);
    kind.fields().iter().position(|names| is_named(&names)).filter(|place| *place < MAX_PLACES)
}

/// An event that a bundle describes.
#[derive(Debug)]
struct Format {
    name: usize,
    /// Numbers of its fields, by the places of [`EventKind::fields`].
    places: [Option<u32>; MAX_PLACES],
}

/// Events of one name.
#[derive(Debug)]
struct Named {
    name: Box<[u8]>,
    kind: Option<EventKind>,
    used: u64,
    unread: u64,
}

/// Events without a message of their own.
#[derive(Debug, Default)]
pub(super) struct GenericEvents {
    by_name: FxHashMap<Box<[u8]>, usize>,
    names: Vec<Named>,
    /// By their numbers in `FtraceEvent`.
    formats: FxHashMap<u32, Format>,
}

impl GenericEvents {
    fn name(&mut self, name: &[u8]) -> Option<usize> {
        if let Some(index) = self.by_name.get(name) {
            return Some(*index);
        }
        if self.names.len() >= MAX_EVENT_NAMES {
            return None;
        }
        let index = self.names.len();
        let kind = EventKind::of_name(name);
        self.names.push(Named { name: name.into(), kind, used: 0, unread: 0 });
        self.by_name.insert(name.into(), index);
        Some(index)
    }

    fn kind(&self, name: usize) -> Option<EventKind> {
        self.names.get(name)?.kind
    }

    /// Adds the numbers of events that were used and of those that were not, by name.
    pub fn count_into(self, used: &mut BTreeMap<String, u64>, unread: &mut BTreeMap<String, u64>) {
        for named in self.names {
            let name = String::from_utf8_lossy(&named.name).into_owned();
            for (counts, count) in [(&mut *used, named.used), (&mut *unread, named.unread)] {
                if count > 0 {
                    *counts.entry(name.clone()).or_default() += count;
                }
            }
        }
    }
}

/// The thread, CPU and time of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventContext<'a> {
    pub bundle: &'a Bundle,
    pub time: BootNanos,
    pub tid: u32,
}

impl Reader<'_> {
    /// Takes in a description of an event.
    pub(super) fn event_descriptor(&mut self, bytes: &[u8]) {
        let number = Fields::find(bytes, descriptor::FIELD_ID).map_or(0, Value::uint) as u32;
        let described =
            Fields::find(bytes, descriptor::EVENT_DESCRIPTOR).map_or(&[][..], Value::bytes);
        let name = Fields::find(described, descriptor::NAME).map_or(&[][..], Value::bytes);
        let generic = &mut self.generic_events;
        if generic.formats.contains_key(&number) || generic.formats.len() >= MAX_EVENT_NAMES {
            return;
        }
        let Some(name) = generic.name(name) else { return };
        let mut places = [None; MAX_PLACES];
        if let Some(kind) = generic.kind(name) {
            let fields = Fields::new(described).map_while(Result::ok);
            for field in fields.filter(|field| field.number == descriptor::FIELD) {
                let field = field.value.bytes();
                let name =
                    Fields::find(field, descriptor::FIELD_NAME).map_or(&[][..], Value::bytes);
                let number = Fields::find(field, descriptor::FIELD_NUMBER).map(Value::uint);
                let slot = place(kind, name).and_then(|place| places.get_mut(place));
                if let (Some(slot), Some(number)) = (slot, number) {
                    *slot = u32::try_from(number).ok();
                }
            }
        }
        generic.formats.insert(number, Format { name, places });
    }

    /// Reads an event that a bundle described. Whether one did.
    pub(super) fn described_event(
        &mut self,
        context: EventContext<'_>,
        number: u32,
        bytes: &[u8],
    ) -> bool {
        let Some(format) = self.generic_events.formats.get(&number) else { return false };
        let name = format.name;
        let mut values = Values::default();
        for (slot, number) in values.0.iter_mut().zip(format.places) {
            *slot = number.and_then(|number| Fields::find(bytes, number));
        }
        self.named_event(context, name, &values);
        true
    }

    /// `GenericFtraceEvent`.
    pub(super) fn generic_event(&mut self, context: EventContext<'_>, bytes: &[u8]) {
        let name = Fields::find(bytes, event::EVENT_NAME).map_or(&[][..], Value::bytes);
        let Some(name) = self.generic_events.name(name) else {
            self.counts.unread("events of further names");
            return;
        };
        let mut values = Values::default();
        if let Some(kind) = self.generic_events.kind(name) {
            let fields = Fields::new(bytes).map_while(Result::ok);
            for field in fields.filter(|f| f.number == event::FIELD).take(MAX_EVENT_FIELDS) {
                let (mut name, mut value) = (&[][..], None);
                for field in Fields::new(field.value.bytes()).map_while(Result::ok) {
                    match field.number {
                        event::NAME => name = field.value.bytes(),
                        event::STR_VALUE | event::INT_VALUE | event::UINT_VALUE => {
                            value = Some(field.value);
                        }
                        _ => {}
                    }
                }
                if let Some(slot) = place(kind, name).and_then(|place| values.0.get_mut(place)) {
                    *slot = value;
                }
            }
        }
        self.named_event(context, name, &values);
    }

    fn named_event(&mut self, context: EventContext<'_>, name: usize, values: &Values<'_>) {
        let kind = self.generic_events.kind(name);
        let event = kind.and_then(|kind| decode(kind, values));
        let is_used = event.is_some();
        if let Some(event) = event {
            self.apply_named(context, event);
        } else if kind.is_some() {
            // Drivers reuse names: `gpu_power_state` of Arm's first GPUs for Pixel numbers its states otherwise.
            self.counts.note(
                Severity::Info,
                "event-malformed",
                Some(context.bundle.offset),
                || "events whose fields are not what they are elsewhere: not used".to_owned(),
            );
        }
        if let Some(named) = self.generic_events.names.get_mut(name) {
            *(if is_used { &mut named.used } else { &mut named.unread }) += 1;
        }
    }

    fn apply_named(&mut self, context: EventContext<'_>, event: KernelEvent<'_>) {
        let EventContext { bundle, time, tid } = context;
        match self.kernel.apply(self.builder, bundle.cpu, time, tid, event) {
            Applied::Used => {}
            Applied::Mismatch => self.switch_mismatch(bundle),
            Applied::Unread(what) => self.counts.unread(what),
        }
    }
}
