//! A Perfetto trace: `perfetto.protos.Trace`, of track events alone (`protos/perfetto/trace/track_event/`).
//!
//! A track for each process and thread with its slices, each with the energy of its own and in total as debug annotations; beside each
//! thread a counter of what it drew so far; for the device counters of power by component. What is in no slice is a counter of its
//! account that rises from 0 at the window's start to the sum at its end. Findings are slices of tracks of the device. Times are boot
//! time, those of the recording.

use std::collections::BTreeMap;
use std::io::Write;

use rustc_hash::FxHashMap;
use wattle_ledger::Ledger;
use wattle_units::BootNanos;
use wattle_wire::Writer;

use crate::format_entry::{FormatEntry, FormatWriter, Times};
use crate::schedule_slices::{self, Change, Lane};
use crate::stack_frames::Frames;
use crate::{
    EnergyUnit, ExportError, Extract, Payer, Schedule, display_names, power_bins, remarks,
};

/// `Trace.packet`.
const PACKET: u32 = 1;

/// Fields of `TracePacket`.
mod packet {
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED_DATA: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const TIMESTAMP_CLOCK: u32 = 58;
    pub const TRACK_DESCRIPTOR: u32 = 60;
}

/// Fields of `TrackDescriptor`.
mod descriptor {
    pub const UUID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const PROCESS: u32 = 3;
    pub const THREAD: u32 = 4;
    pub const PARENT: u32 = 5;
    pub const COUNTER: u32 = 8;
}

/// Fields of `TrackEvent`.
mod event {
    pub const CATEGORY_IIDS: u32 = 3;
    pub const DEBUG_ANNOTATION: u32 = 4;
    pub const TYPE: u32 = 9;
    pub const NAME_IID: u32 = 10;
    pub const TRACK: u32 = 11;
    pub const CATEGORY: u32 = 22;
    pub const NAME: u32 = 23;
    pub const COUNTER: u32 = 30;
    pub const DOUBLE_COUNTER: u32 = 44;
}

/// Values of `TrackEvent.Type`.
mod event_type {
    pub const BEGIN: u64 = 1;
    pub const END: u64 = 2;
    pub const INSTANT: u64 = 3;
    pub const COUNTER: u64 = 4;
}

/// `BuiltinClock.BUILTIN_CLOCK_BOOTTIME`.
const BOOTTIME: u64 = 6;
/// `SEQ_INCREMENTAL_STATE_CLEARED`, and `SEQ_NEEDS_INCREMENTAL_STATE`.
const CLEARED: u64 = 1;
const NEEDS_STATE: u64 = 2;
const SEQUENCE_ID: u64 = 1;
/// Number of bytes gathered before they are written.
const CHUNK: usize = 1 << 16;

/// First numbers of tracks, by the kind of track.
mod uuid {
    pub const DEVICE: u64 = 1;
    pub const POWER: u64 = 1 << 32;
    pub const PROCESS: u64 = 2 << 32;
    pub const THREAD: u64 = 3 << 32;
    pub const THREAD_ENERGY: u64 = 4 << 32;
    pub const LANE: u64 = 5 << 32;
    pub const UNPLACED: u64 = 6 << 32;
    pub const FINDINGS: u64 = 7 << 32;
}

/// Its entry in the registry.
pub(crate) const FORMAT: FormatEntry = FormatEntry {
    name: "perfetto",
    endings: &[".perfetto-trace", ".pftrace"],
    endings_note: None,
    description: "Perfetto's UI and trace processor",
    content_type: "application/vnd.perfetto.trace",
    is_binary: true,
    times: Times::Axis,
    unit: Some(EnergyUnit::Nanojoules),
    write: FormatWriter::Whole(|extract, options, to| write(extract, FORMAT.unit(options), to)),
};

