//! State of one writer (`trusted_packet_sequence_id`): its interned strings and defaults.

use rustc_hash::FxHashMap;
use wattle_timeline::NameId;
use wattle_wire::Fields;

use super::Reader;
use super::app_wakelocks::AppWakelock;
use super::gpu_counters::CounterTable;
use wattle_import::limits::MAX_INTERNED;

/// `InternedData` (`interned_data.proto`), the tables that are used.
mod interned {
    pub const EVENT_NAMES: u32 = 2;
    pub const FUNCTION_NAMES: u32 = 5;
    pub const FRAMES: u32 = 6;
    pub const CALLSTACKS: u32 = 7;
    pub const MAPPING_PATHS: u32 = 17;
    pub const MAPPINGS: u32 = 19;
    pub const KERNEL_SYMBOLS: u32 = 26;
    pub const PACKET_CONTEXT: u32 = 30;
    pub const APP_WAKELOCK_INFO: u32 = 42;
    pub const GPU_COUNTER_DESCRIPTORS: u32 = 47;
}

/// `TracePacketDefaults` (`trace_packet_defaults.proto`).
mod defaults {
    pub const TRACK_EVENT: u32 = 11;
    pub const PERF_SAMPLE: u32 = 12;
    pub const TIMESTAMP_CLOCK_ID: u32 = 58;
    /// `TrackEventDefaults.track_uuid`.
    pub const TRACK_UUID: u32 = 11;
    /// `TrackEventDefaults.extra_counter_track_uuids`.
    pub const EXTRA_COUNTERS: u32 = 31;
    /// `TrackEventDefaults.extra_double_counter_track_uuids`.
    pub const EXTRA_DOUBLE_COUNTERS: u32 = 45;
}

/// The thread of a writer that says so itself (`ThreadDescriptor`, before there were track descriptors).
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnThread {
    pub pid: u32,
    pub tid: u32,
    /// Microseconds that `timestamp_delta_us` counts on from.
    pub time_us: i64,
}

/// The state of one writer.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    /// A packet of it was read.
    pub is_known: bool,
    /// Raised whenever the interned data begin anew.
    pub generation: u64,
    /// Interned data are complete: they began anew and no packet was lost since.
    pub is_valid: bool,
    pub clock: Option<u32>,
    pub track_uuid: Option<u64>,
    pub extra_counters: Vec<u64>,
    pub extra_double_counters: Vec<u64>,
    pub own_thread: Option<OwnThread>,
    pub event_names: FxHashMap<u64, NameId>,
    pub function_names: FxHashMap<u64, NameId>,
    pub mapping_paths: FxHashMap<u64, NameId>,
    /// Functions of the kernel.
    pub kernel_symbols: FxHashMap<u64, NameId>,
    pub mappings: FxHashMap<u64, Option<NameId>>,
    /// Index of the timeline's frame.
    pub frames: FxHashMap<u64, u32>,
    /// Index of the innermost call site.
    pub callstacks: FxHashMap<u64, Option<u32>>,
    /// `NetworkPacketEvent`s.
    pub packet_contexts: FxHashMap<u64, Box<[u8]>>,
    /// Apps' wakelocks.
    pub wakelocks: FxHashMap<u64, AppWakelock>,
    /// Counters of the GPU descriptors.
    pub gpu_counters: FxHashMap<u64, CounterTable>,
    /// Names of the counters of `PerfSample`: of the timebase, then of each follower.
    pub perf_counters: Vec<NameId>,
}

impl Sequence {
    /// `SEQ_INCREMENTAL_STATE_CLEARED`.
    pub fn clear(&mut self) {
        *self = Self {
            is_known: true,
            generation: self.generation + 1,
            is_valid: true,
            ..Self::default()
        };
    }
}

fn insert<T>(table: &mut FxHashMap<u64, T>, iid: u64, value: T) {
    if table.len() < MAX_INTERNED {
        table.insert(iid, value);
    }
}

/// `iid` (1) and the first text (2) of an interned entry.
fn entry(bytes: &[u8]) -> (u64, &[u8]) {
    let (mut iid, mut text): (u64, &[u8]) = (0, &[]);
    for field in Fields::new(bytes).map_while(Result::ok) {
        match field.number {
            1 => iid = field.value.uint(),
            2 => text = field.value.bytes(),
            _ => {}
        }
    }
    (iid, text)
}

impl Reader<'_> {
    /// Takes in `TracePacketDefaults`.
    pub(super) fn packet_defaults(&mut self, writer: u32, bytes: &[u8]) {
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                defaults::TIMESTAMP_CLOCK_ID => {
                    self.sequence(writer).clock = Some(field.value.uint() as u32);
                }
                defaults::TRACK_EVENT => {
                    let sequence = self.sequence(writer);
                    for field in Fields::new(field.value.bytes()).map_while(Result::ok) {
                        match field.number {
                            defaults::TRACK_UUID => sequence.track_uuid = Some(field.value.uint()),
                            defaults::EXTRA_COUNTERS => {
                                sequence.extra_counters.extend(field.value.varints());
                            }
                            defaults::EXTRA_DOUBLE_COUNTERS => {
                                sequence.extra_double_counters.extend(field.value.varints());
                            }
                            _ => {}
                        }
                    }
                }
                defaults::PERF_SAMPLE => self.perf_defaults(writer, field.value.bytes()),
                _ => {}
            }
        }
    }

    /// Takes in `InternedData`. Strings come before what refers to them, by the order of the tables.
    pub(super) fn interned_data(&mut self, writer: u32, bytes: &[u8]) {
        let tables = [
            interned::EVENT_NAMES,
            interned::FUNCTION_NAMES,
            interned::MAPPING_PATHS,
            interned::KERNEL_SYMBOLS,
            interned::PACKET_CONTEXT,
            interned::APP_WAKELOCK_INFO,
            interned::GPU_COUNTER_DESCRIPTORS,
            interned::MAPPINGS,
            interned::FRAMES,
            interned::CALLSTACKS,
        ];
        for table in tables {
            let entries = Fields::new(bytes).map_while(Result::ok).filter(|f| f.number == table);
            for value in entries.map(|field| field.value.bytes()) {
                self.interned_entry(writer, table, value);
            }
        }
    }

    fn interned_entry(&mut self, writer: u32, table: u32, value: &[u8]) {
        match table {
            interned::MAPPINGS => self.interned_mapping(writer, value),
            interned::FRAMES => self.interned_frame(writer, value),
            interned::CALLSTACKS => self.interned_callstack(writer, value),
            interned::APP_WAKELOCK_INFO => self.interned_wakelock(writer, value),
            interned::GPU_COUNTER_DESCRIPTORS => self.interned_gpu_counters(writer, value),
            interned::PACKET_CONTEXT => {
                let (iid, context) = entry(value);
                insert(&mut self.sequence(writer).packet_contexts, iid, context.into());
            }
            _ => {
                let (iid, text) = entry(value);
                let name = self.builder.names.intern_bytes(text);
                let sequence = self.sequence(writer);
                let names = match table {
                    interned::EVENT_NAMES => &mut sequence.event_names,
                    interned::FUNCTION_NAMES => &mut sequence.function_names,
                    interned::KERNEL_SYMBOLS => &mut sequence.kernel_symbols,
                    _ => &mut sequence.mapping_paths,
                };
                insert(names, iid, name);
            }
        }
    }

    pub(super) fn intern_in<T>(
        &mut self,
        writer: u32,
        table: impl FnOnce(&mut Sequence) -> &mut FxHashMap<u64, T>,
        iid: u64,
        value: T,
    ) {
        insert(table(self.sequence(writer)), iid, value);
    }
}
