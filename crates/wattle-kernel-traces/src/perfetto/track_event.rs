//! Slices, instants and counters that programs record themselves (`TrackEvent`).

use wattle_timeline::{NameId, Overlap, RawScope};
use wattle_units::{BootNanos, Nanos};
use wattle_wire::Fields;

use super::Reader;
use super::track::Row;
use crate::perfetto_packets::Envelope;

/// `TrackEvent` (`track_event.proto`).
mod field {
    pub const TIMESTAMP_DELTA_US: u32 = 1;
    pub const LEGACY_EVENT: u32 = 6;
    pub const TYPE: u32 = 9;
    pub const NAME_IID: u32 = 10;
    pub const TRACK_UUID: u32 = 11;
    pub const EXTRA_COUNTER_VALUES: u32 = 12;
    pub const TIMESTAMP_ABSOLUTE_US: u32 = 16;
    pub const NAME: u32 = 23;
    pub const COUNTER_VALUE: u32 = 30;
    pub const EXTRA_COUNTER_TRACK_UUIDS: u32 = 31;
    pub const DOUBLE_COUNTER_VALUE: u32 = 44;
    pub const EXTRA_DOUBLE_COUNTER_TRACK_UUIDS: u32 = 45;
    pub const EXTRA_DOUBLE_COUNTER_VALUES: u32 = 46;
}

/// `TrackEvent.Type`.
mod kind {
    pub const SLICE_BEGIN: u64 = 1;
    pub const SLICE_END: u64 = 2;
    pub const INSTANT: u64 = 3;
    pub const COUNTER: u64 = 4;
}

/// `TrackEvent.LegacyEvent`: phases and ids of Chrome's JSON format.
#[derive(Clone, Copy, Debug, Default)]
struct Legacy {
    name_iid: Option<u64>,
    phase: u8,
    duration_us: i64,
    id: i64,
    pid: Option<u32>,
    tid: Option<u32>,
}

/// One event, gathered.
#[derive(Debug, Default)]
struct Event<'a> {
    kind: u64,
    name: Option<&'a [u8]>,
    name_iid: Option<u64>,
    track: Option<u64>,
    delta_us: Option<i64>,
    absolute_us: Option<i64>,
    value: Option<f64>,
    legacy: Option<Legacy>,
    extra_tracks: Vec<u64>,
    extra_values: Vec<f64>,
    extra_double_tracks: Vec<u64>,
    extra_double_values: Vec<f64>,
}

fn gather(bytes: &[u8]) -> Event<'_> {
    let mut event = Event::default();
    for field in Fields::new(bytes).map_while(Result::ok) {
        let value = field.value;
        match field.number {
            field::TYPE => event.kind = value.uint(),
            field::NAME => event.name = Some(value.bytes()),
            field::NAME_IID => event.name_iid = Some(value.uint()),
            field::TRACK_UUID => event.track = Some(value.uint()),
            field::TIMESTAMP_DELTA_US => event.delta_us = Some(value.int()),
            field::TIMESTAMP_ABSOLUTE_US => event.absolute_us = Some(value.int()),
            field::COUNTER_VALUE => event.value = Some(value.int() as f64),
            field::DOUBLE_COUNTER_VALUE => event.value = Some(value.float()),
            field::LEGACY_EVENT => event.legacy = Some(legacy(value.bytes())),
            field::EXTRA_COUNTER_TRACK_UUIDS => event.extra_tracks.extend(value.varints()),
            field::EXTRA_COUNTER_VALUES => {
                event.extra_values.extend(value.varints().map(|v| v.cast_signed() as f64));
            }
            field::EXTRA_DOUBLE_COUNTER_TRACK_UUIDS => {
                event.extra_double_tracks.extend(value.varints());
            }
            field::EXTRA_DOUBLE_COUNTER_VALUES => match value {
                wattle_wire::Value::Len(packed) => event
                    .extra_double_values
                    .extend(packed.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes))),
                single => event.extra_double_values.push(single.float()),
            },
            _ => {}
        }
    }
    event
}

fn legacy(bytes: &[u8]) -> Legacy {
    let mut legacy = Legacy::default();
    for field in Fields::new(bytes).map_while(Result::ok) {
        let value = field.value;
        match field.number {
            1 => legacy.name_iid = Some(value.uint()),
            2 => legacy.phase = value.uint() as u8,
            3 => legacy.duration_us = value.int(),
            6 | 10 | 11 => legacy.id = value.int(),
            18 => legacy.pid = Some(value.uint() as u32),
            19 => legacy.tid = Some(value.uint() as u32),
            _ => {}
        }
    }
    legacy
}

/// No device has been running for longer: 50 years, in nanoseconds.
const LATEST: i64 = 50 * 365 * 86_400 * 1_000_000_000;

