//! Operations of disks: their beginnings and ends are events of their own, which belong together by the address of their request (IRP).
//! Files are told by an object's address, and what that is called may come at the end of the log only.
//!
//! Source: the MOF classes `DiskIo_TypeGroup1` to `3` and `FileIo_Name` of Microsoft's documentation.

use rustc_hash::FxHashMap;
use wattle_timeline::{DiskKind, DiskOperation, NameId, ThreadId, TimelineBuilder, Window};
use wattle_units::Nanos;

use super::event_clock::EventClock;
use super::event_record::EventRecord;
use super::payload::Payload;

/// Operations and names of files that are kept.
const MAX_OPERATIONS: usize = 1 << 24;
const MAX_FILES: usize = 1 << 22;

/// Who is meant by no thread.
const NOBODY: u32 = u32::MAX;

/// An operation that began and did not end yet.
#[derive(Clone, Copy, Debug)]
struct Begun {
    kind: DiskKind,
    time: i64,
    by: Asked,
}

/// Who asked for an operation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    pub tid: Option<u32>,
    pub pid: Option<u32>,
}

/// An operation whose file has no name yet.
#[derive(Clone, Copy, Debug)]
struct Done {
    operation: DiskOperation,
    pid: Option<u32>,
    file: u64,
    /// In ticks.
    end: i64,
}

/// A name that an object has from a time on.
#[derive(Clone, Copy, Debug)]
struct Named {
    from: i64,
    name: NameId,
}

/// Disks while a log is read.
#[derive(Debug, Default)]
pub(super) struct Disks {
    begun: FxHashMap<u64, Begun>,
    done: Vec<Done>,
    names: FxHashMap<u64, Vec<Named>>,
    named: usize,
    /// Number of names and requests that were not kept.
    pub refused: u64,
}

impl Disks {
    /// `ReadInit`, `WriteInit`, `FlushInit`. `None` if the event is not whole.
    pub fn begin(&mut self, record: &EventRecord<'_>, on_cpu: Asked) -> Option<()> {
        let field = Payload::new(record.payload, record.pointer_size);
        let kind = match record.opcode {
            12 => DiskKind::Read,
            13 => DiskKind::Write,
            _ => DiskKind::Flush,
        };
        let request = field.pointer(0)?;
        // Since Windows 8 the event says who asked; before, its header does.
        let issuer = field.u32(field.after(0, 1)).filter(|tid| *tid != NOBODY && *tid != 0);
        let by = match issuer {
            Some(tid) => Asked { tid: Some(tid), pid: on_cpu.pid.filter(|_| on_cpu.tid == issuer) },
            None => on_cpu,
        };
        if self.begun.len() >= MAX_OPERATIONS {
            self.refused += 1;
            return Some(());
        }
        self.begun.insert(request, Begun { kind, time: record.time, by });
        Some(())
    }

    /// `Read`, `Write`.
    pub fn end(
        &mut self,
        record: &EventRecord<'_>,
        header: Asked,
        clock: EventClock,
    ) -> Option<()> {
        let field = Payload::new(record.payload, record.pointer_size);
        let disk = field.u32(0)?;
        let bytes = field.u32(8)?;
        let offset = field.u64(16)?;
        let file = field.pointer(24)?;
        let request = field.pointer(field.after(24, 1))?;
        let response = field.i64(field.after(24, 2))?;
        let kind = if record.opcode == 10 { DiskKind::Read } else { DiskKind::Write };
        let issuer = field.u32(field.after(32, 2));
        let mut operation =
            self.finished(record, (kind, request, response), (issuer, header), clock);
        operation.operation.disk = Some(disk);
        operation.operation.offset = Some(offset);
        operation.operation.bytes = Some(u64::from(bytes));
        operation.file = file;
        self.keep(operation);
        Some(())
    }

