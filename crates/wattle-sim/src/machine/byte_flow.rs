//! Bytes on their way through a device.

use std::io::Write;

use super::{Event, Machine};
use crate::SplitMix64;
use crate::bytes::{
    ByteTruth, Bytes, CallBytes, DeviceBytes, DeviceCounter, DeviceIndex, DeviceKind, Piece, pieces,
};
use crate::energy_accounts::NodeIndex;
use crate::stage::Stage;
use crate::{SimError, ThreadTruth};
use wattle_units::BootNanos;

/// A transfer that is under way.
#[derive(Debug)]
struct Flow {
    task: usize,
    /// Index into [`Traffic::entries`].
    entry: usize,
    device: DeviceIndex,
    begin: i64,
    nanos: i64,
    pieces: Vec<Piece>,
    next: usize,
}

/// Bytes that one call moved through one device.
#[derive(Debug)]
struct Entry {
    task: usize,
    node: NodeIndex,
    begin: i64,
    /// Set when the call ends.
    end: Option<i64>,
    device: DeviceIndex,
    own: Bytes,
    counted: Bytes,
}

/// The devices' counters, what moves through them, and whose it is.
#[derive(Debug)]
pub(super) struct Traffic {
    random: SplitMix64,
    pub counters: Vec<DeviceCounter>,
    before: Vec<Bytes>,
    /// At the first and the last reading of the poller, by device.
    pub polled: Vec<Option<(Bytes, Bytes)>>,
    flows: Vec<Option<Flow>>,
    free: Vec<usize>,
    entries: Vec<Entry>,
}