/// Writes it.
pub fn write(
    extract: &Extract<'_>,
    unit: EnergyUnit,
    to: &mut dyn Write,
) -> Result<(), ExportError> {
    let ledger = extract.ledger();
    let frames = Frames::new(ledger);
    let schedule = Schedule::new(extract, unit);
    let mut trace = Trace { bytes: Writer::new(), to };
    trace.head(extract, &frames, unit, &schedule)?;
    trace.powers(ledger)?;
    trace.findings(extract)?;
    let mut lanes: FxHashMap<Lane, u64> = FxHashMap::default();
    let mut current = None;
    schedule_slices::walk(ledger, &frames, &schedule, &mut |lane, change| {
        let thread = uuid::THREAD + u64::from(lane.thread);
        if current != Some(lane.thread) {
            current = Some(lane.thread);
            trace.thread(ledger, lane.thread, unit)?;
        }
        let mut track = thread;
        if lane.number > 0 {
            let next = uuid::LANE + lanes.len() as u64;
            let is_known = lanes.contains_key(&lane);
            track = *lanes.entry(lane).or_insert(next);
            if !is_known {
                trace.track(track, Some(thread), |to| {
                    to.string(descriptor::NAME, "other hardware");
                })?;
            }
        }
        match change {
            Change::Begin(frame, time) => trace.event(track, event_type::BEGIN, time, |to| {
                let kind = frames.get(frame).kind.number() as u64 + 1;
                to.varint(event::CATEGORY_IIDS, kind);
                to.varint(event::NAME_IID, u64::from(frame.0) + 1);
            }),
            Change::End(slice) => trace.event(track, event_type::END, slice.window.end, |to| {
                annotate(to, 1, slice.own);
                annotate(to, 2, slice.total);
            }),
            Change::Piece(piece, before) => {
                let track = uuid::THREAD_ENERGY + u64::from(lane.thread);
                trace.counter(track, piece.window.start, before)
            }
        }
    })?;
    trace.ends(ledger, &schedule)?;
    trace.unplaced(ledger, &frames, &schedule)?;
    trace.flush(0)
}

fn annotate(to: &mut Writer, name: u64, value: i64) {
    to.message(event::DEBUG_ANNOTATION, |annotation| {
        annotation.varint(1, name);
        annotation.int(4, value);
    });
}

struct Trace<'a> {
    bytes: Writer,
    to: &'a mut dyn Write,
}

