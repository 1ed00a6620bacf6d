//! Counters of GPUs (`GpuCounterEvent`).
//!
//! They become counters under `gpu_counter.<number>.<name>` with their unit, whatever they count. None of them feeds the GPU's clock or its
//! busy time: which counter is the clock of the whole GPU, and which the share of time that it worked, only its free-text name says,
//! and names are each vendor's own (`GPU Frequency`, `Clocks / Second`, `GPU % Utilization` of one core or of all). Clocks
//! come from events that mean nothing else: `gpu_frequency`, `GenericGpuFrequencyEvent`, polls.

use rustc_hash::FxHashMap;
use wattle_timeline::{CounterKey, RawScope, Severity};
use wattle_units::BootNanos;
use wattle_wire::Fields;

use super::Reader;
use crate::limits::MAX_GPU_COUNTERS;
use crate::perfetto_packets::Envelope;

/// `GpuCounterEvent` (`gpu_counter_event.proto`).
mod event {
    pub const COUNTER_DESCRIPTOR: u32 = 1;
    pub const COUNTERS: u32 = 2;
    pub const GPU_ID: u32 = 3;
    pub const COUNTER_DESCRIPTOR_IID: u32 = 4;
    /// `GpuCounterEvent.GpuCounter`.
    pub const COUNTER_ID: u32 = 1;
    pub const INT_VALUE: u32 = 2;
    pub const DOUBLE_VALUE: u32 = 3;
}

/// `InternedGpuCounterDescriptor`.
mod interned {
    pub const IID: u32 = 1;
    pub const COUNTER_DESCRIPTOR: u32 = 2;
    pub const GPU_ID: u32 = 3;
}

/// `GpuCounterDescriptor.GpuCounterSpec` (`gpu_counter_descriptor.proto`).
mod spec {
    pub const COUNTER_ID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const NUMERATOR_UNITS: u32 = 7;
    pub const DENOMINATOR_UNITS: u32 = 8;
    pub const VALUE_DIRECTION: u32 = 11;
    pub const FORWARDS_LOOKING: u64 = 2;
    /// `GpuCounterDescriptor.specs`.
    pub const SPECS: u32 = 1;
}

/// `GpuCounterDescriptor.MeasureUnit`, by number, as Perfetto's trace processor writes them.
const UNITS: [&str; 41] = [
    "",
    "bit",
    "Kb",
    "Mb",
    "Gb",
    "Tb",
    "Pb",
    "B",
    "KB",
    "MB",
    "GB",
    "TB",
    "PB",
    "Hz",
    "KHz",
    "MHz",
    "GHz",
    "THz",
    "PHz",
    "ns",
    "us",
    "ms",
    "s",
    "min",
    "h",
    "Vertex",
    "Pixel",
    "Triangle",
    "mW",
    "W",
    "kW",
    "J",
    "V",
    "A",
    "C",
    "F",
    "K",
    "%",
    "Primitive",
    "Fragment",
    "Instruction",
];

/// One counter that a descriptor names.
#[derive(Clone, Copy, Debug)]
pub(super) struct GpuCounter {
    key: CounterKey,
    /// Its values are of the time after their timestamps, not before.
    looks_forwards: bool,
}

/// Units of one counter; real ones have two or three.
const MAX_UNITS: usize = 16;

/// Counters by their numbers.
pub(super) type CounterTable = FxHashMap<u32, GpuCounter>;

/// Counters of GPUs.
#[derive(Debug, Default)]
pub(super) struct GpuCounters {
    /// Those whose numbers are the same for all writers.
    global: CounterTable,
    /// Time of the last value of those that look backwards.
    last: FxHashMap<CounterKey, BootNanos>,
}

/// Units separated by colons, then those that they are divided by, as Perfetto's trace processor writes them.
fn unit(bytes: &[u8]) -> String {
    let mut text = String::new();
    let units = |number| {
        let fields = Fields::new(bytes).map_while(Result::ok);
        let numbers = fields.filter(move |field| field.number == number);
        let numbers = numbers.flat_map(|field| field.value.varints());
        let names = numbers.filter_map(|unit| UNITS.get(usize::try_from(unit).ok()?).copied());
        names.take(MAX_UNITS)
    };
    for name in units(spec::NUMERATOR_UNITS) {
        if !text.is_empty() {
            text.push(':');
        }
        text.push_str(name);
    }
    let mut separator = '/';
    for name in units(spec::DENOMINATOR_UNITS).filter(|name| !name.is_empty()) {
        text.push(separator);
        text.push_str(name);
        separator = ':';
    }
    text
}