    /// `Flush`.
    pub fn flushed(
        &mut self,
        record: &EventRecord<'_>,
        header: Asked,
        clock: EventClock,
    ) -> Option<()> {
        let field = Payload::new(record.payload, record.pointer_size);
        let (disk, response, request) = (field.u32(0)?, field.i64(8)?, field.pointer(16)?);
        let issuer = field.u32(field.after(16, 1));
        let what = (DiskKind::Flush, request, response);
        let mut operation = self.finished(record, what, (issuer, header), clock);
        operation.operation.disk = Some(disk);
        self.keep(operation);
        Some(())
    }

    fn finished(
        &mut self,
        record: &EventRecord<'_>,
        (kind, request, response): (DiskKind, u64, i64),
        (issuer, header): (Option<u32>, Asked),
        clock: EventClock,
    ) -> Done {
        let begun = self.begun.remove(&request).filter(|it| it.kind == kind);
        let end = clock.time(record.time);
        let response = response.clamp(0, record.time.max(0));
        let start = match begun {
            Some(begun) => clock.time(begun.time),
            None => clock.time(record.time - response),
        };
        let issuer = issuer.filter(|tid| *tid != NOBODY && *tid != 0);
        let by = match (issuer, begun) {
            (Some(tid), begun) => {
                let pid = begun.filter(|it| it.by.tid == issuer).and_then(|it| it.by.pid);
                Asked { tid: Some(tid), pid }
            }
            (None, Some(begun)) => begun.by,
            // Before Windows 8 the header's thread is the one that asked.
            (None, None) => header,
        };
        let operation = DiskOperation {
            kind,
            window: Window::new(start.min(end), end),
            begin_seen: begun.is_some(),
            end_seen: true,
            thread: ThreadId(by.tid.unwrap_or(0)),
            disk: None,
            offset: None,
            bytes: None,
            service: Some(Nanos::new(clock.nanos(response))),
            file: None,
        };
        Done { operation, pid: by.pid, file: 0, end: record.time }
    }

    fn keep(&mut self, done: Done) {
        if self.done.len() < MAX_OPERATIONS {
            self.done.push(done);
        } else {
            self.refused += 1;
        }
    }

    /// An object's name, from now on; where it is a list at the start or end of the log, since ever.
    pub fn name(&mut self, object: u64, name: NameId, from: i64) {
        if self.named >= MAX_FILES {
            self.refused += 1;
            return;
        }
        let names = self.names.entry(object).or_default();
        if names.last().is_some_and(|last| last.name == name) {
            return;
        }
        // What is listed at the end is called so since the name before, if there was one.
        let from =
            if names.is_empty() { from } else { from.max(names.last().map_or(from, |it| it.from)) };
        self.named += 1;
        names.push(Named { from, name });
    }

    /// Tells all operations; those that did not end last until `end`, which is that of the recording.
    pub fn finish(mut self, clock: EventClock, end: i64, builder: &mut TimelineBuilder) {
        let mut open: Vec<_> = std::mem::take(&mut self.begun).into_values().collect();
        open.sort_by_key(|begun| begun.time);
        for done in &self.done {
            let mut operation = done.operation;
            operation.file = self.file(done.file, done.end);
            builder.hardware().disk_operation(done.pid, operation);
        }
        for Begun { kind, time, by } in open {
            let window = Window::new(clock.time(time), clock.time(end.max(time)));
            let operation = DiskOperation {
                kind,
                window,
                begin_seen: true,
                end_seen: false,
                thread: ThreadId(by.tid.unwrap_or(0)),
                disk: None,
                offset: None,
                bytes: None,
                service: None,
                file: None,
            };
            builder.hardware().disk_operation(by.pid, operation);
        }
    }

    /// Returns the name of an object at that time; its first name if it had none yet.
    fn file(&self, object: u64, time: i64) -> Option<NameId> {
        let names = self.names.get(&object)?;
        let known = names.iter().rev().find(|named| named.from <= time).or(names.first());
        known.map(|named| named.name)
    }
}
