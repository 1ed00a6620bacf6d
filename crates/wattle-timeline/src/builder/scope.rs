//! Owners by the kernel's numbers, until it is known who bore them.

use super::task_lives::{TaskLives, ThreadTable};
use crate::{CounterScope, CpuId, SliceScope, Uid};

/// Whose a slice or a counter is, by the kernel's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RawScope {
    /// The device's.
    Global,
    /// The process's with this pid.
    Process(u32),
    /// The thread's with this tid.
    Thread(u32),
    /// A CPU's.
    Cpu(u32),
    /// An app's.
    Uid(u32),
}

pub(crate) struct ScopeResolver<'a> {
    pub lives: &'a TaskLives,
    pub threads: &'a ThreadTable<'a>,
}

impl ScopeResolver<'_> {
    pub fn slice(&self, scope: RawScope, time: i64) -> Option<SliceScope> {
        Some(match scope {
            RawScope::Process(pid) => SliceScope::Process(self.lives.process(pid, time)?),
            RawScope::Thread(tid) => SliceScope::Thread(self.threads.thread(tid, time)),
            RawScope::Cpu(cpu) => SliceScope::Cpu(CpuId(cpu)),
            RawScope::Global | RawScope::Uid(_) => SliceScope::Global,
        })
    }

    pub fn counter(&self, scope: RawScope, time: i64) -> Option<CounterScope> {
        Some(match scope {
            RawScope::Process(pid) => CounterScope::Process(self.lives.process(pid, time)?),
            RawScope::Thread(tid) => CounterScope::Thread(self.threads.thread(tid, time)),
            RawScope::Cpu(cpu) => CounterScope::Cpu(CpuId(cpu)),
            RawScope::Uid(uid) => CounterScope::Uid(Uid(uid)),
            RawScope::Global => CounterScope::Global,
        })
    }
}
