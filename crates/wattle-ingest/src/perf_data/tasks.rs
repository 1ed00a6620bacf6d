//! Threads and processes: who they are, and who made them (`PERF_RECORD_COMM`, `PERF_RECORD_FORK`, `PERF_RECORD_EXIT`).

use rustc_hash::FxHashMap;
use wattle_timeline::{NameId, NameRank, ProcessFacts, TimelineBuilder};
use wattle_units::BootNanos;

use super::feature::text;
use super::record::Record;
use crate::trace_dat::Order;

/// `PERF_RECORD_MISC_COMM_EXEC`.
const EXEC: u16 = 1 << 13;

/// A thread got a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comm<'a> {
    pub pid: u32,
    pub tid: u32,
    name: &'a [u8],
    /// Because it runs another program.
    pub is_exec: bool,
}

impl<'a> Comm<'a> {
    pub fn parse(record: &Record<'a>, order: Order) -> Option<Self> {
        let mut cursor = record.cursor(order);
        let (pid, tid) = (cursor.u32()?, cursor.u32()?);
        let name = text(record.body.get(8..)?);
        Some(Self { pid, tid, name, is_exec: record.misc & EXEC != 0 })
    }
}

/// A thread began or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Life {
    pub pid: u32,
    pub parent_pid: u32,
    pub tid: u32,
    parent_tid: u32,
}

impl Life {
    pub fn parse(record: &Record<'_>, order: Order) -> Option<Self> {
        let mut cursor = record.cursor(order);
        let (pid, parent_pid) = (cursor.u32()?, cursor.u32()?);
        let (tid, parent_tid) = (cursor.u32()?, cursor.u32()?);
        Some(Self { pid, parent_pid, tid, parent_tid })
    }

    /// Whether it is a process of its own.
    pub fn is_process(&self) -> bool {
        self.tid == self.pid && self.parent_pid != self.pid
    }
}

/// What threads are called.
#[derive(Debug, Default)]
pub(super) struct Comms(FxHashMap<u32, NameId>);

impl Comms {
    /// A thread got a name.
    pub fn named(&mut self, builder: &mut TimelineBuilder, time: BootNanos, comm: &Comm<'_>) {
        // All idle tasks have the number 0.
        if comm.tid == 0 || comm.name.is_empty() {
            return;
        }
        let name = builder.names.intern_bytes(comm.name);
        self.0.insert(comm.tid, name);
        builder.thread_of(time, comm.tid, comm.pid);
        if comm.tid == comm.pid {
            builder.thread_renamed(time, comm.tid, name);
        } else {
            builder.thread_name(time, comm.tid, name, NameRank::Kernel);
        }
    }

    /// A thread was made: now, or before the recording began.
    pub fn started(
        &mut self,
        builder: &mut TimelineBuilder,
        (time, was_there): (BootNanos, bool),
        life: &Life,
    ) {
        if life.tid == 0 {
            return;
        }
        if was_there {
            if life.is_process() {
                let parent = Some(life.parent_pid).filter(|parent| *parent != u32::MAX);
                builder.process(time, life.pid, ProcessFacts { parent, ..ProcessFacts::default() });
            } else {
                builder.thread_of(time, life.tid, life.pid);
            }
            return;
        }
        // Until it takes another name it has its maker's.
        let name = self.0.get(&life.parent_tid).copied();
        let name = name.unwrap_or_else(|| builder.names.intern(&format!(":{}", life.tid)));
        self.0.insert(life.tid, name);
        if life.is_process() {
            builder.process_new(time, life.parent_tid, life.pid, name);
        } else {
            builder.thread_new(time, life.parent_tid, life.tid, name);
            builder.thread_of(time, life.tid, life.pid);
        }
    }
}
