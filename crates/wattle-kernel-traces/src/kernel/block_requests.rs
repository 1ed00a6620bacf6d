//! Requests to disks, from the block layer's events (`include/trace/events/block.h`).
//!
//! A request is inserted into a queue by the thread that asks for it, issued to the disk by whoever works the queue off, and completed by an
//! interrupt. The three are on different CPUs, whose events a recorder writes one CPU after the other, so they are put together at the end.
//! If events of file systems say whose data it is ([`FileWriters`]), the request is of that thread and that file.

use rustc_hash::FxHashMap;
use wattle_timeline::{DiskKind, DiskOperation, ThreadId, TimelineBuilder, Window};
use wattle_units::BootNanos;

use super::file_writers::{FileWriters, Moved};

/// Events that are kept.
const MAX_STEPS: usize = 1 << 23;

/// Bytes of the block layer's sectors, whatever the disk's are.
const SECTOR: u64 = 512;

/// A step of a request on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockStep {
    /// `block_rq_insert`.
    Inserted,
    /// `block_rq_issue`.
    Issued,
    /// `block_rq_complete`, of all of it or of its beginning.
    Completed,
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockRequest {
    /// The disk's number (`dev_t`).
    pub device: u64,
    /// The first of its sectors.
    pub sector: u64,
    /// Its size.
    pub sectors: u32,
    /// The kind of request.
    pub kind: DiskKind,
}

impl BlockRequest {
    /// From the fields of an event; `None` for what moves no data, like a discard.
    pub fn new(device: u64, (sector, sectors): (u64, u32), rwbs: &[u8]) -> Option<Self> {
        // `W` write, `R` read, `D` discard, `F` flush; in front of `W` a flush that comes before it. The rest is how urgent it is.
        let has = |letter| rwbs.contains(&letter);
        let kind = match () {
            () if has(b'D') || has(b'Z') => return None,
            () if has(b'R') => DiskKind::Read,
            () if has(b'W') && sectors > 0 => DiskKind::Write,
            () if has(b'F') => DiskKind::Flush,
            () => return None,
        };
        Some(Self { device, sector, sectors, kind })
    }
}

/// An event of a request.
#[derive(Clone, Copy, Debug)]
struct Event {
    time: BootNanos,
    tid: u32,
    step: BlockStep,
    request: BlockRequest,
}

/// A request that was not completed yet: when and by whom it was inserted and issued.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    inserted: Option<(BootNanos, u32)>,
    issued: Option<(BootNanos, u32)>,
    sectors: u32,
    /// Whose data it is, at its first step.
    moved: Option<Moved>,
}

/// All events of the block layer, until all are read.
#[derive(Debug, Default)]
pub struct BlockRequests {
    events: Vec<Event>,
    files: FileWriters,
}

impl BlockRequests {
    /// The events of files.
    pub fn files(&mut self) -> &mut FileWriters {
        &mut self.files
    }

    /// Takes in an event of the thread on its CPU. Whether there was room.
    pub fn add(
        &mut self,
        time: BootNanos,
        tid: u32,
        step: BlockStep,
        request: BlockRequest,
    ) -> bool {
        let has_room = self.events.len() < MAX_STEPS;
        if has_room {
            self.events.push(Event { time, tid, step, request });
        }
        has_room
    }

    /// Hands over the operations of disks that the events make.
    pub fn finish(&mut self, builder: &mut TimelineBuilder) {
        let mut events = std::mem::take(&mut self.events);
        events.sort_by_key(|event| event.time);
        let Some(end) = events.last().map(|event| event.time) else { return };
        let mut files = std::mem::take(&mut self.files);
        files.sort();
        let mut disks = Disks { files, ..Disks::default() };
        for event in &events {
            disks.event(event, builder);
        }
        disks.finish(end, builder);
    }
}