impl Reader<'_> {
    pub(super) fn gpu_counter_event(&mut self, envelope: &Envelope, time: BootNanos, bytes: &[u8]) {
        let (mut iid, mut descriptor, mut gpu) = (None, None, 0);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                event::COUNTER_DESCRIPTOR => descriptor = Some(field.value.bytes()),
                event::COUNTER_DESCRIPTOR_IID => iid = Some(field.value.uint()),
                event::GPU_ID => gpu = field.value.int() as i32,
                _ => {}
            }
        }
        if let Some(descriptor) = descriptor {
            let mut global = std::mem::take(&mut self.states.gpu_counters.global);
            self.gpu_descriptor(&mut global, gpu, descriptor);
            self.states.gpu_counters.global = global;
        }
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number == event::COUNTERS {
                self.gpu_counter(envelope, time, iid, field.value.bytes());
            }
        }
    }

    /// `InternedGpuCounterDescriptor`: counters whose numbers only its writer uses.
    pub(super) fn interned_gpu_counters(&mut self, writer: u32, bytes: &[u8]) {
        let (mut iid, mut descriptor, mut gpu) = (0, &[][..], 0);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                interned::IID => iid = field.value.uint(),
                interned::COUNTER_DESCRIPTOR => descriptor = field.value.bytes(),
                interned::GPU_ID => gpu = field.value.int() as i32,
                _ => {}
            }
        }
        let mut counters = CounterTable::default();
        self.gpu_descriptor(&mut counters, gpu, descriptor);
        self.intern_in(writer, |sequence| &mut sequence.gpu_counters, iid, counters);
    }

    /// `GpuCounterDescriptor`. The first description of a number holds.
    fn gpu_descriptor(&mut self, into: &mut CounterTable, gpu: i32, bytes: &[u8]) {
        for field in Fields::new(bytes).map_while(Result::ok) {
            if field.number != spec::SPECS {
                continue;
            }
            let (mut id, mut name, mut looks_forwards) = (None, None, false);
            for field in Fields::new(field.value.bytes()).map_while(Result::ok) {
                match field.number {
                    spec::COUNTER_ID => id = Some(field.value.uint() as u32),
                    spec::NAME => name = Some(field.value.bytes()),
                    spec::VALUE_DIRECTION => {
                        looks_forwards = field.value.uint() == spec::FORWARDS_LOOKING;
                    }
                    _ => {}
                }
            }
            let (Some(id), Some(name)) = (id, name) else {
                self.counts.unread("GPU counter without a number or a name");
                continue;
            };
            if into.contains_key(&id) {
                continue;
            }
            if into.len() >= MAX_GPU_COUNTERS {
                self.counts.unread("further GPU counters of a descriptor");
                return;
            }
            let mut text = format!("gpu_counter.{gpu}.{}", String::from_utf8_lossy(name));
            let unit = unit(field.value.bytes());
            if !unit.is_empty() {
                text = format!("{text} ({unit})");
            }
            let name = self.builder.names.intern(&text);
            let key = self.builder.system().counter_track(RawScope::Global, name);
            into.insert(id, GpuCounter { key, looks_forwards });
        }
    }

    /// `GpuCounter`: one value.
    fn gpu_counter(
        &mut self,
        envelope: &Envelope,
        time: BootNanos,
        iid: Option<u64>,
        bytes: &[u8],
    ) {
        let (mut id, mut value) = (0, None);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                event::COUNTER_ID => id = field.value.uint() as u32,
                event::INT_VALUE => value = Some(field.value.int() as f64),
                event::DOUBLE_VALUE => value = Some(field.value.float()),
                _ => {}
            }
        }
        let table = match iid {
            Some(iid) => {
                self.sequences.get(&envelope.writer).and_then(|s| s.gpu_counters.get(&iid))
            }
            None => Some(&self.states.gpu_counters.global),
        };
        let Some(counter) = table.and_then(|table| table.get(&id)).copied() else {
            self.counts.note(
                Severity::Warning,
                "unknown-gpu-counter",
                Some(envelope.offset),
                || format!("values of GPU counters that no descriptor names ({id}): not used"),
            );
            return;
        };
        let Some(value) = value.filter(|value| value.is_finite()) else {
            self.counts.unread("GPU counter without a value");
            return;
        };
        if counter.looks_forwards {
            self.builder.system().counter(counter.key, time, value);
            return;
        }
        // A counter of the timeline has its value from its time on; this one had it from the value before on. The first value is of
        // a stretch whose beginning is not known.
        if let Some(since) = self.states.gpu_counters.last.insert(counter.key, time) {
            self.builder.system().counter(counter.key, since, value);
            self.builder.extend_to(time);
        }
    }
}