impl Traffic {
    pub fn new(stage: &Stage, mut random: SplitMix64) -> Self {
        let counters: Vec<DeviceCounter> = stage
            .devices
            .iter()
            .map(|(kind, _)| DeviceCounter::before(kind, &mut random))
            .collect();
        Self {
            random,
            before: counters.iter().map(|counter| counter.bytes).collect(),
            polled: vec![None; counters.len()],
            counters,
            flows: Vec::new(),
            free: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// The poller has read the counters of a kind of device.
    pub fn read(&mut self, kind: DeviceKind, stage: &Stage) {
        for (index, (its, _)) in stage.devices.iter().enumerate() {
            if its == kind {
                let now = self.counters[index].bytes;
                let first = self.polled[index].map_or(now, |(first, _)| first);
                self.polled[index] = Some((first, now));
            }
        }
    }
}

impl<W: Write> Machine<'_, W> {
    /// A thread begins to move bytes.
    pub(super) fn begin_flow(&mut self, task: usize, device: DeviceIndex, own: Bytes, nanos: i64) {
        let Some((kind, _)) = self.stage.devices.get(device) else { return };
        let entry = self.entry(task, device);
        let flow = Flow {
            task,
            entry,
            device,
            begin: self.now,
            nanos,
            pieces: pieces(kind, own),
            next: 0,
        };
        let place = self.traffic.free.pop().unwrap_or(self.traffic.flows.len());
        if place == self.traffic.flows.len() {
            self.traffic.flows.push(None);
        }
        self.traffic.flows[place] = Some(flow);
        self.plan_piece(place);
    }

    /// Returns the entry for the bytes that the innermost open call of a task has moved through a device.
    fn entry(&mut self, task: usize, device: DeviceIndex) -> usize {
        let owner = &mut self.tasks[task];
        let node = owner.node;
        let entries = &mut self.traffic.entries;
        let Some(call) = owner.calls.last_mut() else { return entries.len() };
        if let Some(known) = call.moved.iter().find(|entry| entries[**entry].device == device) {
            return *known;
        }
        call.moved.push(entries.len());
        entries.push(Entry {
            task,
            node,
            begin: call.begin,
            end: None,
            device,
            own: Bytes::default(),
            counted: Bytes::default(),
        });
        entries.len() - 1
    }

    /// Returns the bytes that a hook around the innermost call of a task has seen it move, if there is a hook and it
    /// has seen any.
    pub(super) fn hooked(&self, task: usize) -> Option<u64> {
        let [_, .., call] = self.tasks[task].calls.as_slice() else { return None };
        let moved = call.moved.iter().map(|entry| self.traffic.entries[*entry].own.total());
        Some(moved.sum()).filter(|bytes| self.stage.sources.hooks && *bytes > 0)
    }

    /// The innermost call of a task ends.
    pub(super) fn end_call(&mut self, task: usize) {
        // The first is the thread itself, which has no call that ends.
        if self.tasks[task].calls.len() < 2 {
            return;
        }
        let Some(call) = self.tasks[task].calls.pop() else { return };
        for entry in call.moved {
            self.traffic.entries[entry].end = Some(self.now);
        }
    }

    /// Each piece has an equal part of the time, and comes somewhere in it.
    fn plan_piece(&mut self, place: usize) {
        let part = self.traffic.random.unit();
        let Some(flow) = &self.traffic.flows[place] else { return };
        if flow.next == flow.pieces.len() {
            self.traffic.flows[place] = None;
            self.traffic.free.push(place);
            return;
        }
        let share = (flow.next as f64 + part) / flow.pieces.len() as f64;
        let at = flow.begin + (flow.nanos as f64 * share) as i64;
        self.at(at.min(flow.begin + flow.nanos - 1), Event::Piece { flow: place });
    }

    /// A packet goes through an interface, or a request through a disk.
    pub(super) fn piece(&mut self, place: usize) -> Result<(), SimError> {
        let Some(flow) = &mut self.traffic.flows[place] else { return Ok(()) };
        let piece = flow.pieces[flow.next];
        flow.next += 1;
        let (task, device, length) = (flow.task, flow.device, flow.nanos);
        let all = flow.pieces.len() as i64;
        let entry = &mut self.traffic.entries[flow.entry];
        entry.own += piece.own;
        entry.counted += piece.counted;
        let counter = &mut self.traffic.counters[usize::from(device)];
        counter.bytes += piece.counted;
        counter.inward_units += u64::from(piece.inward_units);
        counter.outward_units += u64::from(piece.outward_units);
        let millis = (length / all / 1_000_000).max(0) as u64;
        if piece.inward_units > 0 {
            counter.inward_millis += millis;
        } else {
            counter.outward_millis += millis;
        }
        self.move_bytes(task, device, piece);
        if self.stage.sources.network_packets
            && let Some((DeviceKind::Network, interface)) = self.stage.devices.get(device)
        {
            let time = self.stamp();
            let process = self.tasks[task].process;
            let uid = self.stage.processes[process].persona.uid;
            let directions = [
                (1, piece.counted.inward, piece.inward_units),
                (2, piece.counted.outward, piece.outward_units),
            ];
            for (direction, bytes, packets) in directions {
                if packets > 0 {
                    let packet =
                        crate::trace::PacketBundle { direction, interface, uid, bytes, packets };
                    self.recorder.network_packets(time, packet)?;
                }
            }
        }
        self.plan_piece(place);
        Ok(())
    }

    /// Whose all bytes were.
    pub fn byte_truth(&self, threads: &[ThreadTruth]) -> ByteTruth {
        let name = |device: DeviceIndex| {
            self.stage.devices.get(device).map_or("", |(_, name)| name).to_owned()
        };
        let calls = self.traffic.entries.iter().filter(|entry| entry.counted.total() > 0);
        let calls = calls.map(|entry| {
            let process = self.tasks[entry.task].process;
            let thread = &threads[entry.task];
            CallBytes {
                process: thread.process.clone(),
                uid: self.stage.processes[process].persona.uid,
                thread: thread.thread.clone(),
                tid: thread.tid,
                path: self.meter.path(entry.node, &self.stage.names),
                begin: BootNanos::new(entry.begin),
                end: BootNanos::new(entry.end.unwrap_or(self.end)),
                device: name(entry.device),
                own: entry.own,
                counted: entry.counted,
            }
        });
        let devices = self.traffic.counters.iter().zip(&self.traffic.before).enumerate();
        let devices = devices.map(|(index, (counter, before))| DeviceBytes {
            device: name(index as DeviceIndex),
            counted: counter.bytes - *before,
            polled: self.traffic.polled[index].map(|(first, last)| last - first),
        });
        ByteTruth { calls: calls.collect(), devices: devices.collect() }
    }
}