impl Trace<'_> {
    fn flush(&mut self, above: usize) -> Result<(), ExportError> {
        if self.bytes.len() > above {
            self.to.write_all(self.bytes.as_bytes())?;
            self.bytes.clear();
        }
        Ok(())
    }

    fn packet(&mut self, flags: u64, write: impl FnOnce(&mut Writer)) -> Result<(), ExportError> {
        self.bytes.message(PACKET, |packet| {
            packet.varint(packet::SEQUENCE, SEQUENCE_ID);
            packet.varint(packet::SEQUENCE_FLAGS, flags);
            write(packet);
        });
        self.flush(CHUNK)
    }

    fn track(
        &mut self,
        uuid: u64,
        parent: Option<u64>,
        write: impl FnOnce(&mut Writer),
    ) -> Result<(), ExportError> {
        self.packet(NEEDS_STATE, |packet| {
            packet.message(packet::TRACK_DESCRIPTOR, |to| {
                to.varint(descriptor::UUID, uuid);
                if let Some(parent) = parent {
                    to.varint(descriptor::PARENT, parent);
                }
                write(to);
            });
        })
    }

    fn counter_track(
        &mut self,
        uuid: u64,
        parent: Option<u64>,
        name: &str,
        unit: &str,
    ) -> Result<(), ExportError> {
        self.track(uuid, parent, |to| {
            to.string(descriptor::NAME, name);
            // CounterDescriptor.unit_name
            to.message(descriptor::COUNTER, |counter| counter.string(6, unit));
        })
    }

    fn event(
        &mut self,
        track: u64,
        kind: u64,
        time: BootNanos,
        write: impl FnOnce(&mut Writer),
    ) -> Result<(), ExportError> {
        self.packet(NEEDS_STATE, |packet| {
            packet.int(packet::TIMESTAMP, time.value().max(0));
            packet.varint(packet::TIMESTAMP_CLOCK, BOOTTIME);
            packet.message(packet::TRACK_EVENT, |to| {
                to.varint(event::TYPE, kind);
                to.varint(event::TRACK, track);
                write(to);
            });
        })
    }

    fn counter(&mut self, track: u64, time: BootNanos, value: i64) -> Result<(), ExportError> {
        self.event(track, event_type::COUNTER, time, |to| to.int(event::COUNTER, value))
    }

    /// Interned names, the device's track, and what a reader must know as instants on it.
    fn head(
        &mut self,
        extract: &Extract<'_>,
        frames: &Frames<'_>,
        unit: EnergyUnit,
        schedule: &Schedule,
    ) -> Result<(), ExportError> {
        let own = format!("self_{}", unit.name());
        let total = format!("total_{}", unit.name());
        self.packet(CLEARED, |packet| {
            packet.message(packet::INTERNED_DATA, |data| {
                let mut entry = |field: u32, iid: u64, name: &str| {
                    data.message(field, |entry| {
                        entry.varint(1, iid);
                        entry.string(2, name);
                    });
                };
                for (iid, kind) in (1..).zip(crate::FrameKind::ALL) {
                    entry(1, iid, kind.name());
                }
                for (iid, frame) in (1..).zip(frames.frames()) {
                    entry(2, iid, &frame.name);
                }
                entry(3, 1, &own);
                entry(3, 2, &total);
            });
        })?;
        self.track(uuid::DEVICE, None, |to| to.string(descriptor::NAME, "Energy by Wattle"))?;
        let mut remarks = remarks::remarks(extract);
        if schedule.is_synthesised {
            remarks.push(SYNTHESISED.to_owned());
        }
        let start = extract.ledger().recording.window.start;
        for remark in remarks {
            self.event(uuid::DEVICE, event_type::INSTANT, start, |to| {
                to.string(event::CATEGORY, "remark");
                to.string(event::NAME, &remark);
            })?;
        }
        Ok(())
    }

    fn powers(&mut self, ledger: &Ledger) -> Result<(), ExportError> {
        for (track, series) in (uuid::POWER..).zip(&ledger.over_time.series) {
            let name = format!("power {}", series.component.name());
            self.counter_track(track, Some(uuid::DEVICE), &name, "mW")?;
            for (window, power, _) in power_bins::bins(ledger, series) {
                self.event(track, event_type::COUNTER, window.start, |to| {
                    to.double(event::DOUBLE_COUNTER, power.value() * 1e3);
                })?;
            }
        }
        Ok(())
    }

    /// Slices of findings where they were seen, on as many tracks as overlap.
    fn findings(&mut self, extract: &Extract<'_>) -> Result<(), ExportError> {
        let mut ends: Vec<BootNanos> = Vec::new();
        for mark in extract.marks() {
            let window = mark.window.intersect(extract.ledger().recording.window);
            let free = ends.iter().position(|end| *end <= window.start);
            let lane = free.unwrap_or(ends.len());
            let track = uuid::FINDINGS + lane as u64;
            if free.is_none() {
                ends.push(window.end);
                self.track(track, Some(uuid::DEVICE), |to| {
                    to.string(descriptor::NAME, "findings");
                })?;
            }
            if let Some(end) = ends.get_mut(lane) {
                *end = window.end;
            }
            let saving = mark.joules.map(|joules| format!("{joules} J"));
            let facts = [
                ("rule", Some(&mark.rule)),
                ("severity", Some(&mark.severity)),
                ("process", mark.process.as_ref()),
                ("evidence", Some(&mark.evidence)),
                ("potential_saving", saving.as_ref()),
                ("fix", Some(&mark.remedy)),
            ];
            self.event(track, event_type::BEGIN, window.start, |to| {
                to.string(event::CATEGORY, "finding");
                to.string(event::NAME, &mark.title);
                for (name, text) in facts {
                    let Some(text) = text else { continue };
                    to.message(event::DEBUG_ANNOTATION, |annotation| {
                        annotation.string(10, name);
                        annotation.string(6, text);
                    });
                }
            })?;
            self.event(track, event_type::END, window.end, |_| {})?;
        }
        Ok(())
    }

    /// The tracks of a thread: that of its process too, as often as it has threads; the last word counts, and all are equal.
    fn thread(&mut self, ledger: &Ledger, id: u32, unit: EnergyUnit) -> Result<(), ExportError> {
        let Some(thread) = ledger.rows.threads.get(id as usize) else { return Ok(()) };
        let Some(process) = ledger.rows.processes.get(thread.process as usize) else {
            return Ok(());
        };
        let of_process = uuid::PROCESS + u64::from(thread.process);
        let of_thread = uuid::THREAD + u64::from(id);
        self.track(of_process, None, |to| match process.pid {
            Some(pid) => to.message(descriptor::PROCESS, |to| {
                to.varint(1, pid.into());
                to.string(6, &process.name);
            }),
            None => to.string(descriptor::NAME, &display_names::process(process)),
        })?;
        let name = display_names::thread(thread);
        self.track(of_thread, Some(of_process), |to| match process.pid {
            Some(pid) => to.message(descriptor::THREAD, |to| {
                to.varint(1, pid.into());
                to.varint(2, thread.tid.into());
                to.string(5, &name);
            }),
            None => to.string(descriptor::NAME, &name),
        })?;
        let counter = uuid::THREAD_ENERGY + u64::from(id);
        self.counter_track(counter, Some(of_thread), &format!("energy {name}"), unit.symbol())
    }

    /// The last value of each thread's counter.
    fn ends(&mut self, ledger: &Ledger, schedule: &Schedule) -> Result<(), ExportError> {
        let mut sums: BTreeMap<u32, (BootNanos, i64)> = BTreeMap::new();
        for piece in schedule.pieces() {
            let (end, sum) = sums.entry(piece.thread).or_insert((ledger.recording.window.start, 0));
            *end = (*end).max(piece.window.end);
            *sum += piece.sum();
        }
        for (thread, (end, sum)) in sums {
            self.counter(uuid::THREAD_ENERGY + u64::from(thread), end, sum)?;
        }
        Ok(())
    }

    fn unplaced(
        &mut self,
        ledger: &Ledger,
        frames: &Frames<'_>,
        schedule: &Schedule,
    ) -> Result<(), ExportError> {
        let mut sums: BTreeMap<(Option<u32>, String), i64> = BTreeMap::new();
        let mut stack = Vec::new();
        for (payer, amounts) in schedule.unplaced() {
            let name = match payer {
                Payer::Path(_) => "energy not placed in time".to_owned(),
                Payer::Probes(_) => "energy of probes".to_owned(),
                Payer::Account(_) => {
                    frames.stack(payer, &mut stack);
                    let names: Vec<&str> =
                        stack.iter().map(|frame| &*frames.get(*frame).name).collect();
                    format!("energy {}", names.join(" "))
                }
            };
            let sum: i64 = amounts.iter().map(|(_, amount)| amount).sum();
            *sums.entry((payer.thread(ledger), name)).or_default() += sum;
        }
        let unit = schedule.unit;
        let mut threads: Vec<u32> = schedule.pieces().map(|piece| piece.thread).collect();
        threads.dedup();
        for (track, ((thread, name), sum)) in (uuid::UNPLACED..).zip(sums) {
            if let Some(thread) = thread.filter(|thread| threads.binary_search(thread).is_err()) {
                self.thread(ledger, thread, unit)?;
                threads.insert(threads.partition_point(|known| *known < thread), thread);
            }
            let parent = thread.map_or(uuid::DEVICE, |thread| uuid::THREAD + u64::from(thread));
            self.counter_track(track, Some(parent), &name, unit.symbol())?;
            self.counter(track, ledger.recording.window.start, 0)?;
            self.counter(track, ledger.recording.window.end, sum)?;
        }
        Ok(())
    }
}

/// The remark where a ledger does not contain when paths drew energy.
pub const SYNTHESISED: &str = "The ledger does not say when call paths drew their energy: they are laid out one after the other, callers first and the most energy first, each as long as it was on a CPU.";