impl Reader<'_> {
    pub(super) fn track_event(&mut self, envelope: &Envelope, time: BootNanos, bytes: &[u8]) {
        let writer = envelope.writer;
        let event = gather(bytes);
        let Some(time) = self.track_event_time(writer, time, &event) else { return };
        self.builder.extend_to(time);
        let default_track = self.sequences.get(&writer).and_then(|s| s.track_uuid);
        self.extra_counters(writer, time, &event);
        if let Some(legacy) = event.legacy
            && event.kind == 0
        {
            self.legacy_event(writer, time, &event, legacy, event.track.or(default_track));
            return;
        }
        let uuid = event.track.or(default_track);
        if event.kind == kind::COUNTER {
            if let (Some(value), Some(uuid)) = (event.value, uuid) {
                self.track_counter_value(writer, time, uuid, value);
            }
            return;
        }
        let row = match uuid {
            Some(uuid) => self.row(uuid),
            None => self.own_thread_row(writer),
        };
        match event.kind {
            kind::SLICE_BEGIN => {
                let name = self.event_name(writer, &event, None);
                self.row_begin(time, row, name);
            }
            kind::SLICE_END => self.row_end(time, row),
            kind::INSTANT => {
                let name = self.event_name(writer, &event, None);
                self.row_instant(time, row, name);
            }
            other => self.counts.unread(&format!("track_event of type {other}")),
        }
    }

    /// Old writers give microseconds since their last event, or since boot.
    fn track_event_time(
        &mut self,
        writer: u32,
        time: BootNanos,
        event: &Event<'_>,
    ) -> Option<BootNanos> {
        let micros = match (event.delta_us, event.absolute_us) {
            (Some(delta), _) => {
                let Some(own) = self.sequence(writer).own_thread.as_mut() else {
                    self.counts.unread("track_event with a time difference to nothing");
                    return None;
                };
                own.time_us = own.time_us.wrapping_add(delta);
                own.time_us
            }
            (None, Some(absolute)) => absolute,
            (None, None) => return Some(time),
        };
        let own = BootNanos::new(micros.saturating_mul(1000));
        if own.value().abs() > LATEST {
            self.counts.unread("track_event whose time cannot be right");
            return None;
        }
        Some(own)
    }

    fn own_thread_row(&mut self, writer: u32) -> Row {
        match self.sequences.get(&writer).and_then(|s| s.own_thread) {
            Some(own) => Row::Thread(own.tid),
            None => self.row(0),
        }
    }

    fn event_name(&mut self, writer: u32, event: &Event<'_>, other: Option<u64>) -> NameId {
        if let Some(name) = event.name {
            return self.builder.names.intern_bytes(name);
        }
        let known = event.name_iid.or(other).and_then(|iid| {
            let names = &self.sequences.get(&writer)?.event_names;
            names.get(&iid).copied()
        });
        known.unwrap_or(self.unnamed)
    }

    fn row_begin(&mut self, time: BootNanos, row: Row, name: NameId) {
        match row {
            Row::Thread(tid) => self.builder.code().slice_begin(time, tid, name),
            Row::Own(track) => self.builder.code().track_begin(time, track, 0, name),
        }
    }

    fn row_end(&mut self, time: BootNanos, row: Row) {
        match row {
            Row::Thread(tid) => self.builder.code().slice_end(time, tid),
            Row::Own(track) => self.builder.code().track_end(time, track, 0),
        }
    }

    fn row_instant(&mut self, time: BootNanos, row: Row, name: NameId) {
        match row {
            Row::Thread(tid) => self.builder.code().slice_instant(time, tid, name),
            Row::Own(track) => self.builder.code().track_instant(time, track, name),
        }
    }

    fn extra_counters(&mut self, writer: u32, time: BootNanos, event: &Event<'_>) {
        if event.extra_values.is_empty() && event.extra_double_values.is_empty() {
            return;
        }
        let sequence = self.sequences.get(&writer);
        let of = |own: &[u64], default: Option<&Vec<u64>>| {
            if own.is_empty() { default.cloned().unwrap_or_default() } else { own.to_vec() }
        };
        let whole = of(&event.extra_tracks, sequence.map(|s| &s.extra_counters));
        let double = of(&event.extra_double_tracks, sequence.map(|s| &s.extra_double_counters));
        let whole = whole.into_iter().zip(event.extra_values.iter().copied());
        let double = double.into_iter().zip(event.extra_double_values.iter().copied());
        for (uuid, value) in whole.chain(double) {
            self.track_counter_value(writer, time, uuid, value);
        }
    }

    fn track_counter_value(&mut self, writer: u32, time: BootNanos, uuid: u64, value: f64) {
        let (key, facts) = self.track_counter(uuid);
        let mut value = value * facts.multiplier as f64;
        if facts.is_incremental {
            let sum = self.tracks.sums.entry((writer, uuid)).or_default();
            *sum += value;
            value = *sum;
        }
        self.builder.system().counter(key, time, value);
    }

    fn legacy_event(
        &mut self,
        writer: u32,
        time: BootNanos,
        event: &Event<'_>,
        legacy: Legacy,
        uuid: Option<u64>,
    ) {
        let own = self.sequences.get(&writer).and_then(|s| s.own_thread);
        let row = match (legacy.tid, event.track.or(uuid)) {
            (Some(tid), _) => Row::Thread(tid),
            (None, Some(uuid)) => self.row(uuid),
            (None, None) => self.own_thread_row(writer),
        };
        let name = self.event_name(writer, event, legacy.name_iid);
        match legacy.phase {
            b'B' => self.row_begin(time, row, name),
            b'E' => self.row_end(time, row),
            b'X' => {
                self.row_begin(time, row, name);
                let duration = Nanos::new(legacy.duration_us.max(0).saturating_mul(1000));
                self.row_end(time + duration, row);
            }
            b'i' | b'I' | b'R' => self.row_instant(time, row, name),
            b'b' | b'S' | b'e' | b'F' | b'n' => {
                let pid = legacy.pid.or(own.map(|own| own.pid));
                let scope = pid.map_or(RawScope::Global, RawScope::Process);
                let track =
                    self.builder.code().slice_track(scope, Some(name), Overlap::NestByCookie, 0);
                match legacy.phase {
                    b'b' | b'S' => self.builder.code().track_begin(time, track, legacy.id, name),
                    b'n' => self.builder.code().track_instant(time, track, name),
                    _ => self.builder.code().track_end(time, track, legacy.id),
                }
            }
            other => {
                self.counts.unread(&format!("track_event of legacy phase {:?}", char::from(other)));
            }
        }
    }
}
