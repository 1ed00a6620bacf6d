//! Tracks of the program's own events (`TrackDescriptor`).

use rustc_hash::FxHashMap;
use wattle_timeline::{CounterKey, NameId, NameRank, Overlap, RawScope, SliceTrackKey};
use wattle_units::BootNanos;
use wattle_wire::Fields;

use super::Reader;
use super::sequence::OwnThread;
use crate::perfetto_packets::Envelope;
use wattle_import::limits::MAX_INTERNED;

/// `TrackDescriptor` (`track_descriptor.proto`).
mod descriptor {
    pub const UUID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const PROCESS: u32 = 3;
    pub const THREAD: u32 = 4;
    pub const PARENT_UUID: u32 = 5;
    pub const COUNTER: u32 = 8;
    pub const STATIC_NAME: u32 = 10;
    pub const ATRACE_NAME: u32 = 13;
}

/// Parents that are followed to find an owner.
const MAX_PARENTS: usize = 32;

/// `CounterDescriptor`: how the values of a counter are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CounterFacts {
    pub multiplier: i64,
    pub is_incremental: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Track {
    parent: Option<u64>,
    name: Option<NameId>,
    pid: Option<u32>,
    tid: Option<u32>,
    counter: Option<CounterFacts>,
}

/// Destination of a track's slices.
#[derive(Clone, Copy, Debug)]
pub(super) enum Row {
    /// Into the thread's own row.
    Thread(u32),
    /// Into a row of their own.
    Own(SliceTrackKey),
}

/// All tracks that were described.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    described: FxHashMap<u64, Track>,
    rows: FxHashMap<u64, Row>,
    counters: FxHashMap<u64, (CounterKey, CounterFacts)>,
    /// Sums of the counters that are written as differences, by writer and track.
    pub sums: FxHashMap<(u32, u64), f64>,
}

impl Tracks {
    fn owner(&self, uuid: u64) -> (Option<u32>, Option<u32>) {
        let mut next = Some(uuid);
        for _ in 0..MAX_PARENTS {
            let Some(track) = next.and_then(|uuid| self.described.get(&uuid)) else { break };
            if track.tid.is_some() || track.pid.is_some() {
                return (track.pid, track.tid);
            }
            next = track.parent;
        }
        (None, None)
    }

    fn scope(&self, uuid: u64) -> RawScope {
        match self.owner(uuid) {
            (_, Some(tid)) => RawScope::Thread(tid),
            (Some(pid), None) => RawScope::Process(pid),
            (None, None) => RawScope::Global,
        }
    }
}

impl Reader<'_> {
    pub(super) fn track_descriptor(&mut self, envelope: &Envelope, bytes: &[u8]) {
        let time = self.time_or_last(envelope);
        let (mut uuid, mut track) = (0, Track::default());
        for field in Fields::new(bytes).map_while(Result::ok) {
            let value = field.value;
            match field.number {
                descriptor::UUID => uuid = value.uint(),
                descriptor::PARENT_UUID => track.parent = Some(value.uint()),
                descriptor::NAME | descriptor::STATIC_NAME | descriptor::ATRACE_NAME => {
                    track.name = Some(self.builder.names.intern_bytes(value.bytes()));
                }
                descriptor::PROCESS => track.pid = self.process_descriptor(time, value.bytes()),
                descriptor::THREAD => {
                    let thread = self.thread_descriptor(time, value.bytes());
                    track.pid = thread.map(|thread| thread.pid).or(track.pid);
                    track.tid = thread.map(|thread| thread.tid);
                }
                descriptor::COUNTER => track.counter = Some(counter_facts(value.bytes())),
                _ => {}
            }
        }
        if self.tracks.described.len() >= MAX_INTERNED {
            return;
        }
        let known = self.tracks.described.entry(uuid).or_default();
        *known = Track {
            parent: track.parent.or(known.parent),
            name: track.name.or(known.name),
            pid: track.pid.or(known.pid),
            tid: track.tid.or(known.tid),
            counter: track.counter.or(known.counter),
        };
        self.tracks.rows.remove(&uuid);
        self.tracks.counters.remove(&uuid);
    }

    /// `ThreadDescriptor`.
    fn thread_descriptor(&mut self, time: BootNanos, bytes: &[u8]) -> Option<OwnThread> {
        let (mut pid, mut tid, mut time_us, mut name) = (0, None, 0, &[][..]);
        for field in Fields::new(bytes).map_while(Result::ok) {
            match field.number {
                1 => pid = field.value.uint() as u32,
                2 => tid = Some(field.value.uint() as u32),
                5 => name = field.value.bytes(),
                6 => time_us = field.value.int(),
                _ => {}
            }
        }
        let tid = tid?;
        if pid == 0 {
            self.builder.tasks().thread_seen(time, tid);
        } else {
            self.builder.tasks().thread_of(time, tid, pid);
        }
        if !name.is_empty() {
            let name = self.builder.names.intern_bytes(name);
            self.builder.tasks().thread_name(time, tid, name, NameRank::Program);
        }
        Some(OwnThread { pid, tid, time_us })
    }

    /// `TracePacket.thread_descriptor`: the writer's own thread.
    pub(super) fn own_thread_descriptor(&mut self, writer: u32, bytes: &[u8]) {
        let thread = self.thread_descriptor(self.last_time, bytes);
        self.sequence(writer).own_thread = thread;
    }

    /// The row for slices of a track. A track that nothing described yet is the device's.
    pub(super) fn row(&mut self, uuid: u64) -> Row {
        if let Some(row) = self.tracks.rows.get(&uuid) {
            return *row;
        }
        let track = self.tracks.described.get(&uuid).copied().unwrap_or_default();
        let row = match (track.tid, self.tracks.owner(uuid)) {
            (Some(tid), _) => Row::Thread(tid),
            // Rows beside a thread's own are not calls of it.
            (None, (Some(pid), _)) if pid != 0 => Row::Own(self.own_row(uuid, pid, track.name)),
            _ => Row::Own(self.builder.code().slice_track(
                RawScope::Global,
                track.name,
                Overlap::Nest,
                uuid,
            )),
        };
        self.tracks.rows.insert(uuid, row);
        row
    }

    fn own_row(&mut self, uuid: u64, pid: u32, name: Option<NameId>) -> SliceTrackKey {
        self.builder.code().slice_track(RawScope::Process(pid), name, Overlap::Nest, uuid)
    }

    /// The counter of a track.
    pub(super) fn track_counter(&mut self, uuid: u64) -> (CounterKey, CounterFacts) {
        if let Some(known) = self.tracks.counters.get(&uuid) {
            return *known;
        }
        let track = self.tracks.described.get(&uuid).copied().unwrap_or_default();
        let name = track.name.unwrap_or(self.unnamed);
        let key = self.builder.system().counter_track(self.tracks.scope(uuid), name);
        let facts = track.counter.unwrap_or(CounterFacts { multiplier: 1, is_incremental: false });
        self.tracks.counters.insert(uuid, (key, facts));
        (key, facts)
    }
}

fn counter_facts(bytes: &[u8]) -> CounterFacts {
    let mut facts = CounterFacts { multiplier: 1, is_incremental: false };
    for field in Fields::new(bytes).map_while(Result::ok) {
        match field.number {
            4 => facts.multiplier = field.value.int(),
            5 => facts.is_incremental = field.value.bool(),
            _ => {}
        }
    }
    facts
}
