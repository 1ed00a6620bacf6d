//! Names of threads and processes, and who made them.

use rustc_hash::FxHashMap;
use wattle_timeline::{NameId, NameRank, ProcessFacts, TimelineBuilder};
use wattle_units::BootNanos;

use crate::perf_file::{TaskRecord, ThreadName};

/// Names of threads by their numbers.
#[derive(Debug, Default)]
pub(super) struct TaskNames(FxHashMap<u32, NameId>);

impl TaskNames {
    /// A thread got a name.
    pub fn named(&mut self, builder: &mut TimelineBuilder, time: BootNanos, comm: &ThreadName<'_>) {
        // All idle tasks have the number 0.
        if comm.tid == 0 || comm.name.is_empty() {
            return;
        }
        let name = builder.names.intern_bytes(comm.name);
        self.0.insert(comm.tid, name);
        builder.tasks().thread_of(time, comm.tid, comm.pid);
        if comm.tid == comm.pid {
            builder.tasks().thread_renamed(time, comm.tid, name);
        } else {
            builder.tasks().thread_name(time, comm.tid, name, NameRank::Kernel);
        }
    }

    /// A thread was made: now, or before the recording began.
    pub fn started(
        &mut self,
        builder: &mut TimelineBuilder,
        (time, was_there): (BootNanos, bool),
        life: &TaskRecord,
    ) {
        if life.tid == 0 {
            return;
        }
        if was_there {
            if life.is_process() {
                let parent = Some(life.parent_pid).filter(|parent| *parent != u32::MAX);
                builder.tasks().process(
                    time,
                    life.pid,
                    ProcessFacts { parent, ..ProcessFacts::default() },
                );
            } else {
                builder.tasks().thread_of(time, life.tid, life.pid);
            }
            return;
        }
        // Until it takes another name it has its maker's.
        let name = self.0.get(&life.parent_tid).copied();
        let name = name.unwrap_or_else(|| builder.names.intern(&format!(":{}", life.tid)));
        self.0.insert(life.tid, name);
        if life.is_process() {
            builder.tasks().process_new(time, life.parent_tid, life.pid, name);
        } else {
            builder.tasks().thread_new(time, life.parent_tid, life.tid, name);
            builder.tasks().thread_of(time, life.tid, life.pid);
        }
    }
}