/// Requests under way.
#[derive(Debug, Default)]
struct Disks {
    open: FxHashMap<(u64, u64, DiskKind), Open>,
    /// Numbers of devices in the order in which they are first seen.
    numbers: FxHashMap<u64, u32>,
    files: FileWriters,
}

impl Disks {
    fn event(&mut self, event: &Event, builder: &mut TimelineBuilder) {
        let Event { time, tid, step, request } = *event;
        let BlockRequest { device, sector, sectors, kind } = request;
        let key = (device, sector, kind);
        match step {
            BlockStep::Inserted => {
                let inserted = Some((time, tid));
                let moved = self.files.moved(time, tid);
                self.open.insert(key, Open { inserted, issued: None, sectors, moved });
            }
            BlockStep::Issued => {
                let moved = self.files.moved(time, tid);
                let open = self.open.entry(key).or_default();
                if open.inserted.is_none() {
                    open.moved = moved;
                }
                // A request grows while it waits.
                open.sectors = sectors;
                open.issued = Some((time, tid));
            }
            BlockStep::Completed => {
                let open = self.open.remove(&key).unwrap_or_default();
                let left = open.sectors.saturating_sub(sectors);
                if left > 0 && sectors > 0 {
                    let rest = (device, sector.saturating_add(u64::from(sectors)), kind);
                    self.open.insert(rest, Open { sectors: left, ..open });
                }
                let operation = self.operation(builder, request, open, (time, true));
                builder.hardware().disk_operation(None, operation);
            }
        }
    }

    fn operation(
        &mut self,
        builder: &mut TimelineBuilder,
        request: BlockRequest,
        open: Open,
        (end, end_seen): (BootNanos, bool),
    ) -> DiskOperation {
        let next = self.numbers.len() as u32;
        let disk = *self.numbers.entry(request.device).or_insert(next);
        let begun = open.inserted.or(open.issued);
        let start = begun.map_or(end, |(time, _)| time);
        let has_data = request.kind != DiskKind::Flush;
        let writer =
            open.moved.and_then(|it| it.writer).filter(|_| request.kind == DiskKind::Write);
        let file = open.moved.map(|it| self.files.name(builder, it.inode));
        DiskOperation {
            kind: request.kind,
            window: Window::new(start, end),
            begin_seen: begun.is_some(),
            end_seen,
            // Of a completion it is whom the interrupt came to.
            thread: ThreadId(writer.or(begun.map(|(_, tid)| tid)).unwrap_or(0)),
            disk: Some(disk),
            offset: has_data.then(|| request.sector.saturating_mul(SECTOR)),
            bytes: has_data.then(|| u64::from(request.sectors) * SECTOR),
            service: open.issued.filter(|_| end_seen).map(|(issued, _)| end - issued),
            file,
        }
    }

    /// Hands over the requests under way at the end.
    fn finish(mut self, end: BootNanos, builder: &mut TimelineBuilder) {
        let mut open: Vec<_> = std::mem::take(&mut self.open).into_iter().collect();
        open.sort_by_key(|(key, open)| (open.inserted.or(open.issued), *key));
        for ((device, sector, kind), open) in open {
            let request = BlockRequest { device, sector, sectors: open.sectors, kind };
            let operation = self.operation(builder, request, open, (end, false));
            builder.hardware().disk_operation(None, operation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rwbs: &str, sectors: u32, expected: Option<DiskKind>) {
        let request = BlockRequest::new(1, (2, sectors), rwbs.as_bytes());
        assert_eq!(request.map(|it| it.kind), expected, "{rwbs}");
    }

    #[test]
    fn kinds_by_their_letters() {
        check("R", 8, Some(DiskKind::Read));
        check("RAM", 8, Some(DiskKind::Read));
        check("WS", 8, Some(DiskKind::Write));
        // A flush before and one after it are part of the write.
        check("FWFS", 8, Some(DiskKind::Write));
        check("FF", 0, Some(DiskKind::Flush));
        check("FWS", 0, Some(DiskKind::Flush));
        check("DS", 8, None);
        check("N", 0, None);
    }
}
